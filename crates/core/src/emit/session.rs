//! A session's own state, its turns and its two ends.

use std::borrow::Cow;

use interlinear_schema::table::same;
use interlinear_schema::{
    EndReason, ErrorData, EventData, EventSource, Json, SessionEndedData, SessionStartedData, StatusLabel,
    TerminatedBy, Text, TurnData, TurnMetadata, TurnPhase, TurnStatus, UniversalEvent,
};

use super::calls::{Call, WaitingResult};
use super::items::OpenItem;
use super::requests::Request;
use super::{Emit, Ref, push_number};
use crate::map::{Hashes, Map, Set};
use crate::state::{Passing, kept};
use crate::time;

kept! {
    /// What is remembered of a session. Of what is finished, only a hash of its identifier.
    #[derive(Debug, Default)]
    pub(crate) struct Session {
        pub(crate) id: String,
        pub(crate) native_id: Option<String>,
        pub(super) sequence: u64,
        time: i64,
        pub(super) time_text: String,
        pub(super) event_id: String,
        /// The part that the last event added text to, if it repeated an earlier line.
        pub(super) grown: Passing<Option<(Ref, usize)>>,
        pub(super) started: bool,
        pub(super) ended: bool,
        /// It is a second one where there may be one only: nothing comes out of it.
        pub(super) refused: bool,
        /// How the host asked for another conversation in this session, while that is not there.
        opening: Option<String>,
        /// The identifier of the open turn.
        turn: Option<String>,
        turns: u64,
        /// Its turn is over when the process is.
        one_shot: bool,
        /// Items that are not completed.
        pub(super) items: Map<Ref, OpenItem>,
        /// The last item that was opened.
        pub(super) last_ref: u64,
        /// Numbers for items that have no identifier of their own.
        pub(super) numbered: u64,
        /// Hashes of the identifiers of items, requests and turns that began.
        pub(super) begun: Hashes,
        /// Calls that have no result yet, in their order.
        pub(super) calls: Map<u64, Call>,
        pub(super) last_call: u64,
        /// Results whose calls have not been seen.
        pub(super) waiting: Vec<WaitingResult>,
        /// Permissions and questions that are open, in their order.
        pub(super) requests: Vec<Request>,
        /// Subagents that go on when the turn is over.
        pub(super) background: Set<String>,
        /// What was said about the session.
        pub(super) facts: Map<String, String>,
    }
}

impl Session {
    pub(crate) fn new(id: String) -> Self {
        Self { event_id: format!("evt_{id}_"), id, time: i64::MIN, ..Self::default() }
    }

    /// Steps to the next event.
    pub(super) fn next(&mut self, now: i64) {
        self.sequence += 1;
        *self.grown = None;
        count_up(&mut self.event_id);
        if now > self.time {
            self.time = now;
            time::format(now, &mut self.time_text);
        }
    }

    /// Whether another event now would differ from the last one, which added text to the same part, by its text only.
    pub(super) fn repeats(&self, item: Ref, part: usize, now: i64) -> bool {
        *self.grown == Some((item, part)) && now <= self.time
    }

    /// The number of the last event.
    pub(crate) fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The event that was stepped to.
    pub(super) fn event<'a>(&'a self, synthetic: bool, data: EventData<'a>, raw: Json<'a>) -> UniversalEvent<'a> {
        UniversalEvent {
            event_id: Cow::Borrowed(&self.event_id),
            sequence: self.sequence,
            time: Cow::Borrowed(&self.time_text),
            session_id: Cow::Borrowed(&self.id),
            native_session_id: self.native_id.as_deref().map(Cow::Borrowed),
            source: if synthetic { EventSource::Daemon } else { EventSource::Agent },
            synthetic,
            data,
            raw,
            extra: interlinear_schema::Extra::default(),
        }
    }

    pub(crate) fn turn_id(&self) -> Option<&str> {
        self.turn.as_deref()
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    /// It has begun and is not over.
    pub(crate) fn is_running(&self) -> bool {
        self.started && !self.ended
    }
}

/// The number at the end of a text, one more; 1 if there is none. Much cheaper than writing the number anew.
fn count_up(text: &mut String) {
    let mut nines = 0;
    while text.ends_with('9') {
        text.pop();
        nines += 1;
    }
    match text.pop() {
        Some(digit @ '0'..='8') => text.push(char::from(digit as u8 + 1)),
        before => {
            text.extend(before);
            text.push('1');
        }
    }
    text.extend(std::iter::repeat_n('0', nines));
}

