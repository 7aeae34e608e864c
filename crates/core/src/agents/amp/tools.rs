//! Amp's tools in words common to all agents.

use std::borrow::Cow;

use interlinear_schema::{Subagent, Text, ToolCallPart, ToolKind};

use super::state::CallInfo;
use crate::json::Value;
use crate::{mcp, title};

/// The kind of a tool.
pub(super) fn kind(name: &str) -> ToolKind<'static> {
    match name {
        "Bash" | "shell_command" => ToolKind::Command,
        "Read" | "look_at" | "read_mcp_resource" => ToolKind::FileRead,
        "create_file" => ToolKind::FileWrite,
        "edit_file" | "undo_edit" | "format_file" | "apply_patch" => ToolKind::FileEdit,
        "Grep" | "glob" | "list_directory" | "find_thread" | "get_diagnostics" => ToolKind::Search,
        "read_web_page" => ToolKind::WebFetch,
        "web_search" => ToolKind::WebSearch,
        "todo_write" | "todo_read" | "task_list" => ToolKind::Todo,
        "Task" | "oracle" | "librarian" | "finder" | "codebase_search_agent" | "painter" => ToolKind::Task,
        _ if name.starts_with("mcp__") => ToolKind::Mcp,
        _ => ToolKind::Other_,
    }
}

/// The keys of the argument that tells a person what a call is about.
fn title_keys(name: &str) -> &'static [&'static str] {
    match name {
        "Bash" | "shell_command" => &["cmd", "command"],
        "Read" | "create_file" | "edit_file" | "undo_edit" | "look_at" => &["path"],
        "Grep" => &["pattern"],
        "glob" => &["filePattern"],
        "read_web_page" => &["url"],
        "web_search" => &["objective", "query"],
        "Task" => &["description", "prompt"],
        "oracle" => &["task"],
        "task_list" => &["title", "action"],
        _ => &["query", "prompt", "task", "name", "path", "command", "url", "title"],
    }
}

/// The part of a call.
pub(super) fn call_part<'a>(id: &'a str, name: &'a str, input: Option<Value<'a>>) -> ToolCallPart<'a> {
    let text = |key: &str| input.and_then(|input| input.get(key)).and_then(Value::text);
    let string = |key: &str| input.and_then(|input| input.get(key)).and_then(Value::str);
    let tool_kind = kind(name);
    let agent = (tool_kind == ToolKind::Task).then(|| Subagent {
        r#type: Some(Cow::Borrowed(name)),
        name: string("description").map(Cow::Borrowed),
        ..Subagent::default()
    });
    let mcp = mcp::tool(name);
    let title = title_keys(name).iter().find_map(|key| text(key));
    ToolCallPart {
        name: Cow::Borrowed(name),
        // Older versions give the arguments as text.
        arguments: input.map_or_else(Text::default, |input| input.text().unwrap_or_else(|| Text::from(input.raw()))),
        call_id: Cow::Borrowed(id),
        title: title.or_else(|| title::of(&tool_kind, mcp.as_ref(), input)),
        cwd: string("cwd").map(Cow::Borrowed),
        mcp,
        tool_kind: Some(tool_kind),
        agent,
        ..ToolCallPart::default()
    }
}

/// What a result will need of its call: nothing, unless it is about a file.
pub(super) fn info(name: &str, input: Option<Value<'_>>) -> Option<CallInfo> {
    if !matches!(kind(name), ToolKind::FileRead | ToolKind::FileWrite | ToolKind::FileEdit) {
        return None;
    }
    let string = |key: &str| input.and_then(|input| input.get(key)).and_then(Value::str).map(str::to_owned);
    let content = if name == "create_file" { string("content") } else { None };
    Some(CallInfo { name: name.to_owned(), path: string("path"), content })
}
