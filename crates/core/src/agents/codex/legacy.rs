//! Rollout files without items: the conversation is put together from what the model saw and what happened. In files
//! with items only what those leave out is taken from here: questions, plans, refusals.

use std::borrow::Cow;

use interlinear_schema::{
    ContentPart, IntoOwned as _, PermissionStatus, StatusLabel, Text, ToolResultPart, TurnStatus,
};

use super::items::{Kind, Place, activity};
use super::messages::joined_text;
use super::notes;
use super::patch;
use super::requests;
use super::state::{Live, Said, SeenCall, State, Terminal};
use super::told::{Told, agent_of, is_abort, model_call, output_text, patch_text, told};
use super::tools;
use super::turns::Ended;
use super::wire::{Happened, Item, Seen};
use crate::emit::{CallSpec, Emit};
use crate::json::{Tape, Value};

impl State {
    fn is_paginated(&self, place: &Place<'_>) -> bool {
        self.threads.get(place.thread).is_some_and(|thread| thread.rollout.paginated)
    }

    /// What the assistant said, when the same does not come again with its identifier.
    pub(super) fn say(&mut self, place: &Place<'_>, emit: &mut Emit<'_>) {
        let said = self.threads.get_mut(place.thread).and_then(|thread| thread.rollout.said.take());
        if let Some(Said { text, cause }) = said {
            let item = Item { text: Some(Text::from(text)), ..Item::default() };
            emit.caused_by(cause, |emit| self.message_completed(&item, place, emit));
        }
    }

    /// Something that happened, in files without items.
    pub(super) fn legacy_event(
        &mut self,
        kind: &str,
        event: &Happened<'_>,
        payload: Value<'_>,
        place: &Place<'_>,
        emit: &mut Emit<'_>,
    ) {
        let paginated = self.is_paginated(place);
        match kind {
            _ if paginated && !matches!(kind, "context_compacted") => match kind {
                "user_message"
                | "agent_message"
                | "mcp_tool_call_end"
                | "patch_apply_end"
                | "web_search_end"
                | "image_generation_end"
                | "exec_command_end"
                | "view_image_tool_call"
                | "sub_agent_activity" => emit.ignore("said by the items"),
                _ => self.other_event(kind, payload, place, emit),
            },
            "user_message" => match payload.get("kind").and_then(Value::str) {
                Some("environment_context" | "user_instructions") => emit.ignore("context for the model"),
                _ => self.legacy_prompt(event, place, emit),
            },
            "agent_message" => {
                self.say(place, emit);
                self.legacy_turn(place, emit);
                if let Some(thread) = self.threads.get_mut(place.thread) {
                    let said =
                        |text: &Text<'_>| Said { text: text.to_str_lossy().into_owned(), cause: emit.kept_cause() };
                    thread.rollout.said = event.message.as_ref().map(said);
                }
                emit.ignore("its identifier follows");
            }
            "mcp_tool_call_end" => self.legacy_tool(event, place, emit),
            "patch_apply_end" => {
                let status = if event.success == Some(false) { "failed" } else { "completed" };
                let item = Item {
                    changes: event.changes,
                    status: Some(status),
                    stderr: event.stderr.clone(),
                    stdout: event.stdout.clone(),
                    ..Item::default()
                };
                self.legacy_item(Kind::FileChange, item, event, place, emit);
            }
            "web_search_end" => {
                if let Some(thread) = self.threads.get_mut(place.thread) {
                    event.action.map_or("", Value::raw).clone_into(&mut thread.rollout.searched);
                }
                let item = Item { query: event.query.clone(), action: event.action, ..Item::default() };
                self.legacy_item(Kind::WebSearch, item, event, place, emit);
            }
            "image_generation_end" => {
                let text = |key: &str| payload.get(key).and_then(Value::text);
                let item = Item {
                    revised_prompt: text("revised_prompt"),
                    saved_path: text("saved_path"),
                    result: event.result,
                    status: payload.get("status").and_then(Value::str),
                    ..Item::default()
                };
                self.legacy_item(Kind::ImageGeneration, item, event, place, emit);
            }
            "view_image_tool_call" => {
                let item = Item { path: event.path, ..Item::default() };
                self.legacy_item(Kind::ImageView, item, event, place, emit);
            }
            "exec_command_end" => {
                let text = |key: &str| payload.get(key).and_then(Value::text);
                let item = Item {
                    command: payload.get("command"),
                    cwd: payload.get("cwd").and_then(Value::str),
                    aggregated_output: Some(text("aggregated_output").unwrap_or_else(|| printed(event))),
                    exit_code: payload.get("exit_code").and_then(Value::i64),
                    duration: event.duration,
                    ..Item::default()
                };
                self.legacy_item(Kind::Command, item, event, place, emit);
            }
            "sub_agent_activity" | "collab_agent_spawn_end" => self.legacy_agent(kind, event, payload, place, emit),
            _ => self.other_event(kind, payload, place, emit),
        }
    }