impl Emit<'_> {
    /// The session has begun; said once.
    pub(crate) fn begin_session(&mut self) {
        let session = self.session_mut();
        if session.started {
            return;
        }
        session.started = true;
        let metadata = self.book.metadata();
        let data = SessionStartedData { metadata: Some(Json::from_text(metadata)), ..SessionStartedData::default() };
        self.send_now(true, EventData::SessionStarted(data));
    }

    /// Events go to the session with this identifier of the agent from here on. A new one takes the first session
    /// that has none yet, or is opened; one that another process of the agent goes on with is a session of its own.
    pub(crate) fn route(&mut self, native: &str) -> usize {
        let sessions = &mut self.book.sessions;
        let is_it = |session: &Session| session.native_id.as_deref() == Some(native) && !session.ended;
        let is_free = |session: &Session| !session.ended && (session.native_id.is_none() || session.opening.is_some());
        let known = sessions.iter().position(is_it);
        let index = known.or_else(|| sessions.iter().position(is_free)).unwrap_or(sessions.len());
        if index == sessions.len() {
            if self.book.single {
                return self.refuse(native);
            }
            sessions.push(Session::new(format!("{}_{}", self.book.prefix, index + 1)));
        }
        self.select(index);
        self.adopt(native);
        index
    }

    /// The session goes on with this native one; where the host asked for another, that is said.
    pub(crate) fn adopt(&mut self, native: &str) {
        let session = self.session_mut();
        let another = session.native_id.as_deref().is_some_and(|known| known != native);
        let opening = session.opening.take().filter(|_| another);
        self.native_session(native);
        if let Some(how) = opening {
            self.status(StatusLabel::Session, Some(Text::from(how)), None);
        }
    }

    /// A second session where there may be one only. Said once; what belongs to it is ignored and counted.
    fn refuse(&mut self, native: &str) -> usize {
        let sessions = &mut self.book.sessions;
        let index = sessions.iter().position(|session| session.refused).unwrap_or(sessions.len());
        if index == sessions.len() {
            sessions.push(Session { ended: true, refused: true, ..Session::default() });
            let message = format!(
                "the agent carries a second session, {native}: it is left out, as this is the session of one only. \
                 Open a connection to read them all"
            );
            let details = format!("{{\"native_session_id\":{}}}", Json::of(native).as_str());
            self.select(0);
            self.send(
                true,
                EventData::Error(ErrorData {
                    message: message.into(),
                    code: Some("second_session".into()),
                    details: Some(Json::from_text(details)),
                    ..ErrorData::default()
                }),
            );
        }
        self.select(index);
        index
    }

    /// The host wants another conversation: where there may be one session only, it goes on with that.
    pub(crate) fn expect_session(&mut self, how: &str) {
        if self.book.single {
            self.session_mut().opening = Some(how.to_owned());
        }
    }

    /// There is no other conversation after all.
    pub(crate) fn keep_session(&mut self) {
        self.session_mut().opening = None;
    }

    /// What names no session goes to the first that is not over; if all are, to a new one, where there may be one.
    pub(crate) fn select_any(&mut self) {
        let open = self.book.first_open();
        let sessions = &mut self.book.sessions;
        let other = if self.book.single { 0 } else { sessions.len() };
        let index = open.unwrap_or(other);
        if index == sessions.len() {
            sessions.push(Session::new(format!("{}_{}", self.book.prefix, index + 1)));
        }
        self.select(index);
    }

    /// Events go to the session with this identifier of the host. Where it may be new, it is opened.
    pub(crate) fn select_named(&mut self, id: &str, new: bool) -> bool {
        let sessions = &mut self.book.sessions;
        let index = match sessions.iter().position(|session| session.id == id && !session.refused) {
            Some(index) => index,
            None if !new || self.book.single => return false,
            None => {
                // One that nobody has used or named yet takes the name.
                let unnamed = |at: usize, session: &Session| session.id == format!("{}_{}", self.book.prefix, at + 1);
                let untouched = |(at, session): (usize, &Session)| {
                    !session.started && session.native_id.is_none() && unnamed(at, session)
                };
                let index = sessions.iter().enumerate().position(untouched).unwrap_or(sessions.len());
                if index == sessions.len() {
                    sessions.push(Session::default());
                }
                sessions[index] = Session::new(id.to_owned());
                index
            }
        };
        self.select(index);
        true
    }

    /// The agent's own identifier of the session, from here on. True if it was another one before.
    pub(crate) fn native_session(&mut self, id: &str) -> bool {
        let session = self.session_mut();
        session.opening = None;
        if session.native_id.as_deref().is_some_and(|known| same(known.as_bytes(), id.as_bytes())) {
            return false;
        }
        session.native_id.replace(id.to_owned()).is_some()
    }

    /// The agent's own identifier of the session is another one from here on, and not known yet.
    pub(crate) fn forget_native_session(&mut self) {
        self.session_mut().native_id = None;
    }

    /// A turn begins, unless one is open. `synthetic`: the agent does not say so itself.
    pub(crate) fn begin_turn(&mut self, native: Option<&str>, synthetic: bool) {
        if self.session().turn.is_some() {
            return;
        }
        self.begin_session();
        let session = self.session_mut();
        session.turns += 1;
        let mut id = String::with_capacity(native.map_or("turn_9999999".len(), str::len));
        id.push_str(native.unwrap_or("turn"));
        if native.is_none() {
            push_number(&mut id, session.turns);
        }
        session.turn = Some(id);
        if let Some(next) = self.next() {
            let turn_id = next.session.turn_id().map(Cow::Borrowed);
            let data = TurnData { phase: TurnPhase::Started, turn_id, ..TurnData::default() };
            next.send(synthetic, EventData::TurnStarted(data));
        }
    }

    /// The open turn is over; what the agent left open in it is closed.
    pub(crate) fn end_turn(&mut self, metadata: &TurnMetadata<'_>, synthetic: bool) {
        if self.session().turn.is_none() {
            return;
        }
        self.close_turn();
        let Some(id) = self.session_mut().turn.take() else { return };
        let data = TurnData {
            phase: TurnPhase::Ended,
            turn_id: Some(Cow::Borrowed(&id)),
            metadata: Some(Json::of(metadata)),
            ..TurnData::default()
        };
        self.send(synthetic, EventData::TurnEnded(data));
    }

    /// The turn is over when the process is: nothing else will say so.
    pub(crate) fn ends_with_process(&mut self) {
        self.session_mut().one_shot = true;
    }

    /// The session is over. A turn that is still open was interrupted, or failed with the session.
    pub(crate) fn end_session(&mut self, mut end: SessionEndedData<'_>) {
        if self.session().ended {
            return;
        }
        self.begin_session();
        let status = match end.reason {
            EndReason::Error => TurnStatus::Failed,
            EndReason::Completed if self.session().one_shot && self.session().items.is_empty() => TurnStatus::Completed,
            _ => TurnStatus::Interrupted,
        };
        self.end_turn(&TurnMetadata { status: Some(status), ..TurnMetadata::default() }, true);
        self.close_all();
        if end.reason != EndReason::Error {
            (end.message, end.exit_code, end.stderr) = (None, None, None);
        }
        // No agent says that its session is over: the process or the input ended.
        self.send(true, EventData::SessionEnded(end));
        let session = self.session_mut();
        session.ended = true;
        // Nothing will be said of it any more: a server goes on for long.
        (session.begun, session.facts) = (Hashes::default(), Map::default());
    }

    /// The process is gone, and another will go on with the session: what was running is over.
    pub(crate) fn break_off(&mut self, end: SessionEndedData<'_>) {
        let failed = end.reason == EndReason::Error;
        if failed {
            let message = end.message.unwrap_or_default();
            let turn_id = self.session().turn.clone().map(Cow::Owned);
            let code = Some(Cow::Borrowed("agent_exited"));
            self.send(true, EventData::Error(ErrorData { message, code, turn_id, ..ErrorData::default() }));
        }
        let status = if failed { TurnStatus::Failed } else { TurnStatus::Interrupted };
        self.end_turn(&TurnMetadata { status: Some(status), ..TurnMetadata::default() }, true);
        self.close_all();
    }

    /// The input is over, and there was no process: all is well.
    pub(crate) fn complete_session(&mut self) {
        let end = SessionEndedData {
            reason: EndReason::Completed,
            terminated_by: TerminatedBy::Agent,
            ..SessionEndedData::default()
        };
        self.end_session(end);
    }
}
