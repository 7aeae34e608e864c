//! OpenCode's tools in words common to all agents.

use std::borrow::Cow;

use interlinear_schema::{
    FileAction, FileRefPart, IntoOwned as _, McpTool, Subagent, Text, Todo, TodoStatus, ToolCallPart, ToolKind,
};

use crate::diff;
use crate::json::Value;
use crate::title;

/// The kind of a tool. Tools of MCP servers bear the server's name before their own, and nothing else marks them.
pub(super) fn kind(name: &str) -> ToolKind<'static> {
    match name {
        "bash" | "shell" => ToolKind::Command,
        "read" => ToolKind::FileRead,
        "write" => ToolKind::FileWrite,
        "edit" | "multiedit" | "patch" | "apply_patch" => ToolKind::FileEdit,
        "glob" | "grep" | "list" | "ls" | "codesearch" | "lsp" | "lsp_hover" | "lsp_diagnostics" => ToolKind::Search,
        "webfetch" => ToolKind::WebFetch,
        "websearch" | "web_search" => ToolKind::WebSearch,
        "todowrite" | "todoread" => ToolKind::Todo,
        "task" => ToolKind::Task,
        "question" => ToolKind::Question,
        "plan_exit" | "plan_enter" => ToolKind::Plan,
        "invalid" | "skill" | "batch" | "StructuredOutput" => ToolKind::Other_,
        _ if mcp(name).is_some() => ToolKind::Mcp,
        _ => ToolKind::Other_,
    }
}

fn mcp(name: &str) -> Option<(&str, &str)> {
    name.split_once('_').filter(|(server, tool)| !server.is_empty() && !tool.is_empty())
}

/// The keys of the arguments that tell a person what a call is about.
fn title_keys(name: &str) -> &'static [&'static str] {
    match name {
        "bash" | "shell" => &["command"],
        "read" | "write" | "edit" | "multiedit" => &["filePath", "path"],
        "glob" | "grep" => &["pattern"],
        "list" | "ls" => &["path"],
        "webfetch" => &["url"],
        "websearch" | "web_search" | "codesearch" => &["query"],
        "task" => &["description"],
        "invalid" => &["tool"],
        "skill" => &["name"],
        _ => &["command", "filePath", "path", "query", "url", "description", "name"],
    }
}

/// The part of a call. Without arguments it is one that is about to be known.
pub(super) fn call_part<'a>(id: &'a str, name: &'a str, input: Option<Value<'a>>) -> ToolCallPart<'a> {
    let field = |key: &str| input.and_then(|input| input.get(key));
    let title = title_keys(name).iter().find_map(|key| field(key)?.text());
    let kind = kind(name);
    let mcp = mcp(name).filter(|_| kind == ToolKind::Mcp).map(|(server, tool)| McpTool {
        tool: Cow::Borrowed(tool),
        server: Some(Cow::Borrowed(server)),
        ..McpTool::default()
    });
    let agent = (kind == ToolKind::Task && input.is_some()).then(|| Subagent {
        r#type: field("subagent_type").or_else(|| field("agent")).and_then(Value::str).map(Cow::Borrowed),
        name: field("description").and_then(Value::str).map(Cow::Borrowed),
        ..Subagent::default()
    });
    ToolCallPart {
        name: Cow::Borrowed(name),
        arguments: Text::from(input.map_or("{}", Value::raw)),
        call_id: Cow::Borrowed(id),
        title: title.filter(|title| !title.is_empty()).or_else(|| title::of(&kind, mcp.as_ref(), input)),
        tool_kind: Some(kind),
        mcp,
        agent,
        ..ToolCallPart::default()
    }
}

/// Whether a subagent goes on although its call has a result.
pub(super) fn goes_on(name: &str, metadata: Option<Value<'_>>, output: &Text<'_>) -> bool {
    if name != "task" {
        return false;
    }
    let background = metadata.and_then(|metadata| metadata.get("background")).and_then(Value::bool) == Some(true);
    let head: String = output.to_str_lossy().chars().take(200).collect();
    background || head.starts_with("<task ") && head.contains("state=\"running\"")
}

