//! Pi's tools, and those of the extensions that are shipped with it, in words common to all agents.

use std::borrow::Cow;
use std::fmt::Write as _;

use interlinear_schema::{
    ContentPart, FileAction, FileRefPart, McpTool, Subagent, Text, Todo, TodoStatus, ToolCallPart, ToolKind,
};

use super::state::CallInfo;
use crate::json::Value;
use crate::title;
use crate::{diff, mcp};

/// The kind of a tool.
pub(super) fn kind(name: &str) -> ToolKind<'static> {
    match name {
        "bash" => ToolKind::Command,
        "read" => ToolKind::FileRead,
        "write" => ToolKind::FileWrite,
        "edit" => ToolKind::FileEdit,
        "ls" | "find" | "grep" => ToolKind::Search,
        "todo" => ToolKind::Todo,
        "subagent" => ToolKind::Task,
        "mcp" => ToolKind::Mcp,
        "question" | "questionnaire" | "ask_user" => ToolKind::Question,
        "web_search" => ToolKind::WebSearch,
        "web_fetch" | "fetch" => ToolKind::WebFetch,
        _ if name.starts_with("mcp__") => ToolKind::Mcp,
        _ => ToolKind::Other_,
    }
}

/// The key of the argument that tells a person what a call is about.
fn title_key(name: &str) -> &'static [&'static str] {
    match name {
        "bash" => &["command"],
        "read" | "write" | "edit" | "ls" => &["path", "file_path"],
        "find" | "grep" => &["pattern"],
        "todo" => &["text", "action"],
        "subagent" => &["task"],
        "mcp" => &["tool", "search", "describe", "server"],
        "question" | "questionnaire" | "ask_user" => &["question"],
        _ => &["command", "path", "query", "url", "description", "title", "name"],
    }
}

/// The part of a call. Without arguments it is one that is about to stream.
pub(super) fn call_part<'a>(id: &'a str, name: &'a str, arguments: Option<Value<'a>>) -> ToolCallPart<'a> {
    let text = |key: &str| arguments.and_then(|arguments| arguments.get(key)).and_then(Value::text);
    let string = |key: &str| arguments.and_then(|arguments| arguments.get(key)).and_then(Value::str);
    let tool_kind = kind(name);
    let agent = (tool_kind == ToolKind::Task)
        .then(|| Subagent { r#type: string("agent").map(Cow::Borrowed), ..Subagent::default() });
    let mcp = mcp_tool(name, string("tool"), string("server"));
    let title = title_key(name).iter().find_map(|key| text(key));
    ToolCallPart {
        name: Cow::Borrowed(name),
        arguments: arguments.map_or_else(Text::default, |arguments| Text::from(arguments.raw())),
        call_id: Cow::Borrowed(id),
        title: title.or_else(|| title::of(&tool_kind, mcp.as_ref(), arguments)),
        mcp,
        tool_kind: Some(tool_kind),
        agent,
        ..ToolCallPart::default()
    }
}

/// The tool that a call of the MCP extension is for: `mcp` names it in its arguments.
fn mcp_tool<'a>(name: &'a str, tool: Option<&'a str>, server: Option<&'a str>) -> Option<McpTool<'a>> {
    if name == "mcp" {
        return tool.map(|tool| McpTool {
            tool: Cow::Borrowed(tool),
            server: server.map(Cow::Borrowed),
            ..McpTool::default()
        });
    }
    mcp::tool(name)
}

/// What a result will need of its call.
pub(super) fn info(id: &str, name: &str, arguments: Option<Value<'_>>) -> CallInfo {
    let string = |key: &str| arguments.and_then(|arguments| arguments.get(key)).and_then(Value::str);
    let path = string("path").or_else(|| string("file_path")).filter(|path| !path.is_empty());
    CallInfo { id: id.to_owned(), name: name.to_owned(), path: path.map(str::to_owned), ..CallInfo::default() }
}

/// The exit code of a command: a failure names it at the end of its output, a success has none but 0, whatever it prints.
pub(super) fn exit_code(name: &str, output: &str, failed: Option<bool>) -> Option<i64> {
    if name != "bash" {
        return None;
    }
    let (_, code) = output.trim_end().rsplit_once("Command exited with code ").unwrap_or_default();
    let told = code.parse().ok().filter(|_| failed != Some(false));
    told.or(if failed == Some(true) { None } else { Some(0) })
}

/// The file that a tool has read, written or changed, with the change.
pub(super) fn file_ref<'a>(call: &CallInfo, details: Option<Value<'a>>) -> Option<ContentPart<'a>> {
    let action = match kind(&call.name) {
        ToolKind::FileRead => FileAction::Read,
        ToolKind::FileWrite => FileAction::Write,
        ToolKind::FileEdit => FileAction::Patch,
        _ => return None,
    };
    let text = |key: &str| details.and_then(|details| details.get(key)).and_then(Value::str);
    let diff = match text("patch") {
        Some(patch) => diff::from_unified(call.path.as_deref()?, patch),
        None => text("diff").and_then(|diff| diff::from_unified(call.path.as_deref()?, &unified(diff)?)),
    };
    let path = Cow::Owned(call.path.clone()?);
    Some(ContentPart::FileRef(FileRefPart { path, action, diff: diff.map(Text::from), ..FileRefPart::default() }))
}

