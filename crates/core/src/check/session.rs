//! One session: its envelope, its ends, its turns.

use interlinear_schema::tape::Tape;
use interlinear_schema::{
    EndReason, EventData, EventSource, FromJson as _, Mismatch, SessionEndedData, TerminatedBy, TurnData, TurnMetadata,
    TurnPhase, TurnStatus, UniversalEvent,
};

use super::items::Items;
use super::requests::Requests;
use super::time::{self, Moment};
use super::{Report, hash};
use crate::map::Hashes;

/// Exit codes with which a shell reports TERM, INT and HUP.
const ENDED_BY_SIGNAL: [i64; 3] = [143, 130, 129];

/// What is remembered of a session.
#[derive(Debug, Default)]
pub(super) struct Session {
    sequence: u64,
    time: Option<Moment>,
    started: bool,
    ended: bool,
    turns: Turns,
    items: Items,
    permissions: Requests,
    questions: Requests,
}

#[derive(Debug, Default)]
struct Turns {
    open: bool,
    open_id: Option<String>,
    seen: Hashes,
}

impl Session {
    pub(super) fn event(&mut self, event: &UniversalEvent<'_>, report: &mut Report<'_>) {
        self.envelope(event, report);
        self.place(&event.data, report);
        match &event.data {
            EventData::SessionStarted(_) => {}
            EventData::SessionEnded(data) => self.end(data, report),
            EventData::TurnStarted(data) => self.turns.start(data, report),
            EventData::TurnEnded(data) => self.end_turn(data, report),
            EventData::ItemStarted(data) => {
                self.turns.belongs(data.item.turn_id.as_deref(), report);
                self.items.started(&data.item, report);
            }
            EventData::ItemDelta(data) => self.items.delta(data, report),
            EventData::ItemCompleted(data) => self.items.completed(&data.item, report),
            EventData::PermissionRequested(data) => self.permissions.permission(data, true, &self.questions, report),
            EventData::PermissionResolved(data) => self.permissions.permission(data, false, &self.questions, report),
            EventData::QuestionRequested(data) => self.questions.question(data, true, &self.permissions, report),
            EventData::QuestionResolved(data) => self.questions.question(data, false, &self.permissions, report),
            EventData::Error(data) => self.turns.belongs(data.turn_id.as_deref(), report),
            EventData::Unparsed(data) => {
                report.broken(19, format!("a line could not be read: {} ({})", data.error, data.location));
            }
            EventData::Unknown { r#type, .. } => report.broken(1, format!("{type:?} is no event type")),
        }
    }

    /// Rules 1 to 3.
    fn envelope(&mut self, event: &UniversalEvent<'_>, report: &mut Report<'_>) {
        if event.session_id.is_empty() {
            report.broken(1, "session_id is empty");
        }
        let expected = self.sequence + 1;
        if event.sequence != expected {
            report.broken(1, format!("sequence is {}, expected {expected}", event.sequence));
        }
        self.sequence = event.sequence;
        match (time::parse(&event.time), self.time) {
            (None, _) => report.broken(2, format!("time \"{}\" is not RFC 3339 with a zone", event.time)),
            (Some(now), Some(before)) if now < before => {
                report.broken(2, format!("time goes backwards, to {}", event.time));
            }
            (now, _) => self.time = now,
        }
        let agrees = match event.source {
            EventSource::Agent => !event.synthetic,
            EventSource::Daemon => event.synthetic,
            EventSource::Other(_) => false,
        };
        if !agrees {
            let (source, synthetic) = (event.source.as_str(), event.synthetic);
            report.broken(3, format!("source is {source:?} and synthetic is {synthetic}"));
        }
    }

    /// Rule 8: `session.started` first and once, `session.ended` last and once.
    fn place(&mut self, data: &EventData<'_>, report: &mut Report<'_>) {
        let is_start = matches!(data, EventData::SessionStarted(_));
        if self.ended {
            report.broken(8, format!("{} comes after session.ended", data.type_name()));
        }
        if is_start && self.started {
            report.broken(8, "session.started comes twice");
        }
        if !is_start && !self.started {
            report.broken(8, format!("the first event is {}, not session.started", data.type_name()));
        }
        self.started = true;
    }

    fn end_turn(&mut self, data: &TurnData<'_>, report: &mut Report<'_>) {
        self.items.turn_ended(data.turn_id.as_deref(), report);
        self.permissions.turn_ended("permission", report);
        self.questions.turn_ended("question", report);
        self.turns.end(data, report);
    }

    fn end(&mut self, data: &SessionEndedData<'_>, report: &mut Report<'_>) {
        self.ended = true;
        if self.turns.open {
            report.broken(9, "a turn is open at session.ended");
        }
        self.items.session_ended(report);
        self.permissions.session_ended("permission", report);
        self.questions.session_ended("question", report);
        says_what_happened(data, report);
    }
}

impl Turns {
    fn start(&mut self, data: &TurnData<'_>, report: &mut Report<'_>) {
        if self.open {
            report.broken(9, "turn.started comes while a turn is open");
        }
        if data.phase != TurnPhase::Started {
            report.broken(9, format!("turn.started has the phase \"{}\"", data.phase.as_str()));
        }
        if let Some(id) = &data.turn_id
            && !self.seen.insert(hash(id))
        {
            report.broken(9, format!("turn {id} starts twice"));
        }
        self.open = true;
        self.open_id = data.turn_id.as_deref().map(str::to_owned);
    }

