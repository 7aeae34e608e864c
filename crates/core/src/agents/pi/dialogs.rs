//! What extensions show and ask: dialogs are questions, the rest are notices.

use std::borrow::Cow;

use interlinear_schema::{
    PermissionStatus, Question, QuestionData, QuestionKind, QuestionOption, StatusLabel, StatusPart, Text,
};

use super::state::{Dialog, DialogKind, State};
use super::tools;
use super::wire::{UiRequest, UiResponse};
use crate::api::DriftKind;
use crate::emit::Emit;

/// The answers to a yes-or-no question, as Pi takes them.
const CONFIRM: [(&str, &str); 2] = [("true", "Yes"), ("false", "No")];

impl State {
    pub(super) fn ui_request(&mut self, request: &UiRequest<'_>, hook: bool, emit: &mut Emit<'_>) {
        match request.method.unwrap_or_default() {
            "select" => self.ask(request, DialogKind::Select, hook, emit),
            "confirm" => self.ask(request, DialogKind::Confirm, hook, emit),
            "input" | "editor" => self.ask(request, DialogKind::Text, hook, emit),
            "notify" => notice(request.message.as_ref(), emit),
            "setStatus" => notice(request.status.as_ref(), emit),
            "setTitle" => notice(request.title.as_ref(), emit),
            "set_editor_text" => notice(request.text.as_ref(), emit),
            "setWidget" => widget(request.widget.as_deref().unwrap_or_default(), emit),
            method => {
                emit.book.drift.note(DriftKind::Value, "extension_ui_request.method", method);
                notice(request.message.as_ref().or(request.title.as_ref()), emit);
            }
        }
    }

    fn ask(&mut self, request: &UiRequest<'_>, kind: DialogKind, hook: bool, emit: &mut Emit<'_>) {
        let id = request.id.unwrap_or_default();
        if self.dialogs.iter().any(|dialog| dialog.id == id) {
            emit.ignore("repeated");
            return;
        }
        let call_id = self.call_of_dialog(emit);
        let event_id = emit.fresh_request_id(&format!("que_{id}"));
        let question = question(request, kind);
        emit.ask_question(QuestionData {
            question_id: Cow::Borrowed(&event_id),
            prompt: question.text.clone(),
            options: question.options.iter().map(|option| option.label.clone()).collect(),
            kind: Some(QuestionKind::Question),
            questions: Some(vec![question]),
            tool_call_id: call_id.as_deref().map(Cow::Borrowed),
            ..QuestionData::default()
        });
        let timeout = request.timeout.filter(|ms| *ms > 0.0 && *ms < 1e12);
        let until = timeout.map(|ms| emit.book.now.saturating_add(ms as i64));
        self.dialogs.push(Dialog { id: id.to_owned(), event_id, kind, hook, call_id, until });
    }

    /// The call during which a dialog comes: the one that has just begun, or the only one there is.
    fn call_of_dialog(&self, emit: &Emit<'_>) -> Option<String> {
        if let Some(call) = &self.just_started {
            return Some(call.clone());
        }
        let mut waiting = self.calls.iter().filter(|call| emit.awaits_result(&call.id));
        let only = waiting.next()?;
        if waiting.next().is_none() { Some(only.id.clone()) } else { None }
    }

    /// The host answers a dialog.
    pub(super) fn ui_response(&mut self, response: &UiResponse<'_>, emit: &mut Emit<'_>) {
        let id = response.id.unwrap_or_default();
        let Some(index) = self.dialogs.iter().position(|dialog| dialog.id == id) else {
            emit.ignore("answer to nothing");
            return;
        };
        let dialog = self.dialogs.remove(index);
        let answer = match (&response.value, response.confirmed) {
            _ if response.cancelled == Some(true) => None,
            (Some(value), _) => Some(value.borrow()),
            (None, Some(confirmed)) => Some(Text::from(if confirmed { CONFIRM[0].0 } else { CONFIRM[1].0 })),
            (None, None) => None,
        };
        let status = if answer.is_some() { PermissionStatus::Accept } else { PermissionStatus::Reject };
        emit.resolve(&dialog.event_id, status, answer.map(|answer| vec![vec![answer]]), true);
        self.listen(emit);
    }
}

/// What a dialog asks.
fn question<'a>(request: &'a UiRequest<'_>, kind: DialogKind) -> Question<'a> {
    let title = request.title.as_ref().map_or_else(Text::default, Text::borrow);
    let text = match &request.message {
        Some(message) if !message.is_empty() => Text::from(format!("{title}\n{message}")),
        _ => title.clone(),
    };
    let label = |label: Text<'a>, description: Option<&'a Text<'_>>| QuestionOption {
        label,
        description: description.map(Text::borrow),
        ..QuestionOption::default()
    };
    let options = match kind {
        DialogKind::Select => request.options.iter().flatten().map(|option| label(option.borrow(), None)).collect(),
        DialogKind::Confirm => CONFIRM
            .iter()
            .map(|(word, says)| QuestionOption {
                label: Text::from(*word),
                description: Some(Text::from(*says)),
                ..QuestionOption::default()
            })
            .collect(),
        // What stands in the field already is offered.
        DialogKind::Text => request.prefill.iter().map(|prefill| label(prefill.borrow(), None)).collect(),
    };
    Question {
        text,
        options,
        header: request.placeholder.as_ref().map(Text::borrow),
        free_text: Some(kind == DialogKind::Text).filter(|free| *free),
        ..Question::default()
    }
}

fn notice(text: Option<&Text<'_>>, emit: &mut Emit<'_>) {
    match text.filter(|text| !text.is_empty()) {
        Some(text) => emit.status(StatusLabel::Notice, Some(text.borrow()), None),
        None => emit.ignore("taken away"),
    }
}

/// Lines that an extension keeps on the screen: often a list of things to do.
fn widget(lines: &[Text<'_>], emit: &mut Emit<'_>) {
    if lines.is_empty() {
        emit.ignore("taken away");
        return;
    }
    let mut text = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if index > 0 {
            text.push(b'\n');
        }
        line.append_to(&mut text);
    }
    let (detail, todos) = (Some(Text::from_wtf8(text)), tools::drawn_todos(lines));
    let part = StatusPart { label: StatusLabel::Notice, detail, todos, ..StatusPart::default() };
    emit.status_with(part, None, None, false);
}
