//! `opencode run --format json`: one object a line, and the prompt on the command line or on standard input.

use std::borrow::Cow;

use interlinear_schema::{ContentPart, ErrorData, FileAction, FileRefPart, ItemKind, ItemRole, ItemStatus, Json, Text};

use super::state::{Run, State};
use super::wire::{Failure, Part, Printed};
use crate::agents::read;
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
        let mut run = Run::default();
        let mut said: Vec<String> = Vec::new();
        let mut command = None;
        let mut words = words.iter().skip(2).map(AsRef::<str>::as_ref).peekable();
        while let Some(word) = words.next() {
            if word == "--" {
                said.extend(words.map(as_said));
                break;
            }
            let (name, value) = match word.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value)),
                _ => (word, None),
            };
            if matches!(name, "-f" | "--file") {
                // Every word that follows is a file.
                run.files.extend(value.map(str::to_owned));
                while let Some(file) = words.next_if(|word| !word.starts_with('-')) {
                    run.files.push(file.to_owned());
                }
                continue;
            }
            if !word.starts_with('-') {
                said.push(as_said(word));
                continue;
            }
            let value = if WITH_VALUE.contains(&name) { value.or_else(|| words.next()) } else { None };
            let value = value.map(str::to_owned);
            match name {
                "--command" => command = value,
                "-m" | "--model" => run.model = value,
                "--variant" => run.variant = value,
                "--dir" => run.cwd = value,
                _ => {}
            }
        }
        run.text = said.join(" ");
        if let Some(command) = command {
            run.text = format!("/{command} {}", run.text).trim_end().to_owned();
        }
        let speaks = !run.text.is_empty();
        self.run = Some(run);
        if speaks {
            self.say(emit);
        }
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

    /// The program speaks, or is gone: its input is over, and so is the prompt.
    pub(super) fn finish_input(&mut self, emit: &mut Emit<'_>) {
        let Some(run) = &mut self.run else { return };
        let input = std::mem::take(&mut run.input);
        let between = if run.text.is_empty() || input.trim_end().is_empty() { "" } else { "\n" };
        run.text.push_str(between);
        run.text.push_str(input.trim_end());
        if !run.text.is_empty() {
            self.say(emit);
        }
        let Some(run) = &mut self.run else { return };
        run.text.clear();
        if let Some(item) = run.item.take() {
            emit.complete(item, ItemStatus::Completed, true);
        }
    }

    /// Shows the prompt, as far as it is known.
    fn say(&mut self, emit: &mut Emit<'_>) {
        let Some(run) = &mut self.run else { return };
        let item = *run.item.get_or_insert_with(|| {
            emit.begin_turn(None, true);
            emit.ends_with_process();
            let spec = Spec { kind: ItemKind::Message, role: Some(ItemRole::User), ..Spec::default() };
            let item = emit.open(&spec, Vec::new(), true);
            emit.add_part(item, ContentPart::text(Text::default()));
            for file in run.files.drain(..) {
                let (path, action) = (Cow::Owned(file), FileAction::Read);
                emit.add_part(item, ContentPart::FileRef(FileRefPart { path, action, ..FileRefPart::default() }));
            }
            item
        });
        emit.finish_part(item, 0, ContentPart::text(Text::from(run.text.as_str())));
    }

    /// What the command line has chosen for the session, once it runs. A role that does not exist is another one then.
    fn tell_chosen(&mut self, session: &str, emit: &mut Emit<'_>) {
        let Some(run) = &mut self.run else { return };
        let (model, variant, cwd) = (run.model.take(), run.variant.take(), run.cwd.take());
        emit.learn(&[
            ("cwd", cwd.as_deref().map(Json::of)),
            ("model", model.as_deref().map(Json::of)),
            ("variant", variant.as_deref().map(Json::of)),
        ]);
        let turn = &mut self.native(session).turn;
        turn.model = model.or(turn.model.take());
    }

    /// A failure that the program printed: an object, or words.
    fn printed_error(&mut self, session: Option<&str>, line: Value<'_>, emit: &mut Emit<'_>) {
        let error = line.get("error");
        let words = error.and_then(Value::text).map(|message| Failure { message: Some(message), ..Failure::default() });
        let object = error.filter(|error| error.is_object());
        let Some(failure) = words.or_else(|| read::<Failure<'_>>(object?, emit)) else {
            emit.unknown(line.json(), None);
            return;
        };
        let only = || self.sessions.iter().find(|(_, native)| native.agent.is_none()).map(|(id, _)| id.clone());
        if let Some(session) = session.map(str::to_owned).or_else(only) {
            self.enter(&session, emit);
            return self.failure(&session, &failure, error.unwrap_or(line), emit);
        }
        let inner = failure.data.and_then(|data| data.get("message")).and_then(Value::text);
        let message = inner.or(failure.message).unwrap_or_default();
        self.last_error = Some(message.to_string());
        emit.error(ErrorData {
            message,
            code: failure.name.map(Cow::Borrowed),
            details: Some(line.json()),
            ..ErrorData::default()
        });
    }

    /// A line that the program printed.
    pub(super) fn printed(&mut self, line: Value<'_>, emit: &mut Emit<'_>) {
        let Some(printed) = read::<Printed<'_>>(line, emit) else { return };
        let kind = printed.r#type.unwrap_or_default();
        emit.kind(kind);
        let Some(session) = printed.session.filter(|id| !id.is_empty()) else {
            emit.select_any();
            self.finish_input(emit);
            return match kind {
                "error" => self.printed_error(None, line, emit),
                _ => emit.unknown(line.json(), None),
            };
        };
        self.run.get_or_insert_with(Run::default);
        self.enter(session, emit);
        self.finish_input(emit);
        match (kind, printed.part) {
            ("error", _) => self.printed_error(Some(session), line, emit),
            ("step_start" | "text" | "reasoning" | "tool_use" | "step_finish", Some(value)) => {
                let Some(part) = read::<Part<'_>>(value, emit) else { return };
                self.tell_chosen(session, emit);
                let message = part.message.unwrap_or_default();
                self.adopt(session, message, emit);
                self.part_updated(session, value, None, emit);
                if kind == "step_finish" {
                    self.add_usage(session, part.tokens.as_ref(), part.cost);
                    self.native(session).turn.stop_reason = part.reason.map(str::to_owned);
                    self.complete_message(message, false, emit);
                }
            }
            _ => emit.unknown(line.json(), None),
        }
    }
}
