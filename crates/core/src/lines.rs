//! Chunks → whole lines.

use crate::hash;
use crate::map::Map;
use crate::state::kept;

/// The longest line that is read if the host does not say otherwise.
pub(crate) const MAX_LINE: usize = 64 << 20;

kept! {
    /// Cuts one stream into lines. Holds only what has no end yet.
    #[derive(Debug, Default)]
    pub(crate) struct Lines {
        partial: Vec<u8>,
        /// A line that is longer than the limit: how long so far, and its hash.
        too_long: Option<(u64, u64)>,
        begun: bool,
    }
}

/// A line, without its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    Whole(&'a [u8]),
    /// It was longer than the limit: its length and hash.
    TooLong(u64, u64),
}

impl Lines {
    /// Hands over every line that is now complete.
    pub(crate) fn push(&mut self, mut chunk: &[u8], limit: usize, mut line: impl FnMut(Line<'_>)) {
        while let Some(end) = memchr::memchr(b'\n', chunk) {
            let (piece, rest) = (&chunk[..end], &chunk[end + 1..]);
            chunk = rest;
            if self.partial.is_empty() && self.too_long.is_none() && piece.len() <= limit {
                let piece = self.first(piece);
                line(Line::Whole(strip_return(piece)));
                continue;
            }
            self.hold(piece, limit);
            self.finish(&mut line);
        }
        if !chunk.is_empty() {
            self.hold(chunk, limit);
        }
    }

    /// Hands over what has no end and never will: the stream is over.
    pub(crate) fn end(&mut self, mut line: impl FnMut(Line<'_>)) {
        if !self.partial.is_empty() || self.too_long.is_some() {
            self.finish(&mut line);
        }
    }

    fn hold(&mut self, piece: &[u8], limit: usize) {
        if let Some((length, hash)) = &mut self.too_long {
            *length += piece.len() as u64;
            *hash = hash::more(*hash, piece);
        } else if self.partial.len() + piece.len() > limit {
            let hash = hash::more(hash::of(&self.partial), piece);
            self.too_long = Some(((self.partial.len() + piece.len()) as u64, hash));
            self.partial = Vec::new();
        } else {
            self.partial.extend_from_slice(piece);
        }
    }

    fn finish(&mut self, line: &mut impl FnMut(Line<'_>)) {
        if let Some((length, hash)) = self.too_long.take() {
            line(Line::TooLong(length, hash));
        } else {
            let mut held = std::mem::take(&mut self.partial);
            line(Line::Whole(strip_return(self.first(&held))));
            held.clear();
            // A buffer that one outlier made large is given back.
            if held.capacity() <= 1 << 20 {
                self.partial = held;
            }
        }
        self.begun = true;
    }

    /// Takes a byte order mark off the first line.
    fn first<'a>(&mut self, piece: &'a [u8]) -> &'a [u8] {
        let begun = std::mem::replace(&mut self.begun, true);
        if begun { piece } else { piece.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(piece) }
    }
}

fn strip_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The lines of every channel, apart.
pub(crate) type Channels = Map<String, Lines>;

/// What a line of a stream of server-sent events holds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SseLine<'a> {
    /// The payload of an event.
    Data(&'a [u8]),
    /// A field that carries no payload, or a comment.
    Framing,
}

/// Takes the frame off a line of server-sent events. Agents send one line of JSON an event; a bare line of JSON is
/// taken as it is, as recordings have it.
pub(crate) fn sse(line: &[u8]) -> SseLine<'_> {
    if let Some(data) = line.strip_prefix(b"data:") {
        return SseLine::Data(data.strip_prefix(b" ").unwrap_or(data));
    }
    let framing = [&b"event:"[..], b"id:", b"retry:", b":"].iter().any(|field| line.starts_with(field));
    if framing || line.is_empty() { SseLine::Framing } else { SseLine::Data(line) }
}