    /// A subagent was started, or says how it is. What the model is told of it need not name its thread: this does.
    fn legacy_agent(
        &mut self,
        kind: &str,
        event: &Happened<'_>,
        payload: Value<'_>,
        place: &Place<'_>,
        emit: &mut Emit<'_>,
    ) {
        let text = |key: &str| payload.get(key).and_then(Value::str);
        if kind == "sub_agent_activity" {
            let (how, agent_path) = (text("kind"), text("agent_path"));
            let item = Item { kind: how, agent_path, agent_thread_id: text("agent_thread_id"), ..Item::default() };
            return match how {
                Some("started") => self.legacy_item(Kind::Activity, item, event, place, emit),
                _ => activity(&item, place.agent.as_deref(), emit),
            };
        }
        match text("new_thread_id") {
            Some(thread) => {
                let prompt = payload.get("prompt").and_then(Value::text);
                let tool = Some("spawnAgent");
                let item = Item { tool, prompt, receivers: Some(vec![thread]), ..Item::default() };
                self.legacy_item(Kind::Collab, item, event, place, emit);
            }
            // What the model is told says why there is none.
            None => emit.ignore("bookkeeping"),
        }
    }

    fn other_event(&mut self, kind: &str, payload: Value<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
        let agent = place.agent.as_deref();
        match kind {
            "context_compacted" => self.compacted(kind, place, emit),
            "entered_review_mode" => {
                let hint = payload.get("user_facing_hint").and_then(Value::text).unwrap_or_default();
                emit.status(StatusLabel::Mode, Some(Text::from(format!("review: {hint}"))), agent);
            }
            "exited_review_mode" => notes::review_ends(payload, agent, emit),
            "agent_reasoning"
            | "agent_reasoning_delta"
            | "agent_reasoning_raw_content"
            | "agent_reasoning_section_break" => emit.ignore("said by what the model wrote"),
            "thread_goal_updated"
            | "turn_diff"
            | "mcp_startup_update"
            | "mcp_startup_complete"
            | "hook_started"
            | "hook_completed"
            | "exec_command_begin"
            | "mcp_tool_call_begin"
            | "patch_apply_begin"
            | "web_search_begin"
            | "image_generation_begin"
            | "item_started"
            | "undo_completed"
            | "shutdown_complete"
            | "background_event"
            | "session_configured"
            | "collab_agent_spawn_begin"
            | "collab_agent_spawn_end"
            | "collab_agent_interaction_begin"
            | "collab_agent_interaction_end"
            | "collab_waiting_begin"
            | "collab_waiting_end"
            | "collab_close_begin"
            | "collab_close_end"
            | "collab_resume_begin"
            | "collab_resume_end"
            | "guardian_assessment"
            | "dynamic_tool_call_request"
            | "dynamic_tool_call_response" => emit.ignore("bookkeeping"),
            _ => emit.unknown(payload.json(), agent),
        }
    }

    /// A turn that nobody says begins with what happens in it.
    pub(super) fn legacy_turn(&mut self, place: &Place<'_>, emit: &mut Emit<'_>) {
        let open = self.threads.get(place.thread).is_none_or(|thread| thread.turn.is_some());
        if !open && place.agent.is_none() {
            emit.begin_turn(None, true);
            if let Some(thread) = self.threads.get_mut(place.thread) {
                thread.turn = Some(String::new());
            }
        }
    }