/// One line of Pi's own diff: a mark, the number of the line, the line. Between stretches stands `...`.
fn numbered(line: &str) -> Option<(char, u64, &str)> {
    let mark = line.chars().next().filter(|mark| matches!(mark, ' ' | '+' | '-'))?;
    let rest = line[1..].trim_start();
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number = rest[..digits].parse().ok()?;
    let text = &rest[digits..];
    Some((mark, number, text.strip_prefix(' ').unwrap_or(text)))
}

/// A stretch of a diff without gaps.
#[derive(Default)]
struct Hunk {
    /// The first lines of the old and the new text; nothing before the first line.
    first: Option<(i64, i64)>,
    old: i64,
    new: i64,
    body: String,
}

impl Hunk {
    fn finish(self, out: &mut String) -> i64 {
        if let Some((old, new)) = self.first.filter(|_| self.body.lines().any(|line| !line.starts_with(' '))) {
            // Where there is no line, the line before is named.
            let (old, new) = (old - i64::from(self.old == 0), new - i64::from(self.new == 0));
            let _ = write!(out, "@@ -{old},{} +{new},{} @@\n{}", self.old, self.new, self.body);
        }
        self.new - self.old
    }
}

/// The hunks of Pi's own numbered diff. Context lines carry the number that they have in the old text.
pub(super) fn unified(diff: &str) -> Option<String> {
    let mut out = String::new();
    let mut hunk = Hunk::default();
    // By how much the lines have moved so far.
    let mut moved = 0;
    for line in diff.lines() {
        let Some((mark, number, text)) = numbered(line) else {
            moved += std::mem::take(&mut hunk).finish(&mut out);
            continue;
        };
        let number = i64::try_from(number).unwrap_or(0);
        hunk.first.get_or_insert(match mark {
            '+' => (number - moved, number),
            _ => (number, number + moved),
        });
        hunk.old += i64::from(mark != '+');
        hunk.new += i64::from(mark != '-');
        let _ = writeln!(hunk.body, "{mark}{text}");
    }
    hunk.finish(&mut out);
    if out.is_empty() { None } else { Some(out) }
}

/// The list of things to do that a result shows.
pub(super) fn todos<'a>(details: Option<Value<'a>>) -> Option<Vec<Todo<'a>>> {
    let list = details?.get("todos").filter(|list| list.is_array())?;
    let todo = |value: Value<'a>| {
        let done = value.get("done").and_then(Value::bool) == Some(true);
        let text = value.get("text").or_else(|| value.get("content")).and_then(Value::text)?;
        Some(Todo { text, status: if done { TodoStatus::Completed } else { TodoStatus::Pending }, ..Todo::default() })
    };
    Some(list.elements().filter_map(todo).collect())
}

/// A list of things to do as extensions draw it: a box before each.
pub(super) fn drawn_todos(lines: &[Text<'_>]) -> Option<Vec<Todo<'static>>> {
    let todo = |line: &Text<'_>| {
        let line = line.to_str_lossy();
        let line = super::content::without_colours(&line);
        let line = line.trim();
        let boxed = |mark: &str| line.strip_prefix(mark).map(str::trim_start);
        let done = boxed("☑").or_else(|| boxed("[x]"));
        let text = done.or_else(|| boxed("☐")).or_else(|| boxed("[ ]"))?;
        let status = if done.is_some() { TodoStatus::Completed } else { TodoStatus::Pending };
        Some(Todo { text: Text::from(text.to_owned()), status, ..Todo::default() })
    };
    let todos: Option<Vec<_>> = lines.iter().map(todo).collect();
    todos.filter(|todos| !todos.is_empty())
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn a_numbered_diff_becomes_a_unified_one() {
        let diff = "  1 one\n- 2 two\n+ 2 zwei\n  3 three\n    ...\n 19 nineteen\n+20 more\n 20 twenty";
        let expected = "@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n@@ -19,2 +19,3 @@\n nineteen\n+more\n twenty\n";
        assert_eq!(unified(diff).as_deref(), Some(expected));
    }

    #[test]
    fn lines_that_moved_are_numbered_in_both_texts() {
        let diff = "+1 new\n 1 one\n   ...\n-9 nine";
        assert_eq!(unified(diff).as_deref(), Some("@@ -1,1 +1,2 @@\n+new\n one\n@@ -9,1 +9,0 @@\n-nine\n"));
    }

    #[test]
    fn what_is_no_numbered_diff_gives_none() {
        assert_eq!(unified("no diff"), None);
        assert_eq!(unified(" 1 only context"), None);
    }
}
