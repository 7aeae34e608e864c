//! Changes of files: as items show them, and as the model writes them.

use std::borrow::Cow;
use std::fmt::Write as _;

use interlinear_schema::{ContentPart, FileAction, FileRefPart, Json, Text, ToolCallPart, ToolKind};

use crate::diff;
use crate::json::Value;
use crate::map::sorted;

/// What happens to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) path: String,
    /// `add`, `update` or `delete`.
    pub(super) kind: String,
    pub(super) moved_to: Option<String>,
    /// The change as a unified diff, where it is known.
    pub(super) diff: Option<String>,
}

/// The changes of an item, by path: a list `[{path, kind, diff}]`, or in rollout files a map in no order.
pub(super) fn changes(value: Value<'_>) -> Vec<Change> {
    changes_with(value, true)
}

/// The same, without what changes in the files.
pub(super) fn named(value: Value<'_>) -> Vec<Change> {
    changes_with(value, false)
}

fn changes_with(value: Value<'_>, diffs: bool) -> Vec<Change> {
    let listed = value.elements().map(|change| {
        let [path, kind] = change.pick(["path", "kind"]);
        one(path.and_then(Value::str).unwrap_or_default(), kind.unwrap_or(change), change, diffs)
    });
    let mapped = value.members().map(|(path, change)| one(path, change, change, diffs));
    let changes = listed.chain(mapped).filter(|change| !change.path.is_empty()).collect();
    sorted(changes, |a, b| a.path <= b.path)
}

fn one(path: &str, kind: Value<'_>, change: Value<'_>, diffs: bool) -> Change {
    let [r#type, moved_to] = kind.pick(["type", "move_path"]).map(|text| text.and_then(Value::str));
    let Some(word) = kind.str().or(r#type) else { return older(path, change, diffs) };
    let diff = if diffs { diff_of(path, word, moved_to, change) } else { None };
    Change { path: path.to_owned(), kind: word.to_owned(), moved_to: moved_to.map(str::to_owned), diff }
}

/// A change as the first versions tell it: `{"add": {"content": …}}`.
fn older(path: &str, change: Value<'_>, diffs: bool) -> Change {
    let named = change.members().find(|(word, _)| matches!(*word, "add" | "update" | "delete"));
    let (word, change) = named.unwrap_or(("", change));
    let moved_to = change.get("move_path").and_then(Value::str).map(str::to_owned);
    let diff = diffs.then(|| diff_of(path, word, moved_to.as_deref(), change)).flatten();
    Change { path: path.to_owned(), kind: word.to_owned(), moved_to, diff }
}

/// What changes in a file, as a unified diff.
fn diff_of(path: &str, word: &str, moved_to: Option<&str>, change: Value<'_>) -> Option<String> {
    let given = change.pick(["diff", "content", "unified_diff"]);
    let given = given.into_iter().find_map(|text| text?.str())?;
    Some(match word {
        "add" => diff::of_new_file(path, given),
        "delete" => diff::of_deleted_file(path, given),
        _ => {
            let [hunks, end] = hunks(given);
            diff::header(path, moved_to.unwrap_or(path)) + hunks + end
        }
    })
}

/// The hunks without the line about a move that is put after them, and what is missing at their end.
fn hunks(diff: &str) -> [&str; 2] {
    let diff = diff.rfind("\n\nMoved to: ").map_or(diff, |at| &diff[..at]);
    [diff, if diff.ends_with('\n') || diff.is_empty() { "" } else { "\n" }]
}

/// The call of a change.
pub(super) fn call_part<'a>(call_id: &'a str, changes: &[Change]) -> ToolCallPart<'a> {
    let list = changes.iter().map(|change| {
        let json = |text: &str| Json::of(text).as_str().to_owned();
        let moved = change.moved_to.as_ref().map(|path| [",\"move_path\":", &json(path)].concat());
        let (path, kind) = (json(&change.path), json(&change.kind));
        ["{\"path\":", &path, ",\"kind\":", &kind, moved.as_deref().unwrap_or_default(), "}"].concat()
    });
    let only_new = !changes.is_empty() && changes.iter().all(|change| change.kind == "add");
    let title: Vec<_> = changes.iter().map(|change| change.path.as_str()).collect();
    ToolCallPart {
        name: Cow::Borrowed("fileChange"),
        arguments: ["{\"changes\":[", &list.collect::<Vec<_>>().join(","), "]}"].concat().into(),
        call_id: Cow::Borrowed(call_id),
        tool_kind: Some(if only_new { ToolKind::FileWrite } else { ToolKind::FileEdit }),
        title: Some(Text::from(title.join(", "))),
        ..ToolCallPart::default()
    }
}