    fn legacy_prompt(&mut self, event: &Happened<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
        self.say(place, emit);
        let tells = self.threads.get(place.thread).is_some_and(|thread| thread.rollout.tells_turns);
        if !tells && place.agent.is_none() {
            self.show_unfinished(place, emit);
            if emit.session().turn_id().is_some() {
                let ended = Ended { synthetic: true, ..Ended::with(TurnStatus::Completed) };
                self.turn_completed(ended, place, emit);
            }
            self.legacy_turn(place, emit);
        }
        let mut parts = Vec::new();
        if let Some(text) = event.message.clone().filter(|text| !text.is_empty()) {
            parts.push(ContentPart::text(text));
        }
        let local = event.local_images.into_iter().flat_map(Value::elements).filter_map(Value::text);
        let sent = event.images.into_iter().flat_map(Value::elements).filter_map(Value::text);
        parts.extend(local.chain(sent).map(super::messages::image_part));
        let spec = crate::emit::Spec {
            kind: interlinear_schema::ItemKind::Message,
            role: Some(interlinear_schema::ItemRole::User),
            agent: place.agent.as_deref(),
            ..crate::emit::Spec::default()
        };
        emit.item(&spec, interlinear_schema::ItemStatus::Completed, parts, false);
    }

    fn legacy_tool(&mut self, event: &Happened<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
        let text = |key: &str| event.invocation.and_then(|call| call.get(key)).and_then(Value::str);
        let failed = event.result.is_some_and(|result| {
            let is_error = result.get("Ok").and_then(|result| result.get("is_error").or_else(|| result.get("isError")));
            is_error.and_then(Value::bool) == Some(true)
        });
        let item = Item {
            server: text("server"),
            tool: text("tool"),
            arguments: event.invocation.and_then(|call| call.get("arguments")),
            result: event.result,
            status: failed.then_some("failed"),
            ..Item::default()
        };
        self.legacy_item(Kind::Mcp, item, event, place, emit);
    }

