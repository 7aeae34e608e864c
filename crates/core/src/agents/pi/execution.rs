//! Tools that run: their output so far, their results, the messages of their subagents; and commands that the host
//! runs itself.

use std::borrow::Cow;

use interlinear_schema::{PermissionStatus, Text, ToolCallPart, ToolKind, ToolResultPart};

use super::content;
use super::messages::Place;
use super::state::{CallInfo, State};
use super::tools;
use super::wire::{Execution, Message, Nested, NestedCall, Small, ToolResult};
use crate::agents::read;
use crate::emit::{CallSpec, Emit};
use crate::json::Value;
use crate::wire::named;

/// What a tool gave, which two kinds of lines tell.
struct Finished<'a> {
    tool: Option<&'a str>,
    content: Option<Value<'a>>,
    details: Option<Value<'a>>,
    is_error: Option<bool>,
    duration_ms: Option<u64>,
}

impl State {
    pub(super) fn tool_start(&mut self, line: &Execution<'_>, emit: &mut Emit<'_>) {
        let Some(native) = named(line.call_id) else {
            emit.ignore("no call");
            return;
        };
        let caller = self.caller(line, emit);
        let agent = caller.as_deref();
        // A call of the model was shown by its message; one of a tool is shown here for the first time.
        let known = if agent.is_none() { self.call_of(native, None, emit) } else { self.new_call(native, agent, emit) };
        let id = &known;
        let name = line.tool.unwrap_or("unknown");
        if !emit.has_begun(id) {
            let call = CallSpec { call_id: id, parent: None, agent };
            emit.call(call, tools::call_part(id, name, line.args), agent.is_none());
        }
        self.remember(id, native, agent, name, line.args);
        self.just_started = Some(id.to_owned());
        if emit.open_result(id).is_none() {
            emit.ignore("late");
        }
    }

    pub(super) fn tool_update(&mut self, line: &Execution<'_>, emit: &mut Emit<'_>) {
        let (Some(id), Some(partial)) = (named(line.call_id), &line.partial) else {
            emit.ignore("no output");
            return;
        };
        let id = &self.call_of(id, self.caller(line, emit).as_deref(), emit);
        if !emit.has_begun(id) {
            self.tool_start(line, emit);
        }
        self.subagent_messages(id, partial.details, emit);
        emit.output_so_far(id, content::plain_text(partial.content));
        emit.ignore("nothing new");
    }

    pub(super) fn tool_end(&mut self, line: &Execution<'_>, emit: &mut Emit<'_>) {
        let Some(id) = named(line.call_id) else {
            emit.ignore("no call");
            return;
        };
        let nothing = ToolResult::default();
        let result = line.result.as_ref().unwrap_or(&nothing);
        let finished = Finished {
            tool: line.tool,
            content: result.content,
            details: result.details,
            is_error: line.is_error,
            duration_ms: line.duration,
        };
        self.result(id, &finished, self.caller(line, emit).as_deref(), emit);
    }

    /// The call whose tool makes this one: what it runs hangs below it, as what a subagent does.
    fn caller(&self, line: &Execution<'_>, emit: &Emit<'_>) -> Option<String> {
        named(line.parent).map(|native| self.call_of(native, None, emit))
    }

    /// A message with a result: the only form in which session files and subagents have it.
    pub(super) fn result_message(&mut self, message: &Message<'_>, place: Place<'_>, emit: &mut Emit<'_>) {
        let Some(id) = named(message.call_id) else {
            emit.ignore("no call");
            return;
        };
        // Those of the main agent were shown while they ran.
        if let Some(Nested { calls: Some(calls), .. }) = &message.nested
            && (self.stored || place.agent.is_some())
        {
            self.nested(id, calls, place.agent, emit);
        }
        let finished = Finished {
            tool: message.tool,
            content: message.content,
            details: message.details,
            is_error: message.is_error,
            duration_ms: message.duration,
        };
        self.result(id, &finished, place.agent, emit);
    }

