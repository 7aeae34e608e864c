//! Claude Code's tools in words common to all agents.

use std::borrow::Cow;

use interlinear_schema::{Subagent, Text, ToolCallPart, ToolKind};

use crate::json::Value;
use crate::{mcp, title};

/// The kind of a tool.
pub(super) fn kind(name: &str) -> ToolKind<'static> {
    match name {
        "Bash" | "BashOutput" | "KillShell" | "KillBash" | "PowerShell" | "Monitor" => ToolKind::Command,
        "Read" | "NotebookRead" => ToolKind::FileRead,
        "Write" => ToolKind::FileWrite,
        "Edit" | "MultiEdit" | "NotebookEdit" => ToolKind::FileEdit,
        "Glob" | "Grep" | "LS" | "ToolSearch" | "LSP" => ToolKind::Search,
        "WebFetch" | "web_fetch" => ToolKind::WebFetch,
        "WebSearch" | "web_search" => ToolKind::WebSearch,
        "TodoWrite" | "TodoRead" | "TaskCreate" | "TaskUpdate" | "TaskList" | "TaskGet" => ToolKind::Todo,
        "Agent" | "Task" => ToolKind::Task,
        "AskUserQuestion" => ToolKind::Question,
        "ExitPlanMode" | "EnterPlanMode" => ToolKind::Plan,
        "ListMcpResourcesTool" | "ReadMcpResourceTool" => ToolKind::Mcp,
        _ if name.starts_with("mcp__") => ToolKind::Mcp,
        _ => ToolKind::Other_,
    }
}

/// The key of the argument that tells a person what a call is about.
fn title_key(name: &str) -> &'static [&'static str] {
    match name {
        "Bash" | "PowerShell" | "Monitor" => &["command"],
        "Read" | "Write" | "Edit" | "MultiEdit" => &["file_path"],
        "NotebookEdit" | "NotebookRead" => &["notebook_path"],
        "Glob" | "Grep" => &["pattern"],
        "LS" => &["path"],
        "WebFetch" | "web_fetch" => &["url"],
        "WebSearch" | "web_search" | "ToolSearch" => &["query"],
        "Agent" | "Task" => &["description"],
        "TaskCreate" => &["subject"],
        "TaskUpdate" | "TaskGet" => &["taskId"],
        "TaskOutput" | "TaskStop" => &["task_id"],
        "Skill" => &["skill", "command"],
        "ReadMcpResourceTool" => &["uri"],
        "CronCreate" => &["prompt"],
        _ => &["command", "file_path", "path", "query", "url", "description", "name"],
    }
}

/// Whether the result of this tool needs the call's arguments.
pub(super) fn needs_input(name: &str) -> bool {
    matches!(
        name,
        "Write"
            | "Edit"
            | "MultiEdit"
            | "NotebookEdit"
            | "Read"
            | "TodoWrite"
            | "TaskUpdate"
            | "AskUserQuestion"
            | "ExitPlanMode"
            | "Agent"
            | "Task"
    )
}

/// The part of a call. Without arguments it is one that is about to stream.
pub(super) fn call_part<'a>(id: &'a str, name: &'a str, input: Option<Value<'a>>) -> ToolCallPart<'a> {
    let string = |key: &str| input.and_then(|input| input.get(key)).and_then(Value::str);
    let text = |key: &str| input.and_then(|input| input.get(key)).and_then(Value::text);
    let tool_kind = kind(name);
    let mcp = mcp::tool(name);
    let title = title_key(name).iter().find_map(|key| text(key));
    let title = title.or_else(|| title::of(&tool_kind, mcp.as_ref(), input));
    let agent = (tool_kind == ToolKind::Task).then(|| Subagent {
        r#type: string("subagent_type").map(Cow::Borrowed),
        name: string("description").map(Cow::Borrowed),
        ..Subagent::default()
    });
    ToolCallPart {
        name: Cow::Borrowed(name),
        arguments: input.map_or_else(Text::default, |input| Text::from(input.raw())),
        call_id: Cow::Borrowed(id),
        tool_kind: Some(tool_kind),
        title,
        mcp,
        agent,
        ..ToolCallPart::default()
    }
}
