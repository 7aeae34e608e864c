//! What tools give back: mostly JSON, in the stream as text, in threads as it is.

use std::borrow::Cow;

use interlinear_schema::{
    ContentPart, FileAction, FileRefPart, ImagePart, Text, Todo, TodoStatus, ToolKind, ToolResultPart,
};

use super::state::CallInfo;
use super::tools;
use crate::diff;
use crate::json::{Tape, Value};

/// A result as a person would read it.
#[derive(Debug, Default)]
pub(super) struct Shown {
    pub(super) output: Vec<u8>,
    pub(super) exit_code: Option<i64>,
    pub(super) todos: Option<Vec<Todo<'static>>>,
    /// MIME type and base64 of an image.
    pub(super) images: Vec<(String, String)>,
    /// The file that was read.
    pub(super) path: Option<String>,
}

impl Shown {
    /// What a tool gave back as text: JSON for most tools.
    pub(super) fn of_text(text: &Text<'_>) -> Self {
        // How it begins is seen without its escapes, unless it begins with one.
        let may_be_json = text.source().is_none_or(|text| matches!(text, [b'{' | b'[' | b'\\', ..]));
        if may_be_json {
            let lossy = text.to_str_lossy();
            let mut tape = Tape::default();
            if lossy.starts_with(['{', '['])
                && let Ok(value) = tape.read(&lossy)
            {
                return Self::of(value);
            }
        }
        Self { output: text.as_wtf8().into_owned(), ..Self::default() }
    }

    /// What a tool gave back.
    pub(super) fn of(value: Value<'_>) -> Self {
        let mut shown = Self::default();
        shown.add(value);
        shown
    }

    fn add(&mut self, value: Value<'_>) {
        if let Some(text) = value.text() {
            let more = Self::of_text(&text);
            self.todos = more.todos.or(self.todos.take());
            self.output.extend_from_slice(&more.output);
        } else if value.is_array() {
            self.add_list(value);
        } else if value.is_object() {
            self.add_object(value);
        } else if value.kind() != crate::json::Kind::Null {
            self.output.extend_from_slice(value.raw().as_bytes());
        }
    }

    fn add_object(&mut self, value: Value<'_>) {
        // What is to be read stands in one of the last of these, if the rest is known or there is none.
        let [path, code, range, image, output, diff, content, entries, text, message, result, error] = value.pick([
            "absolutePath",
            "exitCode",
            "lineRange",
            "isImage",
            "output",
            "diff",
            "content",
            "directoryEntries",
            "text",
            "message",
            "result",
            "error",
        ]);
        self.path = path.and_then(Value::str).map(str::to_owned).or(self.path.take());
        self.exit_code = code.and_then(Value::i64).or(self.exit_code);
        if image.and_then(Value::bool) == Some(true) {
            let mime = value.get("imageInfo").and_then(|info| info.get("mimeType")).and_then(Value::str);
            let mime = mime.unwrap_or("application/octet-stream").to_owned();
            self.images.extend(content.and_then(Value::str).map(|data| (mime, data.to_owned())));
            return;
        }
        let known = code.or(path).or(range).is_some();
        let found = [output, diff, content, entries, text, message, result, error].into_iter().flatten().next();
        let found = found.filter(|_| known || value.members().count() == 1);
        let found = found.filter(|found| found.text().is_some() || found.is_array());
        match found.map(|found| (found, found.text())) {
            Some((_, Some(text))) => text.append_to(&mut self.output),
            Some((list, None)) => self.add_list(list),
            None => return self.output.extend_from_slice(value.compact().as_bytes()),
        }
        // A command that was stopped may have printed something before.
        if let Some(error) = error.filter(|_| output.is_some()).and_then(Value::text) {
            self.line();
            error.append_to(&mut self.output);
        }
    }

