//! The first version of the app server's protocol: a conversation in place of a thread, and `codex/event/…` in place
//! of items. For a time both were sent: then the items tell more.

use interlinear_schema::ContentPart;

use super::items::{Kind, Place};
use super::state::State;
use super::wire::{Happened, Item};
use crate::agents::read;
use crate::emit::Emit;
use crate::json::Value;

impl State {
    /// An event of a conversation.
    pub(super) fn older_event(&mut self, params: Option<Value<'_>>, emit: &mut Emit<'_>) {
        let field = |key: &str| params.and_then(|params| params.get(key));
        let [id, event] = params.map_or([None; 2], |params| params.pick(["conversationId", "msg"]));
        let id = id.and_then(Value::str).unwrap_or_default();
        let is_older = self.threads.get(id).is_some_and(|thread| thread.older);
        let (Some(event), true) = (event, is_older) else { return emit.ignore("older dialect") };
        let Some(place) = self.place(id, emit) else { return };
        self.older_says(event, field("id").and_then(Value::str), &place, emit);
    }

    /// A line of `exec --json` before 0.40: such an event too. The end of the turn is that of the process.
    pub(super) fn older_exec(&mut self, line: Value<'_>, emit: &mut Emit<'_>) {
        let [event, id, prompt, model, cwd, mode, effort] =
            line.pick(["msg", "id", "prompt", "model", "workdir", "approval", "reasoning effort"]);
        emit.kind("config");
        self.exec.speaks = true;
        let Some(event) = event else {
            emit.learn(
                &[("model", model), ("cwd", cwd), ("mode", mode), ("variant", effort)]
                    .map(|(name, value)| (name, value.map(Value::json))),
            );
            return match prompt.and_then(Value::text).filter(|_| emit.session().turn_id().is_none()) {
                Some(prompt) => {
                    self.exec.tells_turns = true;
                    self.user_item(vec![ContentPart::text(prompt)], emit);
                }
                None => emit.ignore("nothing new"),
            };
        };
        if let Some(id) = event.get("session_id").and_then(Value::str) {
            id.clone_into(&mut self.current);
        }
        let thread = self.thread_of_exec(emit);
        emit.ends_with_process();
        let place = Place { thread: &thread, agent: None, turn: None };
        self.older_says(event, id.and_then(Value::str), &place, emit);
    }

    fn older_says(&mut self, event: Value<'_>, id: Option<&str>, place: &Place<'_>, emit: &mut Emit<'_>) {
        let kind = event.get("type").and_then(Value::str).unwrap_or_default();
        match kind {
            "agent_reasoning" => {
                let item = Item { text: event.get("text").and_then(Value::text), ..Item::default() };
                self.say(place, emit);
                self.reasoning_completed(&item, place, emit);
            }
            "exec_command_begin" | "patch_apply_begin" | "mcp_tool_call_begin" => {
                self.older_call(kind, event, place, emit);
            }
            "item_started" | "item_completed" | "raw_response_item" => emit.ignore("said by other events"),
            "exec_approval_request" | "apply_patch_approval_request" | "request_user_input" | "elicitation_request" => {
                emit.ignore("said by the request");
            }
            "skills_update_available" => emit.ignore("bookkeeping"),
            kind if kind.ends_with("_delta") => emit.ignore("its end follows"),
            kind => {
                let Some(mut told) = read::<Happened<'_>>(event, emit) else { return };
                if told.turn_id.is_none() && kind.starts_with("task_") {
                    told.turn_id = id;
                }
                self.happened(kind, &told, event, place, emit);
            }
        }
    }

    /// A tool is called. Only here the first versions say with what; later ones say it again when the call is over.
    fn older_call(&mut self, kind: &str, event: Value<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
        let [id, cwd, invocation] = event.pick(["call_id", "cwd", "invocation"]);
        let of_call = |key: &str| invocation.and_then(|call| call.get(key));
        let item = Item {
            id: id.and_then(Value::str),
            command: event.get("command"),
            cwd: cwd.and_then(Value::str),
            changes: event.get("changes"),
            server: of_call("server").and_then(Value::str),
            tool: of_call("tool").and_then(Value::str),
            arguments: of_call("arguments"),
            ..Item::default()
        };
        let kind = match kind {
            "exec_command_begin" => Kind::Command,
            "patch_apply_begin" => Kind::FileChange,
            _ => Kind::Mcp,
        };
        self.say(place, emit);
        self.legacy_turn(place, emit);
        self.call_started(kind, &item, place, emit);
    }
}
