//! Items that are tool calls.

use interlinear_schema::{ContentPart, Json, PermissionStatus, Text, ToolCallPart, ToolResultPart};

use super::items::{Kind, Place};
use super::patch;
use super::state::{Live, State};
use super::tools;
use super::wire::Item;
use crate::emit::{CallSpec, Emit};
use crate::json::{Tape, Value};

impl State {
    /// A tool is called. Of a search the arguments come with its end, of a plan they stream.
    pub(super) fn call_started(&mut self, kind: Kind, item: &Item<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
        let id = item.id.unwrap_or_default();
        let changes = item.changes.filter(|_| kind == Kind::FileChange).map_or("", Value::raw).to_owned();
        if let Some(live) = self.live_mut(place, id)
            && let Some(open) = live.call.take()
        {
            // The arguments have streamed.
            let part = tools::call_part(kind, item, &live.call_id);
            (live.title, live.changes) = (title_of(kind, &part), changes);
            emit.finish_call(open, part);
            return;
        }
        self.note_item(id, place, emit);
        let call_id = emit.fresh_call_id(id);
        let mut part = tools::call_part(kind, item, &call_id);
        let spec = CallSpec { call_id: &call_id, parent: None, agent: place.agent.as_deref() };
        let title = title_of(kind, &part);
        let mut call = None;
        if matches!(kind, Kind::WebSearch | Kind::Plan | Kind::ImageGeneration) {
            part.arguments = Text::default();
            call = emit.open_call(spec, part);
        } else {
            emit.call(spec, part, false);
        }
        let live = Live { kind, call_id: call_id.clone(), call, title, changes, ..Live::default() };
        self.remember(place, id, live);
        if let (Kind::Activity, Some(thread)) = (kind, item.agent_thread_id) {
            emit.in_background(&call_id);
            self.link(thread, &call_id, emit);
        }
    }

    /// A tool has come to its end.
    pub(super) fn call_completed(&mut self, kind: Kind, item: &Item<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
        let id = item.id.unwrap_or_default();
        let agent = place.agent.as_deref();
        let mut changed = String::new();
        let call_id = match self.forget(place, id) {
            Some(Live { call_id, call, changes, .. }) => {
                changed = changes;
                if let Some(open) = call {
                    emit.finish_call(open, tools::call_part(kind, item, &call_id));
                }
                call_id
            }
            None if !self.note_item(id, place, emit) => {
                emit.ignore("late");
                return;
            }
            None => {
                let call_id = emit.fresh_call_id(id);
                let spec = CallSpec { call_id: &call_id, parent: None, agent };
                emit.call(spec, tools::call_part(kind, item, &call_id), false);
                call_id
            }
        };
        let starts = tools::starts_agent(kind, item);
        if starts {
            emit.in_background(&call_id);
        }
        self.settle(&call_id, item.status, emit);
        let (mut part, mut extra, failed) = tools::result(kind, item, &call_id);
        if item.changes.is_none() && !changed.is_empty() {
            // Where the end does not say what was changed, the beginning did.
            let mut tape = Tape::default();
            let changes = tape.read(&changed).map(patch::changes).unwrap_or_default();
            for change in changes {
                extra.push(patch::file_ref(change));
            }
        }
        if part.output.is_empty()
            && let Some(printed) = emit.printed(&call_id)
        {
            part.output = printed;
        }
        emit.result(part, extra, failed, agent, false);
        let receivers = item.receivers.iter().flatten().map(AsRef::as_ref);
        for thread in receivers.chain(item.agent_thread_id).filter(|_| starts) {
            self.link(thread, &call_id, emit);
        }
    }

    /// A change of files as far as the model has written it.
    pub(super) fn patch_updated(&mut self, id: &str, changes: Value<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
        let item = Item { changes: Some(changes), ..Item::default() };
        if self.live(place, id).is_none() {
            if !self.note_item(id, place, emit) {
                emit.ignore("late");
                return;
            }
            let (kind, call_id) = (Kind::FileChange, emit.fresh_call_id(id));
            let part = ToolCallPart { arguments: Text::default(), ..tools::call_part(kind, &item, &call_id) };
            let spec = CallSpec { call_id: &call_id, parent: None, agent: place.agent.as_deref() };
            let call = emit.open_call(spec, part);
            self.remember(place, id, Live { kind, call_id, call, ..Live::default() });
        }
        let Some(live) = self.live(place, id) else { return };
        match live.call {
            Some(call) => {
                let part = tools::call_part(Kind::FileChange, &item, &live.call_id);
                emit.put_part(call, 0, ContentPart::ToolCall(part), false);
                emit.ignore("nothing new");
            }
            None => emit.ignore("nothing new"),
        }
    }

    /// More of a plan: its text is an argument, so what is added is the text as JSON has it.
    pub(super) fn plan_delta(&mut self, id: &str, text: &Text<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
        let Some(live) = self.live_mut(place, id) else {
            emit.ignore("late");
            return;
        };
        let Some(call) = live.call else { return };
        let json = Json::of(text);
        let body = json.as_str().strip_prefix('"').and_then(|body| body.strip_suffix('"')).unwrap_or_default();
        let delta = if live.parts.is_empty() { format!("{{\"plan\":\"{body}") } else { body.to_owned() };
        live.parts = vec![(super::state::Part::Text, 0)];
        emit.delta(call, 0, &Text::from(delta), false);
    }

    /// More output of a tool that runs.
    pub(super) fn output_delta(&mut self, id: &str, text: &Text<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
        match self.live(place, id).map(|live| live.call_id.clone()) {
            Some(call) => emit.more_output(&call, text),
            None => emit.ignore("late"),
        }
    }

    /// The end of a call tells what became of a request about it that nobody was seen to answer.
    fn settle(&mut self, call_id: &str, status: Option<&str>, emit: &mut Emit<'_>) {
        // Another session may have a call of the same name.
        let session = emit.selected();
        self.requests.retain(|request| request.session != session || request.call.as_deref() != Some(call_id));
        while let Some(event) = emit.find_request(|_, about| about == Some(call_id)) {
            let ran = status != Some("declined");
            let status = if ran { PermissionStatus::Accept } else { PermissionStatus::Reject };
            emit.resolve(&event, status, None, true);
        }
    }

    /// A call of a rollout file that has no item: it is shown with what came of it.
    pub(super) fn whole_call(
        &mut self,
        part: ToolCallPart<'_>,
        result: ToolResultPart<'_>,
        extra: Vec<ContentPart<'_>>,
        failed: bool,
        place: &Place<'_>,
        emit: &mut Emit<'_>,
    ) {
        let call_id = part.call_id.clone().into_owned();
        let agent = place.agent.as_deref();
        emit.call(CallSpec { call_id: &call_id, parent: None, agent }, part, false);
        emit.result(result, extra, failed, agent, false);
    }
}

/// What a person reads of a call that may ask for permission.
fn title_of(kind: Kind, part: &ToolCallPart<'_>) -> String {
    let title = part.title.as_ref().filter(|_| matches!(kind, Kind::FileChange | Kind::Mcp));
    title.map(|title| title.to_str_lossy().into_owned()).unwrap_or_default()
}