    fn add_list(&mut self, list: Value<'_>) {
        if let Some(todos) = todos(list) {
            for todo in &todos {
                self.line();
                self.output.extend_from_slice(format!("{}: {}", todo.status.as_str(), todo.text).as_bytes());
            }
            self.todos = Some(todos);
            return;
        }
        for element in list.elements() {
            let string = |key: &str| element.get(key).and_then(Value::str);
            if string("type").is_some_and(|kind| kind == "image") {
                let source = element.get("source").unwrap_or(element);
                let field = |key: &str| source.get(key).and_then(Value::str).map(str::to_owned);
                let mime = field("media_type").or_else(|| field("mimeType")).unwrap_or_default();
                self.images.extend(field("data").map(|data| (mime, data)));
                continue;
            }
            self.line();
            let alone = string("type").is_some_and(|kind| kind == "text") || element.members().count() == 1;
            match element.text().or_else(|| element.get("text").filter(|_| alone)?.text()) {
                Some(text) => text.append_to(&mut self.output),
                None => self.output.extend_from_slice(element.compact().as_bytes()),
            }
        }
    }

    fn line(&mut self) {
        if !self.output.is_empty() {
            self.output.push(b'\n');
        }
    }

    /// The parts of the result's item.
    pub(super) fn parts<'a>(
        self,
        id: &'a str,
        call: &CallInfo,
        failed: bool,
    ) -> (ToolResultPart<'a>, Vec<ContentPart<'static>>) {
        let fenced = unfenced(&self.output);
        let mut extra: Vec<_> = self.images.into_iter().map(|(mime, data)| image(&mime, &data)).collect();
        if !failed {
            extra.extend(file_ref(call, self.path, &self.output, fenced.as_deref()));
        }
        let part = ToolResultPart {
            call_id: Cow::Borrowed(id),
            output: fenced.map_or_else(|| Text::from_wtf8(self.output), Text::from),
            exit_code: self.exit_code,
            todos: self.todos,
            ..ToolResultPart::default()
        };
        (part, extra)
    }
}

fn image(mime: &str, data: &str) -> ContentPart<'static> {
    ContentPart::Image(ImagePart {
        path: Text::from(format!("data:{mime};base64,{data}")),
        mime: Some(Cow::Owned(mime.to_owned())),
        ..ImagePart::default()
    })
}

/// The text of a diff that stands between fences.
fn unfenced(text: &[u8]) -> Option<String> {
    let inside = String::from_utf8_lossy(text.strip_prefix(b"```diff\n")?);
    let inside = inside.trim_end().strip_suffix("```")?;
    Some(inside.strip_suffix('\n').unwrap_or(inside).to_owned())
}

/// The file that a tool has read, written or changed, with the change.
fn file_ref(call: &CallInfo, path: Option<String>, output: &[u8], diff: Option<&str>) -> Option<ContentPart<'static>> {
    let action = match tools::kind(&call.name) {
        ToolKind::FileRead => FileAction::Read,
        ToolKind::FileWrite => FileAction::Write,
        ToolKind::FileEdit => FileAction::Patch,
        _ => return None,
    };
    let path = path.or_else(|| call.path.clone())?;
    let created = call.content.as_deref().filter(|_| output.starts_with(b"Successfully created file"));
    let diff = diff.and_then(|diff| diff::from_unified(&path, diff));
    let diff = diff.or_else(|| created.map(|content| diff::of_new_file(&path, content))).map(Text::from);
    let path = Cow::Owned(path);
    Some(ContentPart::FileRef(FileRefPart { path, action, diff, ..FileRefPart::default() }))
}

/// A list of things to do, if it is one.
fn todos(list: Value<'_>) -> Option<Vec<Todo<'static>>> {
    let todo = |value: Value<'_>| {
        let status = value.get("status")?.str()?;
        let text = value.get("content").or_else(|| value.get("title"))?.str()?.to_owned();
        let status = match status {
            "completed" | "done" => TodoStatus::Completed,
            "in-progress" | "in_progress" => TodoStatus::InProgress,
            "cancelled" => TodoStatus::Cancelled,
            _ => TodoStatus::Pending,
        };
        Some(Todo { text: Text::from(text), status, ..Todo::default() })
    };
    let todos: Option<Vec<_>> = list.elements().map(todo).collect();
    todos.filter(|todos| !todos.is_empty())
}
