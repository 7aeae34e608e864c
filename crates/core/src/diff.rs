//! Unified diffs from what agents give instead of one. Every line of them ends with a newline.

use std::fmt::Write as _;

use crate::json::Value;

/// From hunks with `oldStart, oldLines, newStart, newLines, lines[]`; nothing if there are none.
pub(crate) fn from_hunks(path: &str, hunks: Value<'_>) -> Option<String> {
    let mut diff = header(path, path);
    let empty = diff.len();
    for hunk in hunks.elements() {
        let number = |key: &str| hunk.get(key).and_then(Value::i64).unwrap_or(0);
        let (old, old_lines) = (number("oldStart"), number("oldLines"));
        let (new, new_lines) = (number("newStart"), number("newLines"));
        let _ = writeln!(diff, "@@ -{old},{old_lines} +{new},{new_lines} @@");
        for line in hunk.get("lines").into_iter().flat_map(Value::elements) {
            diff.push_str(line.str().unwrap_or_default());
            diff.push('\n');
        }
    }
    (diff.len() > empty).then_some(diff)
}

/// A file that was not there before.
pub(crate) fn of_new_file(path: &str, content: &str) -> String {
    let mut diff = header("", path);
    if content.is_empty() {
        return diff;
    }
    let _ = writeln!(diff, "@@ -0,0 +1,{} @@", count(content));
    push_lines(&mut diff, '+', content);
    if !content.ends_with('\n') {
        diff.push_str("\\ No newline at end of file\n");
    }
    diff
}

/// A file that is gone.
pub(crate) fn of_deleted_file(path: &str, content: &str) -> String {
    let mut diff = header(path, "");
    if content.is_empty() {
        return diff;
    }
    let _ = writeln!(diff, "@@ -1,{} +0,0 @@", count(content));
    push_lines(&mut diff, '-', content);
    if !content.ends_with('\n') {
        diff.push_str("\\ No newline at end of file\n");
    }
    diff
}

/// A text that was replaced by another. Where in the file is told by the numbered lines that the agent shows of the
/// result; without them the hunk stands at the first line.
pub(crate) fn of_edit(path: &str, old: &str, new: &str, shown: &str) -> String {
    let first = lines(new).next().unwrap_or_default();
    let at = lines(shown).find_map(|line| {
        let (number, text) = line.split_once(['→', '\t'])?;
        let number = number.trim().parse::<u64>().ok()?;
        (!first.is_empty() && text.contains(first)).then_some(number)
    });
    let at = at.unwrap_or(1);
    let mut diff = header(path, path);
    let _ = writeln!(diff, "@@ -{at},{} +{at},{} @@", count(old), count(new));
    push_lines(&mut diff, '-', old);
    push_lines(&mut diff, '+', new);
    diff
}

/// From a unified diff that the agent gives, with whatever names; nothing if it has no hunk.
pub(crate) fn from_unified(path: &str, diff: &str) -> Option<String> {
    let at = if diff.starts_with("@@") { 0 } else { diff.find("\n@@")? + 1 };
    // A side without lines is a file that is not there.
    let first = lines(&diff[at..]).next().unwrap_or_default();
    let side = |empty: &str| if first.contains(empty) { "" } else { path };
    let mut out = header(side("-0,0 "), side("+0,0 "));
    out.reserve_exact(diff.len() - at + 1);
    out.push_str(&diff[at..]);
    if !out.ends_with('\n') {
        out.push('\n');
    }
    Some(out)
}

/// The two names of the file; an empty one is a file that is not there.
pub(crate) fn header(old: &str, new: &str) -> String {
    let (old, new) = (name("a/", old), name("b/", new));
    ["--- ", old[0], old[1], "\n+++ ", new[0], new[1], "\n"].concat()
}

fn name<'p>(side: &'static str, path: &'p str) -> [&'p str; 2] {
    if path.is_empty() { ["/dev/null", ""] } else { [side, path.strip_prefix('/').unwrap_or(path)] }
}

/// The lines of a text, as [`str::lines`] gives them: whole files are looked through sooner.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let Some(end) = memchr::memchr(b'\n', rest.as_bytes()) else {
            return Some(std::mem::take(&mut rest)).filter(|last| !last.is_empty());
        };
        let line = &rest[..end];
        rest = &rest[end + 1..];
        Some(line.strip_suffix('\r').unwrap_or(line))
    })
}

fn count(text: &str) -> usize {
    lines(text).count()
}

fn push_lines(diff: &mut String, mark: char, text: &str) {
    // Lines are seldom shorter than this.
    diff.reserve(text.len() + text.len() / 16);
    for line in lines(text) {
        diff.push(mark);
        diff.push_str(line);
        diff.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_the_standard_library() {
        for text in ["", "\n", "a", "a\n", "a\r\nb", "\r\n\r\n", "a\r", "a\n\r", "\n\na\r\r\n"] {
            assert_eq!(lines(text).collect::<Vec<_>>(), text.lines().collect::<Vec<_>>(), "{text:?}");
        }
    }
}
