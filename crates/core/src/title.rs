//! What a person reads of a call, where no argument says it by itself.

use interlinear_schema::{McpTool, Text, ToolKind};

use crate::json::Value;

/// A question's words, the first line of a plan, the files of a patch, the name of an MCP server's tool.
pub(crate) fn of<'a>(kind: &ToolKind<'_>, mcp: Option<&McpTool<'_>>, input: Option<Value<'a>>) -> Option<Text<'a>> {
    let field = |key: &str| input.and_then(|input| input.get(key));
    let title = match kind {
        ToolKind::Question => {
            let first = field("questions").and_then(|questions| questions.elements().next());
            let words = |question: Value<'a>| question.get("question").or_else(|| question.get("text"));
            first.and_then(words).and_then(Value::text)
        }
        ToolKind::Plan => field("plan").and_then(Value::str).and_then(|plan| first_line(plan)),
        ToolKind::FileEdit => {
            let patch = ["patchText", "patch", "input"].iter().find_map(|key| field(key)?.str());
            patch.and_then(patched_files)
        }
        _ => None,
    };
    let tool = || {
        let mcp = mcp?;
        let server = mcp.server.as_deref().map(|server| format!(" ({server})")).unwrap_or_default();
        Some(Text::from(format!("{}{server}", mcp.tool)))
    };
    title.filter(|title| !title.is_empty()).or_else(tool)
}

/// Without the marks of a heading, and not one that says that it is a plan.
fn first_line(plan: &str) -> Option<Text<'static>> {
    let mut lines = plan.lines().map(|line| line.trim_start_matches('#').trim());
    let says_something = |line: &&str| !line.is_empty() && !line.eq_ignore_ascii_case("plan");
    lines.find(says_something).map(|line| Text::from(line.to_owned()))
}

/// The files that a patch names: `*** Update File: path`.
fn patched_files(patch: &str) -> Option<Text<'static>> {
    let path = |line: &str| {
        let (verb, path) = line.strip_prefix("*** ")?.split_once(" File: ")?;
        matches!(verb, "Add" | "Update" | "Delete").then(|| path.trim().to_owned())
    };
    let files: Vec<_> = patch.lines().filter_map(path).collect();
    (!files.is_empty()).then(|| Text::from(files.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Tape;

    fn title(kind: &ToolKind<'_>, input: &str) -> Option<String> {
        let mut tape = Tape::default();
        of(kind, None, tape.read(input).ok()).map(|title| title.to_string())
    }

    #[test]
    fn a_call_without_a_telling_argument_is_named_by_what_is_in_it() {
        let question = r#"{"questions":[{"question":"Which one?","header":"One"},{"question":"Why?"}]}"#;
        assert_eq!(title(&ToolKind::Question, question).as_deref(), Some("Which one?"));
        assert_eq!(
            title(&ToolKind::Plan, r#"{"plan":"\n# Storage plan\n\n1. Do it"}"#).as_deref(),
            Some("Storage plan")
        );
        assert_eq!(title(&ToolKind::Plan, r##"{"plan":"# Plan\n\nDo it"}"##).as_deref(), Some("Do it"));
        let patch = r#"{"patchText":"*** Begin Patch\n*** Update File: a.js\n@@\n-x\n*** Add File: b c.txt\n+y\n*** End Patch"}"#;
        assert_eq!(title(&ToolKind::FileEdit, patch).as_deref(), Some("a.js, b c.txt"));
        assert_eq!(title(&ToolKind::FileEdit, r#"{"oldString":"x"}"#), None);
        assert_eq!(title(&ToolKind::Question, r#"{"questions":"none"}"#), None);
    }

    #[test]
    fn a_tool_of_a_server_is_named_with_its_server() {
        let mcp = McpTool { tool: "add".into(), server: Some("calc".into()), ..McpTool::default() };
        assert_eq!(of(&ToolKind::Mcp, Some(&mcp), None).map(|title| title.to_string()).as_deref(), Some("add (calc)"));
    }
}
