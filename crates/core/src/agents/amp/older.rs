//! The stream of older versions: `message`, `tool_call`, `tool_result`, `error`, `done`.

use std::borrow::Cow;

use interlinear_schema::{ContentPart, ErrorData, ItemKind, ItemRole, ItemStatus, Text, TurnStatus};

use super::messages::part;
use super::output::Shown;
use super::state::State;
use super::wire::{Block, Older};
use crate::agents::read;
use crate::emit::{Emit, Spec};
use crate::json::Value;

impl State {
    pub(super) fn older(&mut self, kind: &str, line: Value<'_>, emit: &mut Emit<'_>) {
        let Some(older) = read::<Older<'_>>(line, emit) else { return };
        match kind {
            "message" => self.older_message(&older, emit),
            "tool_call" => self.older_call(&older, emit),
            "tool_result" => self.older_result(&older, emit),
            "error" => self.older_error(&older, emit),
            _ => {
                self.prompt_settled(emit);
                emit.ignore("the turn is over");
                let status = if self.turn.failed { TurnStatus::Failed } else { TurnStatus::Completed };
                self.end_turn(status, emit);
            }
        }
    }

    /// A message. It may hold calls and results, as those of newer versions do.
    fn older_message(&mut self, older: &Older<'_>, emit: &mut Emit<'_>) {
        let content = older.content.or(older.text);
        if older.role != Some("user") {
            // The model was asked again: what has no result by now gets none.
            emit.close_calls(None);
            self.prompt_answered(emit);
            return self.answer(content, ItemStatus::Completed, older.id, None, emit);
        }
        let mut parts: Vec<_> = content.and_then(Value::text).map(ContentPart::text).into_iter().collect();
        let mut results = false;
        for value in content.into_iter().flat_map(Value::elements) {
            let Some(block) = read::<Block<'_>>(value, emit) else { continue };
            if let Some(id) = block.tool_use_id {
                self.tool_result(id, &block, None, emit);
                results = true;
            } else {
                parts.push(part(&block, value, emit));
            }
        }
        if !(results && parts.is_empty()) {
            parts = self.prompt_shown(parts, emit);
        }
        if parts.is_empty() {
            return emit.ignore("nothing in it");
        }
        emit.begin_turn(None, true);
        let (id, role) = (older.id.unwrap_or_default(), Some(ItemRole::User));
        let spec = Spec { id, kind: ItemKind::Message, role, native: older.id, ..Spec::default() };
        emit.item(&spec, ItemStatus::Completed, parts, false);
    }

    /// A call; it stands in the line itself, or in an object of it.
    fn older_call(&mut self, older: &Older<'_>, emit: &mut Emit<'_>) {
        let field = |key: &str| older.call.and_then(|call| call.get(key));
        let string = |key: &str| field(key).and_then(Value::str);
        let id = string("id").or(older.call_id).or(older.id);
        let name = string("name").or(older.name).unwrap_or("unknown");
        let arguments = field("arguments").or_else(|| field("input")).or(older.arguments);
        let id = id.map_or_else(
            || {
                self.numbered += 1;
                format!("call_{}", self.numbered)
            },
            str::to_owned,
        );
        self.prompt_answered(emit);
        self.call(&id, name, arguments, None, None, emit);
        self.last_call = Some(id);
    }

    /// A result; where it does not name its call, it is that of the last one.
    fn older_result(&mut self, older: &Older<'_>, emit: &mut Emit<'_>) {
        let named = older.call_id.or(older.id);
        let id = named.map(str::to_owned).filter(|id| emit.has_begun(id)).or_else(|| self.last_call.clone());
        let id = id.or_else(|| named.map(str::to_owned)).unwrap_or_default();
        let output = older.output.or(older.content).or(older.error);
        let shown = match output.map(|output| (output, output.text())) {
            Some((_, Some(text))) => Shown::of_text(&text),
            Some((output, None)) => Shown::of(output),
            None => Shown::default(),
        };
        let failed = older.is_error == Some(true) || older.error.is_some_and(|error| error.bool() != Some(false));
        self.give_result(&id, shown, failed, None, emit);
    }

    fn older_error(&mut self, older: &Older<'_>, emit: &mut Emit<'_>) {
        let said = older.message.or(older.error).or(older.content).or(older.text);
        let said = said.map(|said| said.get("message").unwrap_or(said));
        let message = said.map(|said| said.text().unwrap_or_else(|| Text::from(said.raw()))).unwrap_or_default();
        self.prompt_settled(emit);
        self.turn.failed = true;
        self.last_error = Some(message.to_str_lossy().into_owned());
        emit.error(ErrorData { message, code: Some(Cow::Borrowed("error")), ..ErrorData::default() });
    }
}
