//! The output of tools that run: their result begins before it is final.

use std::borrow::Cow;

use interlinear_schema::{ContentPart, Text, ToolResultPart};

use super::calls::result_item;
use super::{Emit, Ref};

impl Emit<'_> {
    /// The tool of a call runs: its result begins. Nothing if the call is not known, or has its result.
    pub(crate) fn open_result(&mut self, call_id: &str) -> Option<Ref> {
        let (key, call) = self.session().calls.iter().find(|(_, call)| call.call_id == call_id)?;
        if let Some(item) = call.result {
            return Some(item);
        }
        let key = *key;
        // The call is put back at once: it is only out of the way while its result begins.
        let mut call = self.session_mut().calls.remove(&key)?;
        let part = ToolResultPart { call_id: Cow::Borrowed(call_id), ..ToolResultPart::default() };
        let item = self.open(&result_item(&call), vec![ContentPart::ToolResult(part)], false);
        call.result = Some(item);
        self.session_mut().calls.insert(key, call);
        Some(item)
    }

    /// The tool of a call goes on when the turn is over: its result has begun, and comes later.
    pub(crate) fn let_run(&mut self, call_id: &str) {
        self.open_result(call_id);
        if let Some(call) = self.session_mut().calls.values_mut().find(|call| call.call_id == call_id) {
            call.goes_on = true;
        }
    }

    /// More output of a tool that runs.
    pub(crate) fn more_output(&mut self, call_id: &str, text: &Text<'_>) {
        match self.open_result(call_id) {
            Some(item) => self.delta(item, 0, text, false),
            None => self.ignore("late"),
        }
    }

    /// All that a tool which runs shows of its output now. What is new is a delta; where the beginning has slid away
    /// or was replaced, a delta replaces all.
    pub(crate) fn output_so_far(&mut self, call_id: &str, output: Text<'_>) {
        let Some(item) = self.open_result(call_id) else {
            self.ignore("late");
            return;
        };
        let part = ToolResultPart { call_id: Cow::Borrowed(call_id), output, ..ToolResultPart::default() };
        self.put_part(item, 0, ContentPart::ToolResult(part), false);
    }

    /// Closes the calls of an agent that have no result: the protocol makes it certain that none will come.
    pub(crate) fn close_calls(&mut self, agent: Option<&str>) {
        let calls = &self.session().calls;
        let keys: Vec<_> =
            calls.iter().filter(|(_, call)| call.agent.as_deref() == agent).map(|(key, _)| *key).collect();
        for key in keys {
            self.close_call(key);
        }
    }
}
