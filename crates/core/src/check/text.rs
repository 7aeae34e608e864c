//! Rule 13: the deltas of an item, put together, are its final text.

use interlinear_schema::{ContentPart, DeltaPart, ItemDeltaData, ItemKind, Text, UniversalItem};

use super::Report;

/// The kinds of parts whose text may come in deltas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Reasoning,
    Arguments,
    Output,
}

const KINDS: [Kind; 4] = [Kind::Text, Kind::Reasoning, Kind::Arguments, Kind::Output];

impl Kind {
    fn of_delta(part: Option<&DeltaPart<'_>>) -> Option<Self> {
        match part {
            None | Some(DeltaPart::Text) => Some(Self::Text),
            Some(DeltaPart::Reasoning) => Some(Self::Reasoning),
            Some(DeltaPart::ToolCall) => Some(Self::Arguments),
            Some(DeltaPart::ToolResult) => Some(Self::Output),
            Some(DeltaPart::Other(_)) => None,
        }
    }

    fn of_part<'p>(part: &'p ContentPart<'_>) -> Option<(Self, Text<'p>)> {
        match part {
            ContentPart::Text(part) => Some((Self::Text, part.text.borrow())),
            ContentPart::Reasoning(part) => Some((Self::Reasoning, part.text.borrow())),
            ContentPart::ToolCall(part) => Some((Self::Arguments, part.arguments.borrow())),
            ContentPart::ToolResult(part) => Some((Self::Output, part.output.borrow())),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Reasoning => "reasoning",
            Self::Arguments => "arguments",
            Self::Output => "output",
        }
    }
}

/// The texts of an item that is still open.
#[derive(Debug, Default)]
pub(super) struct Texts {
    /// What `item.started` held, where it was not empty.
    announced: Vec<Piece>,
    /// What the deltas brought so far.
    streamed: Vec<Piece>,
}

#[derive(Debug)]
struct Piece {
    kind: Kind,
    /// The part's place; a delta need not say it.
    index: Option<u64>,
    text: Vec<u8>,
}

impl Texts {
    /// Looks at what `item.started` holds.
    pub(super) fn started(item: &UniversalItem<'_>, report: &mut Report<'_>) -> Self {
        let mut announced = Vec::new();
        for (index, kind, text) in parts(item) {
            if text.is_empty() {
                continue;
            }
            if kind == Kind::Text && item.kind == ItemKind::Message {
                report.broken(13, format!("item.started of {} holds text that deltas must bring", item.item_id));
            }
            announced.push(Piece { kind, index: Some(index), text: text.as_wtf8().into_owned() });
        }
        Self { announced, streamed: Vec::new() }
    }

    /// Adds a delta.
    pub(super) fn delta(&mut self, delta: &ItemDeltaData<'_>, report: &mut Report<'_>) {
        let Some(kind) = Kind::of_delta(delta.part_type.as_ref()) else {
            return report.broken(13, format!("delta of {} has an unknown part_type", delta.item_id));
        };
        let held = |piece: &Piece| piece.kind == kind && delta.part_index.is_none_or(|at| piece.index == Some(at));
        if self.announced.iter().any(held) {
            let name = kind.name();
            report.broken(13, format!("item.started of {} held {name} that deltas bring", delta.item_id));
            self.announced.retain(|piece| piece.kind != kind);
        }
        let index = delta.part_index;
        let known = self.streamed.iter().position(|piece| piece.kind == kind && piece.index == index);
        let at = known.unwrap_or_else(|| {
            self.streamed.push(Piece { kind, index, text: Vec::new() });
            self.streamed.len() - 1
        });
        let text = &mut self.streamed[at].text;
        if delta.replace == Some(true) {
            if kind == Kind::Text {
                report.broken(13, format!("delta of {} replaces message text", delta.item_id));
            }
            text.clear();
        }
        delta.delta.append_to(text);
    }

    /// Compares what came with what `item.completed` holds.
    pub(super) fn completed(&self, item: &UniversalItem<'_>, report: &mut Report<'_>) {
        for kind in KINDS {
            let of_kind = || self.streamed.iter().filter(move |piece| piece.kind == kind);
            let whole = of_kind().find(|piece| piece.index.is_none());
            if whole.is_some() && of_kind().any(|piece| piece.index.is_some()) {
                let name = kind.name();
                report.broken(13, format!("only some {name} deltas of {} say their part_index", item.item_id));
            } else if let Some(whole) = whole {
                let mut text = Vec::new();
                parts(item).filter(|part| part.1 == kind).for_each(|(.., part)| part.append_to(&mut text));
                compare(item, kind, &whole.text, &text, report);
            } else {
                self.completed_by_index(item, kind, report);
            }
        }
    }

    fn completed_by_index(&self, item: &UniversalItem<'_>, kind: Kind, report: &mut Report<'_>) {
        let find = |pieces: &'_ [Piece], index| {
            pieces.iter().position(|piece| piece.kind == kind && piece.index == Some(index))
        };
        for (index, _, text) in parts(item).filter(|part| part.1 == kind) {
            if let Some(at) = find(&self.streamed, index) {
                compare(item, kind, &self.streamed[at].text, &text.as_wtf8(), report);
            } else if let Some(at) = find(&self.announced, index) {
                compare(item, kind, &self.announced[at].text, &text.as_wtf8(), report);
            } else if !text.is_empty() && (kind != Kind::Text || item.kind == ItemKind::Message) {
                report.broken(13, format!("{} of {} came without a delta", kind.name(), item.item_id));
            }
        }
        let is_part = |index| parts(item).any(|part| part.1 == kind && Some(part.0) == index);
        let came = self.streamed.iter().chain(&self.announced).filter(|piece| piece.kind == kind);
        for lost in came.filter(|piece| !piece.text.is_empty() && !is_part(piece.index)) {
            let (name, index) = (kind.name(), lost.index.unwrap_or_default());
            report.broken(13, format!("{name} of part {index} of {} is not in its final content", item.item_id));
        }
    }
}

/// The parts whose text may come in deltas, with their place.
fn parts<'i>(item: &'i UniversalItem<'_>) -> impl Iterator<Item = (u64, Kind, Text<'i>)> {
    let texts = item.content.iter().map(Kind::of_part);
    (0..).zip(texts).filter_map(|(index, part)| part.map(|(kind, text)| (index, kind, text)))
}

fn compare(item: &UniversalItem<'_>, kind: Kind, came: &[u8], is: &[u8], report: &mut Report<'_>) {
    if came != is {
        let at = came.iter().zip(is).take_while(|(came, is)| came == is).count();
        let (id, name, came, is) = (&item.item_id, kind.name(), came.len(), is.len());
        let message =
            format!("deltas of {id} are not its final {name}: {came} bytes came, {is} are final, the same up to {at}");
        report.broken(13, message);
    }
}