/// The file that was changed.
pub(super) fn file_ref(change: Change) -> ContentPart<'static> {
    let action = if change.kind == "add" { FileAction::Write } else { FileAction::Patch };
    let diff = change.diff.map(Text::from);
    ContentPart::FileRef(FileRefPart { path: Cow::Owned(change.path), action, diff, ..FileRefPart::default() })
}

/// The patch in a command that does nothing but apply it: `apply_patch <<'EOF' …`, or as a list of words.
pub(super) fn in_command(name: &str, arguments: Value<'_>) -> Option<String> {
    if !matches!(name, "exec_command" | "shell" | "shell_command" | "local_shell" | "container.exec") {
        return None;
    }
    let command = arguments.get("cmd").or_else(|| arguments.get("command"))?;
    let mut words = command.elements().filter_map(Value::str);
    let script = match words.next() {
        Some(first) if is_patch_command(first) => words.next()?.to_owned(),
        _ => super::tools::bare_command(command),
    };
    let begin = script.find("*** Begin Patch")?;
    let end = script.find("*** End Patch")? + "*** End Patch".len();
    let before = script[..begin].trim_start();
    let alone = before.is_empty() || is_patch_command(before.split_whitespace().next()?);
    Some(script.get(begin..end)?.to_owned()).filter(|_| alone)
}

fn is_patch_command(word: &str) -> bool {
    matches!(word, "apply_patch" | "applypatch")
}

/// Reads what the model hands to `apply_patch`. Its hunks tell no line numbers: they stand at the first line.
pub(super) fn parse(patch: &str, cwd: &str) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    let mut body: Vec<&str> = Vec::new();
    let finish = |changes: &mut Vec<Change>, body: &mut Vec<&str>| {
        if let Some(change) = changes.last_mut() {
            change.diff = written(change, body);
        }
        body.clear();
    };
    for line in patch.lines() {
        let begins = [("*** Add File: ", "add"), ("*** Update File: ", "update"), ("*** Delete File: ", "delete")];
        let begun = begins.iter().find_map(|(head, kind)| Some((line.strip_prefix(head)?, *kind)));
        if let Some((path, kind)) = begun {
            finish(&mut changes, &mut body);
            changes.push(Change { path: absolute(path, cwd), kind: kind.to_owned(), moved_to: None, diff: None });
        } else if let (Some(path), Some(change)) = (line.strip_prefix("*** Move to: "), changes.last_mut()) {
            change.moved_to = Some(absolute(path, cwd));
        } else if !line.starts_with("*** ") {
            body.push(line);
        }
    }
    finish(&mut changes, &mut body);
    sorted(changes, |a, b| a.path <= b.path)
}

fn absolute(path: &str, cwd: &str) -> String {
    if path.starts_with('/') || cwd.is_empty() { path.to_owned() } else { format!("{cwd}/{path}") }
}

/// A unified diff of the lines that stand below a file's name. Of a file that is deleted nothing stands there.
fn written(change: &Change, body: &[&str]) -> Option<String> {
    if change.kind == "add" {
        let lines = body.iter().filter_map(|line| line.strip_prefix('+'));
        let content: String = lines.flat_map(|line| [line, "\n"]).collect();
        return Some(diff::of_new_file(&change.path, &content));
    }
    if body.is_empty() {
        return None;
    }
    let mut diff = diff::header(&change.path, change.moved_to.as_deref().unwrap_or(&change.path));
    for hunk in body.split(|line| line.starts_with("@@")).filter(|hunk| !hunk.is_empty()) {
        let count = |marks: [char; 2]| hunk.iter().filter(|line| line.is_empty() || line.starts_with(marks)).count();
        let (old, new) = (count([' ', '-']), count([' ', '+']));
        let _ = writeln!(diff, "@@ -1,{old} +1,{new} @@");
        for line in hunk {
            diff.push_str(if line.is_empty() { " " } else { line });
            diff.push('\n');
        }
    }
    Some(diff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_of_the_model_is_read_file_by_file() {
        let patch = "*** Begin Patch\n*** Update File: b.py\n*** Move to: c.py\n@@\n a\n-b\n+c\n*** Add File: a.md\n+new\n*** Delete File: /d\n*** End Patch\n";
        let found = parse(patch, "/w");
        let shown: Vec<_> = found.iter().map(|change| (change.path.as_str(), change.kind.as_str())).collect();
        assert_eq!(shown, [("/d", "delete"), ("/w/a.md", "add"), ("/w/b.py", "update")]);
        assert_eq!(found[1].diff.as_deref(), Some("--- /dev/null\n+++ b/w/a.md\n@@ -0,0 +1,1 @@\n+new\n"));
        assert_eq!(found[2].diff.as_deref(), Some("--- a/w/b.py\n+++ b/w/c.py\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"));
        assert_eq!(found[2].moved_to.as_deref(), Some("/w/c.py"));
    }
}