    /// The calls that a tool has made, where no line shows them. Of what they gave, only errors are kept.
    fn nested(&mut self, caller: &str, calls: &[NestedCall<'_>], agent: Option<&str>, emit: &mut Emit<'_>) {
        let caller = self.call_of(caller, agent, emit);
        let agent = Some(caller.as_str());
        for call in calls {
            let id = &*emit.fresh_call_id(call.id.unwrap_or_default());
            let name = call.name.unwrap_or("unknown");
            let part = tools::call_part(id, name, call.arguments);
            emit.call(CallSpec { call_id: id, parent: None, agent }, part, false);
            let failed = call.status != Some("ok");
            let output = call.error.as_ref().map_or_else(Text::default, Text::borrow);
            let part = ToolResultPart {
                call_id: Cow::Borrowed(id),
                exit_code: tools::exit_code(name, &output.to_str_lossy(), Some(failed)),
                output,
                duration_ms: call.duration,
                ..ToolResultPart::default()
            };
            emit.result(part, Vec::new(), failed, agent, false);
        }
    }

    fn result(&mut self, id: &str, finished: &Finished<'_>, agent: Option<&str>, emit: &mut Emit<'_>) {
        let Finished { tool, content: result, details, is_error, duration_ms } = *finished;
        let id = &*self.call_of(id, agent, emit);
        self.subagent_messages(id, details, emit);
        self.dismiss_dialogs(id, emit);
        let known = self.calls.iter().position(|call| call.id == id).map(|index| self.calls.remove(index));
        let unknown = || CallInfo { id: id.to_owned(), name: "unknown".to_owned(), ..CallInfo::default() };
        let mut call = known.unwrap_or_else(unknown);
        if let Some(tool) = tool {
            tool.clone_into(&mut call.name);
        }
        if !emit.has_begun(id) {
            // It began before the stream did.
            let spec = CallSpec { call_id: id, parent: None, agent };
            emit.call(spec, tools::call_part(id, &call.name, None), true);
        }
        let output = content::plain_text(result);
        let exit_code = tools::exit_code(&call.name, &output.to_str_lossy(), is_error);
        let failed = is_error == Some(true) || exit_code.is_some_and(|code| code != 0);
        let mut extra = content::images(result, emit);
        if !failed {
            extra.extend(tools::file_ref(&call, details));
        }
        let part = ToolResultPart {
            call_id: Cow::Borrowed(id),
            output,
            exit_code,
            duration_ms,
            todos: tools::todos(details),
            ..ToolResultPart::default()
        };
        emit.result(part, extra, failed, agent, false);
    }

    /// Dialogs that were asked during a call are over with it: nobody says how.
    fn dismiss_dialogs(&mut self, id: &str, emit: &mut Emit<'_>) {
        while let Some(index) = self.dialogs.iter().position(|dialog| dialog.call_id.as_deref() == Some(id)) {
            let dialog = self.dialogs.remove(index);
            emit.resolve(&dialog.event_id, PermissionStatus::Reject, None, true);
        }
    }

    /// The messages of a subagent stand in the details of the call that runs it, each time all of them.
    fn subagent_messages(&mut self, id: &str, details: Option<Value<'_>>, emit: &mut Emit<'_>) {
        let Some(call) = self.calls.iter().find(|call| call.id == id) else { return };
        if tools::kind(&call.name) != ToolKind::Task || !emit.awaits_result(id) {
            return;
        }
        let mut shown = call.shown.clone();
        let results = details.and_then(|details| details.get("results"));
        for (index, result) in results.into_iter().flat_map(Value::elements).enumerate() {
            if shown.len() <= index {
                shown.push(0);
            }
            let messages = result.get("messages").into_iter().flat_map(Value::elements);
            for message in messages.skip(shown[index]) {
                shown[index] += 1;
                if let Some(message) = read::<Message<'_>>(message, emit) {
                    self.whole_message(&message, Place { entry: None, agent: Some(id) }, emit);
                }
            }
        }
        if let Some(call) = self.calls.iter_mut().find(|call| call.id == id) {
            call.shown = shown;
        }
    }

    /// The host runs a command itself. Returns the call that shows it.
    pub(super) fn host_command(&mut self, command: Option<&Text<'_>>, emit: &mut Emit<'_>) -> String {
        self.host_commands += 1;
        let id = format!("bash_{}", self.host_commands);
        let command = command.map_or_else(Text::default, Text::borrow);
        let arguments = format!("{{\"command\":{}}}", interlinear_schema::Json::of(&command).as_str());
        let part = ToolCallPart {
            name: Cow::Borrowed("bash"),
            arguments: Text::from(arguments),
            call_id: Cow::Borrowed(&id),
            tool_kind: Some(ToolKind::Command),
            title: Some(command),
            ..ToolCallPart::default()
        };
        emit.call(CallSpec { call_id: &id, ..CallSpec::default() }, part, true);
        id
    }

    /// What a command of the host printed.
    pub(super) fn host_output(&mut self, line: &Small<'_>, emit: &mut Emit<'_>) {
        let id = line.id.unwrap_or_default();
        let request = self.requests.iter().find(|request| request.kind == "bash" && request.id == id);
        match (request, &line.delta) {
            (Some(request), Some(delta)) => emit.more_output(&request.subject, delta),
            _ => emit.ignore("output of no command"),
        }
    }

    /// How a command of the host ended.
    pub(super) fn host_result(
        &mut self,
        call: &str,
        output: Text<'_>,
        exit_code: Option<i64>,
        cancelled: bool,
        emit: &mut Emit<'_>,
    ) {
        let failed = cancelled || exit_code.is_some_and(|code| code != 0);
        let part = ToolResultPart { call_id: Cow::Borrowed(call), output, exit_code, ..ToolResultPart::default() };
        emit.result(part, Vec::new(), failed, None, false);
    }

    /// A command of the host, in a session file.
    pub(super) fn host_execution(&mut self, message: &Message<'_>, emit: &mut Emit<'_>) {
        let call = self.host_command(message.command.as_ref(), emit);
        let output = message.output.as_ref().map_or_else(Text::default, Text::borrow);
        self.host_result(&call, output, message.exit_code, message.cancelled == Some(true), emit);
    }
}
