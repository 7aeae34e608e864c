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
use crate::book::Place;
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
    /// How long the line is.
    pub(crate) length: usize,
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
    pub(crate) place: Place,
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

    /// Whether no line can repeat another.
    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The line that the text begins with, if it repeats one, and what it says.
    pub(crate) fn find<'l>(&self, text: &'l str, channel: &'l Channel) -> Option<(&Known, Growth<'l>)> {
        self.lines.iter().find_map(|known| Some((known, known.growth(text, channel)?)))
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
        (kind, place): (&str, Place),
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
        let known = Known { around, gaps, kind: kind.to_owned(), place, does };
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
    /// What the line says with which the text begins, if it differs from this one in its gaps only.
    #[inline]
    fn growth<'l>(&self, all: &'l str, channel: &'l Channel) -> Option<Growth<'l>> {
        let bytes = all.as_bytes();
        // How far the line was read, and what stands around.
        let (mut read, mut at) = (0, 0);
        let (mut text, mut mark) = (None, None);
        for (end, filling) in &self.gaps {
            let start = read + (end - at);
            if !same(bytes.get(read..start)?, &self.around[at..*end]) {
                return None;
            }
            (read, at) = (start, *end);
            if *filling == Filling::Number {
                read += json::integer_length(bytes, start)?;
                mark = bytes.get(start..read);
                continue;
            }
            let body = json::string_body(&bytes[start..])?;
            read += body.length;
            if *filling == Filling::String {
                mark = bytes.get(start..read);
            } else if body.length == 0 {
                return None;
            } else {
                let found = all.get(start..read)?;
                text = Some(if body.escaped { Text::from_json_body(found) } else { Text::from_plain_body(found) });
            }
        }
        let length = read + (self.around.len() - at);
        if !same(bytes.get(read..length)?, &self.around[at..]) {
            return None;
        }
        let Repeatable { item, part, .. } = self.does;
        let mark = mark.unwrap_or_else(|| all[..length].trim_ascii().as_bytes());
        Some(Growth { item, part, text: text?, mark, channel, length })
    }
}

#[cfg(test)]
mod tests;
