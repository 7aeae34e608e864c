//! Tool calls and their results: every call has one result, and the result follows its call.

use std::borrow::Cow;

use interlinear_schema::{
    ContentPart, IntoOwned as _, ItemKind, ItemRole, ItemStatus, Text, ToolCallPart, ToolKind, ToolResultPart,
};

use super::{Emit, Ref, Spec};
use crate::state::kept;

/// Where a call belongs.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CallSpec<'a> {
    pub(crate) call_id: &'a str,
    /// The `item_id` of the message that holds it.
    pub(crate) parent: Option<&'a str>,
    pub(crate) agent: Option<&'a str>,
}

kept! {
    /// A call that has no result yet.
    #[derive(Debug, Default)]
    pub(crate) struct Call {
        pub(super) call_id: String,
        parent: Option<String>,
        pub(super) agent: Option<String>,
        /// The call's item, while its arguments stream.
        pub(super) item: Option<Ref>,
        /// The result's item, once the tool has begun.
        pub(super) result: Option<Ref>,
        /// The tool goes on when the turn is over.
        pub(super) goes_on: bool,
    }
}

kept! {
    /// A result whose call has not been seen.
    #[derive(Debug, Default)]
    pub(crate) struct WaitingResult {
        pub(super) call_id: String,
        pub(super) agent: Option<String>,
        parts: Vec<ContentPart<'static>>,
        failed: bool,
        /// What it was read from, if that is asked for.
        cause: Option<String>,
    }
}

