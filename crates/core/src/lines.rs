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
    Text(&'a str),
    /// It is not UTF-8.
    Bytes(&'a [u8]),
    /// It was longer than the limit: its length and hash.
    TooLong(u64, u64),
}

impl<'a> Line<'a> {
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        simdutf8::basic::from_utf8(bytes).map_or(Self::Bytes(bytes), Self::Text)
    }

    /// The line, unless it was too long to be kept.
    pub(crate) fn bytes(self) -> Option<&'a [u8]> {
        match self {
            Self::Text(text) => Some(text.as_bytes()),
            Self::Bytes(bytes) => Some(bytes),
            Self::TooLong(..) => None,
        }
    }
}

/// Takes lines.
pub(crate) trait Reader {
    fn line(&mut self, line: Line<'_>);

    /// Takes as many of the lines with which the text begins as it can at once, and says how long they are with their
    /// ends.
    fn run(&mut self, _text: &str) -> usize {
        0
    }
}

/// Takes them one by one.
struct Each<F>(F);

impl<F: FnMut(Line<'_>)> Reader for Each<F> {
    fn line(&mut self, line: Line<'_>) {
        self.0(line);
    }
}

/// So much is looked at at once, whether it is UTF-8: much more than a line, and little enough to be still at hand when
/// it is read.
const WINDOW: usize = 16 << 10;

impl Lines {
    /// Hands over every line that is now complete.
    pub(crate) fn push(&mut self, chunk: &[u8], limit: usize, line: impl FnMut(Line<'_>)) {
        self.read(chunk, limit, &mut Each(line));
    }

    /// The same, to a reader that may take many at once.
    pub(crate) fn read(&mut self, mut chunk: &[u8], limit: usize, reader: &mut impl Reader) {
        // What is known to be UTF-8 of the chunk's beginning.
        let mut text = text_of(&chunk[..chunk.len().min(WINDOW)]);
        loop {
            if self.begun && self.partial.is_empty() && self.too_long.is_none() {
                let taken = reader.run(text);
                (chunk, text) = (&chunk[taken..], &text[taken..]);
            }
            let Some(end) = memchr::memchr(b'\n', chunk) else { break };
            if text.len() <= end {
                text = text_of(&chunk[..chunk.len().min(WINDOW.max(end + 1))]);
            }
            let (piece, rest) = (&chunk[..end], &chunk[end + 1..]);
            let known = text.get(..end);
            (chunk, text) = (rest, text.get(end + 1..).unwrap_or_default());
            if self.partial.is_empty() && self.too_long.is_none() && piece.len() <= limit {
                let begun = std::mem::replace(&mut self.begun, true);
                reader
                    .line(known.map_or(Line::Bytes(strip_bytes(piece, begun)), |text| Line::Text(strip(text, begun))));
                continue;
            }
            self.hold(piece, limit);
            self.finish(reader);
        }
        if !chunk.is_empty() {
            self.hold(chunk, limit);
        }
    }

    /// Hands over what has no end and never will: the stream is over.
    pub(crate) fn end(&mut self, line: impl FnMut(Line<'_>)) {
        if !self.partial.is_empty() || self.too_long.is_some() {
            self.finish(&mut Each(line));
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

    fn finish(&mut self, reader: &mut impl Reader) {
        if let Some((length, hash)) = self.too_long.take() {
            reader.line(Line::TooLong(length, hash));
        } else {
            let mut held = std::mem::take(&mut self.partial);
            reader.line(Line::of(strip_bytes(&held, self.begun)));
            held.clear();
            // A buffer that one outlier made large is given back.
            if held.capacity() <= 1 << 20 {
                self.partial = held;
            }
        }
        self.begun = true;
    }
}

/// As much of the beginning as is UTF-8.
fn text_of(bytes: &[u8]) -> &str {
    let valid = match simdutf8::compat::from_utf8(bytes) {
        Ok(text) => return text,
        Err(error) => &bytes[..error.valid_up_to()],
    };
    simdutf8::basic::from_utf8(valid).unwrap_or_default()
}

/// Takes the carriage return off a line, and a byte order mark off the first one.
fn strip(line: &str, begun: bool) -> &str {
    let line = if begun { line } else { line.strip_prefix('\u{FEFF}').unwrap_or(line) };
    line.strip_suffix('\r').unwrap_or(line)
}

fn strip_bytes(line: &[u8], begun: bool) -> &[u8] {
    let line = if begun { line } else { line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line) };
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

/// The frame of a line of server-sent events, as servers write it.
pub(crate) const FRAME: &str = "data: ";

/// Takes the frame off a line of server-sent events. Agents send one line of JSON an event; a bare line of JSON is
/// taken as it is, as recordings have it.
pub(crate) fn sse(line: &[u8]) -> SseLine<'_> {
    if let Some(data) = line.strip_prefix(b"data:") {
        return SseLine::Data(data.strip_prefix(b" ").unwrap_or(data));
    }
    let framing = [&b"event:"[..], b"id:", b"retry:", b":"].iter().any(|field| line.starts_with(field));
    if framing || line.is_empty() { SseLine::Framing } else { SseLine::Data(line) }
}