    fn end(&mut self, data: &TurnData<'_>, report: &mut Report<'_>) {
        if !self.open {
            report.broken(9, "turn.ended comes while no turn is open");
        } else if data.turn_id.as_deref() != self.open_id.as_deref() {
            let (ended, open) = (data.turn_id.as_deref(), self.open_id.as_deref());
            report.broken(9, format!("turn.ended names the turn {ended:?}, the open one is {open:?}"));
        }
        if data.phase != TurnPhase::Ended {
            report.broken(9, format!("turn.ended has the phase \"{}\"", data.phase.as_str()));
        }
        if let Some(metadata) = &data.metadata {
            let mut tape = Tape::default();
            let read = tape.read(metadata.as_str()).map_err(|_| Mismatch::expected("JSON"));
            match read.and_then(TurnMetadata::from_json) {
                Err(error) => report.broken(9, format!("metadata of turn.ended cannot be read: {error}")),
                Ok(TurnMetadata { status: Some(TurnStatus::Other(status)), .. }) => {
                    report.broken(9, format!("turn.ended has the unknown status {status}"));
                }
                Ok(_) => {}
            }
        }
        self.open = false;
        self.open_id = None;
    }

    /// What names a turn names one of this session.
    fn belongs(&self, turn_id: Option<&str>, report: &mut Report<'_>) {
        if let Some(id) = turn_id
            && !self.seen.contains(hash(id))
        {
            report.broken(9, format!("turn {id} has not started"));
        }
    }
}

/// Rule 10.
fn says_what_happened(data: &SessionEndedData<'_>, report: &mut Report<'_>) {
    let by_agent = data.terminated_by == TerminatedBy::Agent;
    let by_daemon = data.terminated_by == TerminatedBy::Daemon;
    let failure = data.message.is_some() || data.exit_code.is_some() || data.stderr.is_some();
    match &data.reason {
        EndReason::Completed if !by_agent => report.broken(10, "completed sessions are ended by the agent"),
        EndReason::Terminated if !by_daemon => report.broken(10, "terminated sessions are ended by the daemon"),
        EndReason::Completed | EndReason::Terminated if failure => {
            report.broken(10, "message, exit_code and stderr belong to reason error only");
        }
        EndReason::Error if data.message.is_none() => report.broken(10, "reason error lacks its message"),
        EndReason::Error => match data.exit_code {
            Some(0) => report.broken(10, "exit code 0 is no error"),
            Some(code) if ENDED_BY_SIGNAL.contains(&code) => {
                report.broken(10, format!("exit code {code} is a termination, not an error"));
            }
            Some(_) if !by_agent => report.broken(10, "an exit code that is an error is the agent's own end"),
            _ if !by_agent && !by_daemon => report.broken(10, "nobody ended the session"),
            _ => {}
        },
        EndReason::Other(reason) => report.broken(10, format!("{reason:?} is no reason")),
        EndReason::Completed | EndReason::Terminated => {}
    }
}