impl Emit<'_> {
    /// A call whose arguments are known.
    pub(crate) fn call(&mut self, spec: CallSpec<'_>, part: ToolCallPart<'_>, synthetic: bool) {
        self.ensure_call_of(spec.agent);
        if !self.register(spec) {
            return;
        }
        let item = call_item(&spec);
        self.item(&item, ItemStatus::Completed, vec![ContentPart::ToolCall(part)], synthetic);
        let waiting = self.session().waiting.iter().position(|waiting| waiting.call_id == spec.call_id);
        self.give_waiting(waiting);
    }

    /// A call whose arguments will stream.
    pub(crate) fn open_call(&mut self, spec: CallSpec<'_>, part: ToolCallPart<'_>) -> Option<Ref> {
        self.ensure_call_of(spec.agent);
        if !self.register(spec) {
            return None;
        }
        let item = self.open(&call_item(&spec), vec![ContentPart::ToolCall(part)], false);
        if let Some(call) = self.session_mut().calls.values_mut().find(|call| call.call_id == spec.call_id) {
            call.item = Some(item);
        }
        Some(item)
    }

    /// The arguments of a streamed call are final.
    pub(crate) fn finish_call(&mut self, item: Ref, part: ToolCallPart<'_>) {
        let session = self.session_mut();
        let waiting = session.waiting.iter().position(|waiting| waiting.call_id == part.call_id);
        if let Some(call) = session.calls.values_mut().find(|call| call.call_id == part.call_id) {
            call.item = None;
        }
        self.finish_part(item, 0, ContentPart::ToolCall(part));
        self.complete(item, ItemStatus::Completed, false);
        self.give_waiting(waiting);
    }

    /// Remembers that a result must come. False if the call was seen before.
    fn register(&mut self, spec: CallSpec<'_>) -> bool {
        if self.has_begun(spec.call_id) {
            self.ignore("late");
            return false;
        }
        let session = self.session_mut();
        session.last_call += 1;
        let call = Call {
            call_id: spec.call_id.to_owned(),
            parent: spec.parent.map(str::to_owned),
            agent: spec.agent.map(str::to_owned),
            ..Call::default()
        };
        session.calls.insert(session.last_call, call);
        true
    }

    /// The identifier of a call that begins. Models give theirs out again, in other threads and later: such a one gets a
    /// number.
    pub(crate) fn fresh_call_id(&self, native: &str) -> String {
        let base = if native.is_empty() { "call" } else { native };
        let (mut id, mut count) = (base.to_owned(), 1);
        while self.has_begun(&id) {
            count += 1;
            id = format!("{base}_{count}");
        }
        id
    }

    /// Whether a call waits for its result.
    pub(crate) fn awaits_result(&self, call_id: &str) -> bool {
        self.session().calls.values().any(|call| call.call_id == call_id)
    }

    /// Whether an agent's call waits for its result. One that was made from what is known may be anybody's.
    pub(crate) fn awaits_result_of(&self, call_id: &str, agent: Option<&str>) -> bool {
        let call = self.session().calls.values().find(|call| call.call_id == call_id);
        call.is_some_and(|call| call.parent.is_none() || call.agent.as_deref() == agent)
    }

    /// The calls that wait for their results, in their order.
    pub(crate) fn waiting_calls(&self) -> impl Iterator<Item = &str> {
        self.session().calls.values().map(|call| call.call_id.as_str())
    }

    /// The result of a call, whole. `extra` are the images and files that come with it. If the call has not been
    /// seen, the result waits for it.
    pub(crate) fn result(
        &mut self,
        result: ToolResultPart<'_>,
        extra: Vec<ContentPart<'_>>,
        failed: bool,
        agent: Option<&str>,
        synthetic: bool,
    ) {
        self.ensure_call_of(agent);
        let calls = &self.session().calls;
        let known = calls.values().position(|call| call.call_id == result.call_id).map(|at| calls.key_at(at));
        let Some(call) = known.and_then(|key| self.session_mut().calls.remove(&key)) else {
            let waits = self.session().waiting.iter().any(|waiting| waiting.call_id == result.call_id);
            if waits || self.has_begun(&result.call_id) {
                self.ignore("late");
                return;
            }
            self.ignore("waits for its call");
            let call_id = result.call_id.clone().into_owned();
            let mut parts = vec![ContentPart::ToolResult(result).into_owned()];
            parts.extend(extra.into_iter().map(ContentPart::into_owned));
            let cause = self.kept_cause();
            let waiting = WaitingResult { call_id, agent: agent.map(str::to_owned), parts, failed, cause };
            self.session_mut().waiting.push(waiting);
            return;
        };
        if let Some(item) = call.item {
            // The result is there: the arguments will not be finished any more.
            self.complete(item, ItemStatus::Failed, true);
        }
        self.close_agent(&call.call_id);
        let status = if failed { ItemStatus::Failed } else { ItemStatus::Completed };
        if let Some(item) = call.result.filter(|item| self.is_open(*item)) {
            self.finish_part(item, 0, ContentPart::ToolResult(result));
            for part in extra {
                self.add_part(item, part);
            }
            self.complete(item, status, synthetic);
            return;
        }
        let mut content = Vec::with_capacity(1 + extra.len());
        content.push(ContentPart::ToolResult(result));
        content.extend(extra);
        self.item(&result_item(&call), status, content, synthetic);
    }

    /// The result that waited for its call.
    fn give_waiting(&mut self, index: Option<usize>) {
        let Some(index) = index else { return };
        let waiting = self.session_mut().waiting.remove(index);
        self.give(waiting);
    }

    fn give(&mut self, waiting: WaitingResult) {
        let WaitingResult { mut parts, failed, agent, cause, .. } = waiting;
        if parts.is_empty() {
            return;
        }
        if let ContentPart::ToolResult(result) = parts.remove(0) {
            self.caused_by(cause, |emit| emit.result(result, parts, failed, agent.as_deref(), false));
        }
    }

    /// Closes what a call has open: its arguments, its output, its result.
    pub(super) fn close_call(&mut self, key: u64) {
        let Some(call) = self.session_mut().calls.remove(&key) else { return };
        self.close_agent(&call.call_id);
        if let Some(item) = call.item {
            self.complete(item, ItemStatus::Failed, true);
        }
        if let Some(item) = call.result {
            self.complete(item, ItemStatus::Failed, true);
            return;
        }
        let part = ToolResultPart {
            call_id: Cow::Borrowed(&call.call_id),
            output: Text::default(),
            ..ToolResultPart::default()
        };
        self.item(&result_item(&call), ItemStatus::Failed, vec![ContentPart::ToolResult(part)], true);
    }

    /// A result whose call never came: the call is made from what is known.
    pub(super) fn close_waiting(&mut self, index: usize) {
        let mut waiting = self.session_mut().waiting.remove(index);
        self.caused_by(waiting.cause.take(), |emit| {
            let part = ToolCallPart {
                name: Cow::Borrowed("unknown"),
                call_id: Cow::Borrowed(&waiting.call_id),
                tool_kind: Some(ToolKind::Other_),
                ..ToolCallPart::default()
            };
            let call = CallSpec { call_id: &waiting.call_id, parent: None, agent: waiting.agent.as_deref() };
            emit.call(call, part, true);
            emit.give(waiting);
        });
    }
}

fn call_item<'a>(spec: &CallSpec<'a>) -> Spec<'a> {
    Spec {
        id: spec.call_id,
        kind: ItemKind::ToolCall,
        role: Some(ItemRole::Assistant),
        native: Some(spec.call_id),
        parent: spec.parent,
        agent: spec.agent,
    }
}

pub(super) fn result_item(call: &Call) -> Spec<'_> {
    Spec {
        id: &call.call_id,
        kind: ItemKind::ToolResult,
        role: Some(ItemRole::Tool),
        native: Some(&call.call_id),
        parent: call.parent.as_deref(),
        agent: call.agent.as_deref(),
    }
}
