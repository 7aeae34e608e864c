//! `opencode run --format json`: one object a line, and the prompt on the command line or on standard input.

use interlinear_schema::{ContentPart, ItemKind, ItemRole, ItemStatus, Text, TextPart};

use super::map::read;
use super::state::{Run, State};
use super::wire::{Part, Printed};
use crate::emit::{Emit, Spec};
use crate::json::Value;

/// Options of `opencode run` that take a value.
const WITH_VALUE: &[&str] = &[
    "--format",
    "-m",
    "--model",
    "--variant",
    "--agent",
    "-s",
    "--session",
    "-f",
    "--file",
    "--command",
    "--title",
    "--attach",
    "--port",
    "--dir",
    "--log-level",
    "-p",
    "--password",
    "-u",
    "--username",
    "--hostname",
    "--prompt",
];

/// An argument as the program gives it to the model: in quotes if there are blanks in it.
fn as_said(word: &str) -> String {
    if word.contains(' ') { format!("\"{}\"", word.replace('"', "\\\"")) } else { word.to_owned() }
}

impl State {
    /// The command line with which the program was started.
    pub(super) fn command_line(&mut self, line: Value<'_>, emit: &mut Emit<'_>) {
        emit.kind("arguments");
        emit.select_any();
        let words: Vec<_> = line.elements().filter_map(Value::str).collect();
        if words.get(1).map(AsRef::as_ref) != Some("run") {
            emit.ignore("arguments");
            return;
        }
        self.run = Some(Run::default());
        let mut said: Vec<String> = Vec::new();
        let mut command = None;
        let mut words = words.iter().skip(2);
        while let Some(word) = words.next() {
            if word == "--command" {
                command = words.next();
            } else if WITH_VALUE.contains(&word.as_ref()) {
                words.next();
            } else if !word.starts_with('-') {
                said.push(as_said(word));
            }
        }
        let mut text = said.join(" ");
        if let Some(command) = command {
            text = format!("/{command} {text}").trim_end().to_owned();
        }
        self.say(&text, emit);
        emit.ignore("arguments");
    }

    /// What comes through standard input is part of the prompt.
    pub(super) fn standard_input(&mut self, text: &str, emit: &mut Emit<'_>) -> bool {
        let Some(run) = &mut self.run else { return false };
        run.input.push_str(text);
        run.input.push('\n');
        emit.ignore("waits for the end of the input");
        true
    }

    /// The program speaks: its input is over.
    pub(super) fn finish_input(&mut self, emit: &mut Emit<'_>) {
        let input = self.run.as_mut().map(|run| std::mem::take(&mut run.input)).unwrap_or_default();
        self.say(input.trim_end(), emit);
    }

    fn say(&mut self, text: &str, emit: &mut Emit<'_>) {
        if text.is_empty() {
            return;
        }
        emit.begin_turn(None, true);
        let spec = Spec { kind: ItemKind::Message, role: Some(ItemRole::User), ..Spec::default() };
        let part = ContentPart::Text(TextPart { text: Text::from(text), ..TextPart::default() });
        emit.item(&spec, ItemStatus::Completed, vec![part], true);
    }

    /// A line that the program printed.
    pub(super) fn printed(&mut self, line: Value<'_>, emit: &mut Emit<'_>) {
        let Some(printed) = read::<Printed<'_>>(line, emit) else { return };
        let kind = printed.r#type.clone().unwrap_or_default();
        emit.kind(&kind);
        let Some(session) = printed.session.as_deref().filter(|id| !id.is_empty()) else {
            emit.unknown(line.json(), None);
            return;
        };
        self.run.get_or_insert_with(Run::default);
        self.enter(session, emit);
        self.finish_input(emit);
        match (kind.as_ref(), printed.part) {
            ("error", _) => match &printed.error {
                Some(failure) => {
                    let value = line.get("error").unwrap_or(line);
                    self.failure(session, failure, value, emit);
                }
                None => emit.unknown(line.json(), None),
            },
            ("step_start" | "text" | "reasoning" | "tool_use" | "step_finish", Some(value)) => {
                let Some(part) = read::<Part<'_>>(value, emit) else { return };
                let message = part.message.as_deref().unwrap_or_default();
                self.adopt(session, message, emit);
                self.part_updated(session, value, None, emit);
                if kind == "step_finish" {
                    self.add_usage(session, part.tokens.as_ref(), part.cost);
                    self.native(session).turn.stop_reason = part.reason.clone().map(std::borrow::Cow::into_owned);
                    self.complete_message(message, false, emit);
                }
            }
            _ => emit.unknown(line.json(), None),
        }
    }
}
