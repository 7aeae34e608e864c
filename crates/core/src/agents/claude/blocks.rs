//! Content blocks → content parts.

use std::borrow::Cow;

use interlinear_schema::{ContentPart, FileAction, FileRefPart, ImagePart};

use super::wire::{Block, Source};
use crate::agents::read;
use crate::emit::Emit;
use crate::json::Value;
use crate::uri::data_url;

/// The text of content: of a string, or of all its text blocks, one after the other.
pub(super) fn plain_text(content: Value<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    if let Some(text) = content.text() {
        text.append_to(&mut out);
        return out;
    }
    for (index, text) in content.elements().filter_map(|block| block.get("text").unwrap_or(block).text()).enumerate() {
        if index > 0 {
            out.push(b'\n');
        }
        text.append_to(&mut out);
    }
    out
}

/// The parts of content that is no tool result: text, images, documents; anything else as JSON.
pub(super) fn parts<'a>(content: Value<'a>, emit: &mut Emit<'_>) -> Vec<ContentPart<'a>> {
    if let Some(text) = content.text() {
        return vec![ContentPart::text(text)];
    }
    let mut parts = Vec::with_capacity(1);
    for value in content.elements() {
        let Some(block) = read::<Block<'_>>(value, emit).filter(|block| block.tool_use_id.is_none()) else { continue };
        match block.r#type.unwrap_or_default() {
            "text" => parts.push(ContentPart::text(block.text.unwrap_or_default())),
            _ => parts.push(media(block, value)),
        }
    }
    parts
}

/// An image, a document, or something unknown.
pub(super) fn media<'a>(block: Block<'a>, value: Value<'a>) -> ContentPart<'a> {
    match (block.r#type, block.source) {
        (Some("image"), Some(source)) if source.is_there() => image(source),
        (Some("document"), source) => {
            let path = block.title.map(|title| title.to_str_lossy().into_owned());
            let mime = source.as_ref().and_then(|source| source.media_type);
            let path = path.unwrap_or_else(|| format!("document ({})", mime.unwrap_or("unknown type")));
            let (path, action) = (Cow::Owned(path), FileAction::Read);
            ContentPart::FileRef(FileRefPart { path, action, ..FileRefPart::default() })
        }
        _ => ContentPart::json(value.json()),
    }
}

/// An image whose bytes stand in the line becomes a `data:` URL.
fn image(source: Source<'_>) -> ContentPart<'_> {
    let mime = source.media_type;
    let path = match source.data {
        Some(data) => data_url(mime, &data),
        None => source.url.or(source.file_id).unwrap_or_default(),
    };
    ContentPart::Image(ImagePart { path, mime: mime.map(Cow::Borrowed), ..ImagePart::default() })
}
