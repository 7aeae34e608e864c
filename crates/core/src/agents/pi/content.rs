//! Content of messages and results → content parts.

use std::borrow::Cow;

use interlinear_schema::{ContentPart, FileAction, FileRefPart, ImagePart, ReasoningPart, Text, Visibility};

use super::wire::Block;
use crate::agents::read;
use crate::api::DriftKind;
use crate::emit::Emit;
use crate::json::Value;
use crate::uri::data_url;

/// The text of content: of a string, or of all its text blocks, one after the other.
pub(super) fn plain_text(content: Option<Value<'_>>) -> Text<'static> {
    let mut out = Vec::new();
    let Some(content) = content else { return Text::default() };
    if let Some(text) = content.text() {
        text.append_to(&mut out);
    }
    for (index, text) in content.elements().filter_map(|block| block.get("text")?.text()).enumerate() {
        if index > 0 {
            out.push(b'\n');
        }
        text.append_to(&mut out);
    }
    Text::from_wtf8(out)
}

/// The parts of content without calls: text, images; anything else as JSON.
pub(super) fn parts<'a>(content: Option<Value<'a>>, emit: &mut Emit<'_>) -> Vec<ContentPart<'a>> {
    let Some(content) = content else { return Vec::new() };
    if let Some(text) = content.text() {
        return vec![ContentPart::text(text)];
    }
    let mut parts = Vec::with_capacity(1);
    for value in content.elements() {
        if let Some(block) = read::<Block<'_>>(value, emit) {
            parts.push(part(block, value, emit));
        }
    }
    parts
}

/// The part of a block that is no call.
pub(super) fn part<'a>(block: Block<'a>, value: Value<'a>, emit: &mut Emit<'_>) -> ContentPart<'a> {
    match block.r#type.unwrap_or_default() {
        "text" => ContentPart::text(block.text.unwrap_or_default()),
        "thinking" => reasoning_part(block.thinking.unwrap_or_default(), block.redacted == Some(true)),
        "image" => image(block),
        kind => {
            emit.book.drift.note(DriftKind::Value, "block.type", kind);
            ContentPart::json(value.json())
        }
    }
}

pub(super) fn reasoning_part(text: Text<'_>, redacted: bool) -> ContentPart<'_> {
    let hidden = redacted || text.is_empty();
    let visibility = if hidden { Visibility::Private } else { Visibility::Public };
    ContentPart::Reasoning(ReasoningPart { text, visibility, ..ReasoningPart::default() })
}

/// Images have their bytes in the line: they become `data:` URLs.
pub(super) fn image(block: Block<'_>) -> ContentPart<'_> {
    let mime = block.mime;
    let path = data_url(mime, &block.data.unwrap_or_default());
    ContentPart::Image(ImagePart { path, mime: mime.map(Cow::Borrowed), ..ImagePart::default() })
}

/// The images of a result.
pub(super) fn images<'a>(content: Option<Value<'a>>, emit: &mut Emit<'_>) -> Vec<ContentPart<'a>> {
    let mut found = Vec::new();
    for value in content.into_iter().flat_map(Value::elements) {
        let Some(block) = read::<Block<'_>>(value, emit) else { continue };
        if block.r#type == Some("image") {
            found.push(image(block));
        }
    }
    found
}

/// The files that were attached to a prompt: they stand at the beginning of its text, each in a mark with its name.
pub(super) fn attached(parts: &[ContentPart<'_>]) -> Vec<ContentPart<'static>> {
    const OPEN: &str = "<file name=\"";
    let Some(ContentPart::Text(first)) = parts.first() else { return Vec::new() };
    let text = first.text.to_str_lossy();
    if !text.starts_with(OPEN) {
        return Vec::new();
    }
    let names = text.lines().filter_map(|line| line.strip_prefix(OPEN)?.split_once("\">"));
    names
        .map(|(name, _)| {
            let (path, action) = (Cow::Owned(name.to_owned()), FileAction::Read);
            ContentPart::FileRef(FileRefPart { path, action, ..FileRefPart::default() })
        })
        .collect()
}

/// The skill that a prompt calls: the agent puts it in the place of the command. What is left is the command.
pub(super) fn take_skill(parts: &mut [ContentPart<'_>]) -> Option<Text<'static>> {
    const CLOSE: &str = "\n</skill>";
    let Some(ContentPart::Text(first)) = parts.first_mut() else { return None };
    let text = first.text.to_str_lossy();
    let (name, _) = text.strip_prefix("<skill name=\"")?.split_once('"')?;
    let (skill, words) = text.split_at(text.find(CLOSE)? + CLOSE.len());
    let command = format!("/skill:{name} {}", words.trim_start());
    let skill = Text::from(skill.to_owned());
    first.text = Text::from(command.trim_end().to_owned());
    Some(skill)
}

/// So deep values are compared; deeper ones must be written alike.
const DEPTH: u32 = 64;

/// Whether two JSON texts say the same: blanks and the order of keys mean nothing.
pub(super) fn same_json(one: Value<'_>, other: Value<'_>) -> bool {
    same(one, other, DEPTH)
}

fn same(one: Value<'_>, other: Value<'_>, depth: u32) -> bool {
    if depth == 0 {
        return one.raw() == other.raw();
    }
    if one.is_object() && other.is_object() {
        let count = |value: Value<'_>| value.members().count();
        return count(one) == count(other)
            && one.members().all(|(key, value)| other.get(key).is_some_and(|found| same(value, found, depth - 1)));
    }
    if one.is_array() && other.is_array() {
        let (mut left, mut right) = (one.elements(), other.elements());
        loop {
            match (left.next(), right.next()) {
                (None, None) => return true,
                (Some(left), Some(right)) if same(left, right, depth - 1) => {}
                _ => return false,
            }
        }
    }
    match (one.text(), other.text()) {
        (Some(one), Some(other)) => one.as_wtf8() == other.as_wtf8(),
        (None, None) => one.raw() == other.raw() || one.f64().is_some_and(|number| other.f64() == Some(number)),
        _ => false,
    }
}

/// The text without the escape sequences that colour it.
pub(super) fn without_colours(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1b}') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        out.push_str(before);
        let after = after.strip_prefix('[').unwrap_or(after);
        rest = after.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        let mut chars = rest.chars();
        chars.next();
        rest = chars.as_str();
    }
    out.push_str(rest);
    Cow::Owned(out)
}