/// The list of things to do after a call.
pub(super) fn todos<'a>(name: &str, input: Option<Value<'a>>, metadata: Option<Value<'a>>) -> Option<Vec<Todo<'a>>> {
    if kind(name) != ToolKind::Todo {
        return None;
    }
    let list = |value: Option<Value<'a>>| value.and_then(|value| value.get("todos")).filter(|list| list.is_array());
    Some(todo_list(list(metadata).or_else(|| list(input))?))
}

pub(super) fn todo_list(list: Value<'_>) -> Vec<Todo<'_>> {
    let todo = |value: Value<'_>| {
        let status = value.get("status").and_then(Value::str).unwrap_or_default();
        TodoStatus::from(status).into_owned()
    };
    list.elements()
        .map(|value| Todo {
            text: value.get("content").and_then(Value::text).unwrap_or_default(),
            status: todo(value),
            ..Todo::default()
        })
        .collect()
}

/// The files that a tool has read, written or changed, with the changes.
pub(super) fn files<'a>(name: &str, input: Option<Value<'a>>, metadata: Option<Value<'a>>) -> Vec<FileRefPart<'a>> {
    let kind = kind(name);
    if !matches!(kind, ToolKind::FileRead | ToolKind::FileWrite | ToolKind::FileEdit) {
        return Vec::new();
    }
    let of = |value: Option<Value<'a>>, keys: &[&str]| {
        let value = value?;
        keys.iter().find_map(|key| value.get(key)?.str()).filter(|path| !path.is_empty())
    };
    let path = of(input, &["filePath", "path", "filepath"]).or_else(|| of(metadata, &["filepath", "filePath"]));
    let listed = metadata.and_then(|metadata| metadata.get("files")).filter(|files| files.is_array());
    if let (Some(listed), ToolKind::FileEdit | ToolKind::FileWrite) = (listed, &kind) {
        return listed.elements().filter_map(listed_file).collect();
    }
    let Some(path) = path else { return Vec::new() };
    let given = || given_diff(path, metadata);
    let (action, diff) = match kind {
        ToolKind::FileRead => (FileAction::Read, None),
        ToolKind::FileWrite => (FileAction::Write, given().or_else(|| new_file(path, input, metadata))),
        _ => (FileAction::Patch, given()),
    };
    let diff = diff.map(Text::from);
    vec![FileRefPart { path: Cow::Borrowed(path), action, diff, ..FileRefPart::default() }]
}

/// One of several files that a tool has changed.
fn listed_file(file: Value<'_>) -> Option<FileRefPart<'_>> {
    let text = |key: &str| file.get(key).and_then(Value::str).filter(|text| !text.is_empty());
    let path = text("movePath").or_else(|| text("filePath")).or_else(|| text("file")).or_else(|| text("path"))?;
    let added = text("type").or_else(|| text("status")).is_some_and(|kind| matches!(kind, "add" | "added"));
    let action = if added { FileAction::Write } else { FileAction::Patch };
    let patch = text("patch").or_else(|| text("diff"));
    let diff = patch.and_then(|patch| diff::from_unified(path, patch)).map(Text::from);
    Some(FileRefPart { path: Cow::Borrowed(path), action, diff, ..FileRefPart::default() })
}

/// The change as the tool gives it.
fn given_diff(path: &str, metadata: Option<Value<'_>>) -> Option<String> {
    let metadata = metadata?;
    let patch = metadata.get("filediff").and_then(|file| file.get("patch")).or_else(|| metadata.get("diff"))?;
    diff::from_unified(path, patch.str()?)
}

/// A file that was not there before.
fn new_file(path: &str, input: Option<Value<'_>>, metadata: Option<Value<'_>>) -> Option<String> {
    let exists = metadata.and_then(|metadata| metadata.get("exists")).and_then(Value::bool);
    let content = input.and_then(|input| input.get("content")).and_then(Value::str);
    content.filter(|_| exists == Some(false)).map(|content| diff::of_new_file(path, content))
}
