//! Lines that repeat an earlier one but for a text: most of what a model streams.
//!
//! When a line did nothing but add text to a part, and the agent's code said that a line like it would only do so again
//! ([`crate::emit::Emit::repeats`]), what stands around its text is remembered, and around the values in which such lines
//! differ ([`crate::agents::Adapter::differ`]). While nothing else happens, a line with the same bytes around can only say
//! the same with another text, so nothing else of it is read. Any other line is read as always, and unless it is such a
//! line itself, all is forgotten.

use interlinear_schema::Text;
use interlinear_schema::table::same;

use crate::api::Channel;
use crate::emit::Ref;
use crate::json::{self, Kind, Value};

/// What a line did: text was added to this part.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Repeatable {
    pub(crate) session: usize,
    pub(crate) item: Ref,
    pub(crate) part: usize,
    /// Where in memory the text stood.
    pub(crate) address: usize,
    pub(crate) length: usize,
}

/// A line that repeats an earlier one: more text for a part.
#[derive(Debug)]
pub(crate) struct Growth<'l> {
    pub(crate) item: Ref,
    pub(crate) part: usize,
    pub(crate) text: Text<'l>,
    /// The last value in which it differs from others, as it stands there; the line, if there is none.
    pub(crate) mark: &'l [u8],
    pub(crate) channel: &'l Channel,
}

/// The lines that may be repeated: as many as streams that are likely to be interleaved.
#[derive(Debug, Default)]
pub(crate) struct Repeats {
    lines: Vec<Known>,
    /// Where they came from.
    channel: Option<Channel>,
    /// Whose place the next one takes.
    next: usize,
}

const MOST: usize = 4;

/// More than that is not worth a copy.
const LONGEST: usize = 4096;

/// A line that may be repeated.
#[derive(Debug)]
pub(crate) struct Known {
    /// The line without what may differ.
    around: Vec<u8>,
    /// What may differ, in its order, and where in the rest it belongs.
    gaps: Vec<(usize, Filling)>,
    pub(crate) kind: String,
    pub(crate) does: Repeatable,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Filling {
    /// The text that is added.
    Text,
    String,
    Number,
}

impl Repeats {
    /// Lines of this channel follow.
    pub(crate) fn enter(&mut self, channel: &Channel) {
        if self.channel.as_ref() != Some(channel) {
            *self = Self { channel: Some(channel.clone()), ..Self::default() };
        }
    }

    /// The line that this one repeats, and what it says.
    pub(crate) fn find<'l>(&self, line: &'l [u8], channel: &'l Channel) -> Option<(&Known, Growth<'l>)> {
        self.lines.iter().find_map(|known| Some((known, known.growth(line, channel)?)))
    }

    /// The lines that may be repeated, unless something else happens.
    pub(crate) fn take(&mut self) -> Vec<Known> {
        std::mem::take(&mut self.lines)
    }

    /// Remembers a line beside the others; its text stands where `does` says, and lines like it differ in `values`.
    pub(crate) fn learn(
        &mut self,
        others: Vec<Known>,
        line: &[u8],
        values: &[Value<'_>],
        kind: &str,
        does: Repeatable,
    ) {
        self.lines = others;
        let Some(start) = does.address.checked_sub(line.as_ptr().addr()) else { return };
        let end = start + does.length;
        // A text that an earlier line brought, or one that was put together, does not stand here.
        if end >= line.len() || start == 0 || line[start - 1] != b'"' || line[end] != b'"' {
            return;
        }
        let mut spans = vec![((start, end), Filling::Text)];
        spans.extend(values.iter().filter_map(|value| match value.kind() {
            Kind::Plain | Kind::Escaped => Some((value.span(), Filling::String)),
            Kind::Number => Some((value.span(), Filling::Number)),
            _ => None,
        }));
        spans.sort_unstable_by_key(|(span, _)| *span);
        let (mut around, mut gaps, mut at) = (Vec::with_capacity(line.len()), Vec::with_capacity(spans.len()), 0);
        for ((start, end), filling) in spans {
            around.extend_from_slice(&line[at..start]);
            gaps.push((around.len(), filling));
            at = end;
        }
        around.extend_from_slice(&line[at..]);
        if around.len() > LONGEST {
            return;
        }
        let known = Known { around, gaps, kind: kind.to_owned(), does };
        if self.lines.len() < MOST {
            self.lines.push(known);
        } else {
            self.lines[self.next] = known;
            self.next = (self.next + 1) % MOST;
        }
    }

    /// Something else has happened.
    pub(crate) fn forget(&mut self) {
        self.lines.clear();
    }
}

impl Known {
    /// What a line says that differs from this one in its gaps only.
    fn growth<'l>(&self, line: &'l [u8], channel: &'l Channel) -> Option<Growth<'l>> {
        let (mut rest, mut at, mut text, mut mark) = (line, 0, Text::default(), line.trim_ascii());
        for (end, filling) in &self.gaps {
            let (before, from) = rest.split_at_checked(end - at)?;
            if !same(before, &self.around[at..*end]) {
                return None;
            }
            let length = match filling {
                Filling::Text | Filling::String => json::string_length(from)?,
                Filling::Number => json::integer_length(from)?,
            };
            let (found, after) = from.split_at(length);
            // What stands around is valid UTF-8, as it was in the line that was read.
            match filling {
                Filling::Text => text = Text::from_json_body(std::str::from_utf8(found).ok()?),
                Filling::String if !found.is_ascii() && std::str::from_utf8(found).is_err() => return None,
                Filling::String | Filling::Number => mark = found,
            }
            (rest, at) = (after, *end);
        }
        let Repeatable { item, part, .. } = self.does;
        (same(rest, &self.around[at..]) && !text.is_empty()).then_some(Growth { item, part, text, mark, channel })
    }
}

#[cfg(test)]
mod tests;