    /// An event that tells what an item would.
    fn legacy_item<'a>(
        &mut self,
        kind: Kind,
        mut item: Item<'a>,
        event: &Happened<'a>,
        place: &Place<'_>,
        emit: &mut Emit<'_>,
    ) {
        self.say(place, emit);
        self.legacy_turn(place, emit);
        item.id.clone_from(&event.call_id);
        item.duration = event.duration;
        let id = event.call_id.unwrap_or_default();
        if let Some(thread) = self.threads.get_mut(place.thread) {
            thread.rollout.calls.retain(|call| call.call_id != id);
        }
        self.call_completed(kind, &item, place, emit);
    }

    /// Something that the model saw.
    pub(super) fn seen(
        &mut self,
        kind: &str,
        seen: &Seen<'_>,
        payload: Value<'_>,
        place: &Place<'_>,
        emit: &mut Emit<'_>,
    ) {
        let paginated = self.is_paginated(place);
        match kind {
            "function_call" | "custom_tool_call" | "local_shell_call" => self.model_calls(seen, place, emit),
            "function_call_output" | "custom_tool_call_output" => self.model_is_told(seen, place, emit),
            "message" | "reasoning" | "web_search_call" if paginated => emit.ignore("said by the items"),
            "message" => self.legacy_message(seen, place, emit),
            "reasoning" => {
                self.say(place, emit);
                self.legacy_turn(place, emit);
                let item = Item {
                    id: seen.id,
                    summary: seen.summary,
                    content: seen.content.filter(|content| content.is_array()),
                    ..Item::default()
                };
                self.reasoning_completed(&item, place, emit);
            }
            "web_search_call" => {
                let id = seen.id.or(seen.call_id);
                let last =
                    self.threads.get_mut(place.thread).map(|thread| std::mem::take(&mut thread.rollout.searched));
                let same = id.is_none() && seen.action.is_some() && seen.action.map(Value::raw) == last.as_deref();
                if same || id.is_some_and(|id| !self.note_item(id, place, emit)) {
                    return emit.ignore("said before");
                }
                self.say(place, emit);
                self.legacy_turn(place, emit);
                let query = seen.action.and_then(|action| action.get("query")).and_then(Value::text);
                let item = Item { id, query, action: seen.action, ..Item::default() };
                self.call_completed(Kind::WebSearch, &item, place, emit);
            }
            "tool_search_call"
            | "tool_search_output"
            | "image_generation_call"
            | "agent_message"
            | "additional_tools"
            | "ghost_snapshot"
            | "compaction"
            | "compaction_summary"
            | "context_compaction"
            | "other" => {
                emit.ignore("context for the model");
            }
            _ => emit.unknown(payload.json(), place.agent.as_deref()),
        }
    }

    /// A message that the model saw. What stands in it was told before; here it has its identifier.
    fn legacy_message(&mut self, seen: &Seen<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
        if self.threads.get(place.thread).is_some_and(|thread| thread.rollout.bare) {
            return self.bare_message(seen, place, emit);
        }
        let said = self.threads.get_mut(place.thread).and_then(|thread| thread.rollout.said.take());
        let text = seen.content.map(|content| joined_text(content, "")).unwrap_or_default();
        match said {
            Some(said) if seen.role == Some("assistant") && text == Text::from(said.text.as_str()) => {
                let item = Item { id: seen.id, text: Some(text), ..Item::default() };
                self.message_completed(&item, place, emit);
            }
            Some(said) => {
                if let Some(thread) = self.threads.get_mut(place.thread) {
                    thread.rollout.said = Some(said);
                }
                self.say(place, emit);
            }
            None => emit.ignore("context for the model"),
        }
    }

    /// A message in a file that holds nothing else. What the agent put in begins with a mark.
    fn bare_message(&mut self, seen: &Seen<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
        let text = seen.content.map(|content| joined_text(content, "")).unwrap_or_default();
        let shown = text.to_str_lossy();
        let put_in = shown.starts_with('<') || shown.starts_with("# AGENTS.md");
        match seen.role {
            Some("assistant") => {
                self.legacy_turn(place, emit);
                let item = Item { id: seen.id, text: Some(text), ..Item::default() };
                self.message_completed(&item, place, emit);
            }
            Some("user") if !put_in => {
                let event = Happened { message: Some(text.borrow()), ..Happened::default() };
                self.legacy_prompt(&event, place, emit);
            }
            _ => emit.ignore("context for the model"),
        }
    }

    /// The model calls a tool.
    fn model_calls(&mut self, seen: &Seen<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
        let arguments = match (&seen.arguments, &seen.input, seen.action) {
            (Some(arguments), ..) => Cow::Borrowed(arguments.str().unwrap_or_else(|| arguments.raw())),
            (_, Some(input), _) => Cow::Owned(input.to_str_lossy().into_owned()),
            (_, _, Some(action)) => Cow::Borrowed(action.raw()),
            _ => Cow::Borrowed("{}"),
        };
        let name = seen.name.unwrap_or("local_shell");
        let call_id = seen.call_id.or(seen.id).unwrap_or_default();
        if !self.is_paginated(place) {
            self.say(place, emit);
            self.legacy_turn(place, emit);
        }
        let mut tape = Tape::default();
        let parsed = tape.read(&arguments).ok();
        let mut question = String::new();
        match name {
            "update_plan" => {
                let plan = parsed.and_then(|parsed| parsed.get("plan"));
                let steps = plan.into_iter().flat_map(Value::elements).map(notes::todo).collect();
                let why = parsed.and_then(|parsed| parsed.get("explanation")).and_then(Value::text);
                self.todos(steps, why, place, emit);
            }
            "request_user_input" => {
                let list = parsed.and_then(|parsed| parsed.get("questions"));
                question = emit.fresh_request_id(&format!("que_{call_id}"));
                emit.ask_question(requests::question_data(&question, list, place));
            }
            _ => emit.ignore("its end follows"),
        }
        let namespace = seen.namespace.filter(|namespace| namespace.starts_with("mcp__"));
        let name = namespace.map_or_else(|| name.to_owned(), |namespace| format!("{namespace}__{name}"));
        // A patch that is written as a command is not run as one.
        let (name, arguments) = match parsed.and_then(|parsed| patch::in_command(&name, parsed)) {
            Some(patch) => ("apply_patch".to_owned(), patch),
            None => (name, arguments.into_owned()),
        };
        let Some(thread) = self.threads.get_mut(place.thread) else { return };
        let cause = emit.kept_cause();
        let call = SeenCall { call_id: call_id.to_owned(), name, arguments, aborted: None, question, cause };
        thread.rollout.calls.push(call);
    }

    /// The model is told what came of a call.
    fn model_is_told(&mut self, seen: &Seen<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
        let id = seen.call_id.unwrap_or_default();
        let Some(thread) = self.threads.get_mut(place.thread) else { return };
        let paginated = thread.rollout.paginated;
        let Some(at) = thread.rollout.calls.iter().position(|call| call.call_id == id) else {
            return emit.ignore("said before");
        };
        let text = seen.output.map(output_text).unwrap_or_default();
        if is_abort(&text) {
            // What it has printed may still come.
            thread.rollout.calls[at].aborted = Some(text);
            return emit.ignore("its end follows");
        }
        let call = thread.rollout.calls.remove(at);
        if call.name == "request_user_input" {
            return answer(&call, &text, emit);
        }
        if call.name == "update_plan" {
            return emit.ignore("said before");
        }
        let mut told = told(&text, seen.output, &call.name);
        if paginated {
            // What could not be called has no item.
            if told.failed && told.exit_code.is_none() {
                if text.contains("rejected by user") {
                    told.output.clear();
                }
                return self.show_call(&call, told, Vec::new(), place, emit);
            }
            // A command that runs on has its item when it is over.
            if told.terminal.is_some() {
                return self.runs_on(&call, told.output, place, emit);
            }
            return emit.ignore("said by the items");
        }
        self.legacy_result(&call, told, seen.output, place, emit);
    }

    /// What came of a call, in files without items. A command that runs on is over when its terminal says so.
    fn legacy_result(
        &mut self,
        call: &SeenCall,
        told: Told,
        output: Option<Value<'_>>,
        place: &Place<'_>,
        emit: &mut Emit<'_>,
    ) {
        if call.name == "write_stdin" {
            return self.terminal_says(call, told, place, emit);
        }
        if let Some(number) = told.terminal {
            let Some(thread) = self.threads.get_mut(place.thread) else { return };
            let terminal = Terminal { call_id: call.call_id.clone(), output: told.output.clone() };
            thread.rollout.terminals.insert(number, terminal);
            return self.runs_on(call, told.output, place, emit);
        }
        let images = output.into_iter().flat_map(Value::elements).filter_map(tools::image_of).collect();
        self.show_call(call, told, images, place, emit);
    }

    /// A command goes on when the model has heard of it: its call is shown, and its result begins.
    fn runs_on(&mut self, call: &SeenCall, output: String, place: &Place<'_>, emit: &mut Emit<'_>) {
        if !self.note_item(&call.call_id, place, emit) {
            return emit.ignore("said before");
        }
        let shown = &SeenCall { call_id: emit.fresh_call_id(&call.call_id), ..call.clone() };
        let cwd = self.threads.get(place.thread).map(|thread| thread.rollout.cwd.as_str()).unwrap_or_default();
        let mut tape = Tape::default();
        let part = model_call(shown, tape.read(&call.arguments).ok(), cwd);
        let spec = CallSpec { call_id: &shown.call_id, parent: None, agent: place.agent.as_deref() };
        emit.call(spec, part, false);
        emit.output_so_far(&shown.call_id, Text::from(output));
        let live = Live { kind: Kind::Command, call_id: shown.call_id.clone(), ..Live::default() };
        self.remember(place, &call.call_id, live);
    }

    /// What a command that runs on has printed since. It is over when its terminal says so.
    fn terminal_says(&mut self, call: &SeenCall, told: Told, place: &Place<'_>, emit: &mut Emit<'_>) {
        let mut tape = Tape::default();
        let number = tape.read(&call.arguments).ok().and_then(|arguments| Some(arguments.get("session_id")?.raw()));
        let number = number.unwrap_or_default().trim_matches('"');
        let Some(thread) = self.threads.get_mut(place.thread) else { return };
        let Some(terminal) = thread.rollout.terminals.get_mut(number) else { return emit.ignore("said before") };
        terminal.output.push_str(&told.output);
        let output = Text::from(terminal.output.clone());
        let Some(live) = thread.items.get(&terminal.call_id) else { return emit.ignore("late") };
        if told.terminal.is_some() {
            return emit.output_so_far(&live.call_id, output);
        }
        let call_id = Cow::Owned(live.call_id.clone());
        if let Some(terminal) = thread.rollout.terminals.remove(number) {
            thread.items.remove(&terminal.call_id);
        }
        let result = ToolResultPart { call_id, output, exit_code: told.exit_code, ..ToolResultPart::default() };
        emit.result(result, Vec::new(), told.failed, place.agent.as_deref(), false);
    }

    /// Shows a call of the model with what came of it.
    fn show_call(
        &mut self,
        call: &SeenCall,
        mut told: Told,
        images: Vec<ContentPart<'_>>,
        place: &Place<'_>,
        emit: &mut Emit<'_>,
    ) {
        if !self.note_item(&call.call_id, place, emit) {
            return emit.ignore("said before");
        }
        let call = &SeenCall { call_id: emit.fresh_call_id(&call.call_id), ..call.clone() };
        let cwd = self.threads.get(place.thread).map(|thread| thread.rollout.cwd.clone()).unwrap_or_default();
        let mut tape = Tape::default();
        let arguments = tape.read(&call.arguments).ok();
        let part = model_call(call, arguments, &cwd);
        let mut extra: Vec<_> = images.into_iter().map(ContentPart::into_owned).collect();
        if part.name == "fileChange" {
            let patch = patch_text(call, arguments);
            extra.extend(patch::parse(&patch, &cwd).into_iter().map(patch::file_ref));
        }
        let starts = part.name == "spawnAgent" && !told.failed;
        if starts {
            emit.in_background(&call.call_id);
        }
        let output = std::mem::take(&mut told.output);
        let child = starts.then(|| agent_of(&output)).flatten();
        let result = ToolResultPart {
            call_id: Cow::Borrowed(&call.call_id),
            output: Text::from(if starts { String::new() } else { output }),
            exit_code: told.exit_code,
            ..ToolResultPart::default()
        };
        self.whole_call(part, result, extra, told.failed, place, emit);
        if let Some(child) = child {
            self.link(&child, &call.call_id, emit);
        }
    }

    /// Calls that were stopped, and of which nothing more came.
    pub(super) fn show_aborted(&mut self, place: &Place<'_>, emit: &mut Emit<'_>) {
        self.show_open(|call| call.aborted.is_some(), place, emit);
    }

    /// Calls that came to no end.
    pub(super) fn show_unfinished(&mut self, place: &Place<'_>, emit: &mut Emit<'_>) {
        self.show_open(|_| true, place, emit);
    }

    fn show_open(&mut self, chosen: impl Fn(&SeenCall) -> bool, place: &Place<'_>, emit: &mut Emit<'_>) {
        let Some(thread) = self.threads.get_mut(place.thread) else { return };
        let all = std::mem::take(&mut thread.rollout.calls);
        let (open, rest): (Vec<_>, Vec<_>) = all.into_iter().partition(chosen);
        thread.rollout.calls = rest;
        for mut call in open {
            // A script of calls is shown by them.
            let hidden = matches!(call.name.as_str(), "update_plan" | "request_user_input" | "write_stdin" | "exec");
            if !hidden {
                let output = call.aborted.take().unwrap_or_default();
                let told = Told { output, failed: true, ..Told::default() };
                emit.caused_by(call.cause.take(), |emit| self.show_call(&call, told, Vec::new(), place, emit));
            }
        }
    }
}

/// What a command has printed, where that is not told in the order in which it came.
fn printed(event: &Happened<'_>) -> Text<'static> {
    let mut out = Vec::new();
    for text in [&event.stdout, &event.stderr].into_iter().flatten() {
        text.append_to(&mut out);
    }
    Text::from_wtf8(out)
}

/// The answer to questions.
fn answer(call: &SeenCall, text: &str, emit: &mut Emit<'_>) {
    let (mut questions, mut told) = (Tape::default(), Tape::default());
    let list = questions.read(&call.arguments).ok().and_then(|arguments| arguments.get("questions"));
    let ids = requests::question_ids(list);
    let given = told.read(text).ok().and_then(|told| told.get("answers"));
    let (status, answers) = requests::answers(&ids, given);
    let synthetic = status == PermissionStatus::Reject;
    emit.resolve(&call.question, status, answers, synthetic);
}
