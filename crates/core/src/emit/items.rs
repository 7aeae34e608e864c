//! Items: one start, any number of deltas that add up to the final text, one completion.

use std::borrow::Cow;

use interlinear_schema::table::same;
use interlinear_schema::{
    ContentPart, DeltaPart, EventData, Extra, IntoOwned as _, ItemData, ItemDeltaData, ItemKind, ItemRole, ItemStatus,
    Text, ToolCallPart, ToolKind, ToolResultPart, UniversalItem,
};

use super::{CallSpec, Emit, Next, Session, make_unique, push_number};
use crate::hash;
use crate::map::Key;
use crate::state::{Kept, Snapshot, kept};

/// An item that was opened. Stays valid when the item is closed: what is said about it then is late.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ref(u64);

impl Key for Ref {}

impl Kept for Ref {
    fn pass(&mut self, through: &mut Snapshot<'_>) {
        self.0.pass(through);
    }
}

/// What is known of an item when it begins.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spec<'a> {
    /// What its identifier is derived from; empty: a number.
    pub(crate) id: &'a str,
    pub(crate) kind: ItemKind<'static>,
    pub(crate) role: Option<ItemRole<'static>>,
    pub(crate) native: Option<&'a str>,
    /// The `item_id` of its parent.
    pub(crate) parent: Option<&'a str>,
    pub(crate) agent: Option<&'a str>,
}

kept! {
    /// An item that is not completed.
    #[derive(Debug, Default)]
    pub(crate) struct OpenItem {
        pub(super) id: String,
        native: Option<String>,
        parent: Option<String>,
        pub(super) kind: ItemKind<'static>,
        role: Option<ItemRole<'static>>,
        pub(super) agent: Option<String>,
        turn: Option<String>,
        parts: Vec<OpenPart>,
        /// What it was last made of, if that is asked for.
        cause: Option<String>,
    }
}

kept! {
    /// A part of an item that is not completed.
    #[derive(Debug, Default)]
    struct OpenPart {
        /// The part without its text.
        part: ContentPart<'static>,
        /// The text so far, as WTF-8.
        text: Vec<u8>,
        /// The high surrogate at the end of the last delta, which waits for its other half.
        held: Vec<u8>,
    }
}

impl Emit<'_> {
    /// The identifier of an item that is about to begin: unique, and the same in every replay.
    fn fresh_id(&mut self, spec: &Spec<'_>, id: &mut String) {
        let session = self.session_mut();
        id.clear();
        id.reserve(id_length(spec));
        id.push_str(PREFIX);
        let is_result = matches!(spec.kind, ItemKind::ToolResult);
        if spec.id.is_empty() && !is_result {
            session.numbered += 1;
            id.push_str(spec.kind.as_str());
            push_number(id, session.numbered);
        } else {
            id.push_str(spec.id);
            id.push_str(if is_result { RESULT } else { "" });
        }
        make_unique(id, &mut session.begun, |id| begun(&id[PREFIX.len()..]));
    }

    /// Whether an item with this identifier has begun (it may be over).
    pub(crate) fn has_begun(&self, id: &str) -> bool {
        self.session().begun.contains(begun(id))
    }

    /// What caused this, to be kept with an open item.
    pub(crate) fn kept_cause(&self) -> Option<String> {
        self.cause.as_deref().filter(|_| self.book.include_raw).map(str::to_owned)
    }

    fn touch(&mut self, item: Ref) {
        if let Some(cause) = self.cause.as_deref().filter(|_| self.book.include_raw)
            && let Some(open) = self.book.sessions[self.current].items.get_mut(&item)
        {
            cause.clone_into(open.cause.get_or_insert_default());
        }
    }

    /// The call that started a subagent; where it was never seen, it is made from what is known.
    pub(crate) fn ensure_call_of(&mut self, agent: Option<&str>) {
        let Some(agent) = agent.filter(|agent| !self.has_begun(agent)) else { return };
        let part = ToolCallPart {
            name: Cow::Borrowed("unknown"),
            call_id: Cow::Borrowed(agent),
            tool_kind: Some(ToolKind::Task),
            ..ToolCallPart::default()
        };
        self.call(CallSpec { call_id: agent, ..CallSpec::default() }, part, true);
    }

    /// What a subagent says hangs below the call that started it, unless it says otherwise.
    fn parent_of<'s>(spec: &Spec<'s>) -> Option<Cow<'s, str>> {
        spec.parent.map(Cow::Borrowed).or_else(|| spec.agent.map(|agent| Cow::Owned([PREFIX, agent].concat())))
    }

    /// An item that is known whole: start, deltas and completion at once.
    pub(crate) fn item(
        &mut self,
        spec: &Spec<'_>,
        status: ItemStatus<'static>,
        content: Vec<ContentPart<'_>>,
        synthetic: bool,
    ) {
        let long = long_body(&content);
        // What it borrows need not live longer than that.
        let mut content: Vec<ContentPart<'_>> = content;
        if let Some((index, body)) = &long
            && let Some(text) = text_mut(&mut content[*index])
        {
            *text = Text::from_json_body(body);
        }
        self.begin_session();
        self.ensure_call_of(spec.agent);
        let mut id = std::mem::take(&mut *self.book.item_id);
        self.fresh_id(spec, &mut id);
        let parent = Self::parent_of(spec);
        let whole = Whole { id: &id, parent: parent.as_deref(), spec };
        let mut shown = Vec::new();
        for part in &content {
            show_opening(part, &mut shown);
        }
        if let Some(next) = self.next() {
            next.send_item(true, &whole, ItemStatus::InProgress, shown);
        }
        if streams(&spec.kind) {
            for (index, part) in content.iter().enumerate() {
                if let Some((part_type, text)) = text_of(part).filter(|(_, text)| !text.is_empty()) {
                    self.send_now(true, delta(&id, spec.native, part_type, index, text.borrow(), false));
                }
            }
        }
        if let Some(next) = self.next() {
            next.send_item(synthetic, &whole, status, content);
        }
        *self.book.item_id = id;
    }

    /// The identifier of the item that was the last to be known whole.
    pub(crate) fn last_item(&self) -> &str {
        &self.book.item_id
    }

    /// An item begins. `content` holds what is known of its parts, without text that deltas will bring.
    pub(crate) fn open(&mut self, spec: &Spec<'_>, content: Vec<ContentPart<'_>>, synthetic: bool) -> Ref {
        self.begin_session();
        self.ensure_call_of(spec.agent);
        let mut id = String::with_capacity(id_length(spec));
        self.fresh_id(spec, &mut id);
        let parent = Self::parent_of(spec);
        // Most items come to have one part, and parts are large.
        let mut parts = Vec::with_capacity(content.len().max(1));
        let open_part = |part: &ContentPart<'_>| OpenPart { part: part.clone().into_owned(), ..OpenPart::default() };
        parts.extend(content.iter().map(open_part));
        if let Some(next) = self.next() {
            let whole = Whole { id: &id, parent: parent.as_deref(), spec };
            next.send_item(synthetic, &whole, ItemStatus::InProgress, content);
        }
        let turn = turn_of(spec.agent, self.session()).map(str::to_owned);
        let open = OpenItem {
            native: spec.native.map(str::to_owned),
            parent: parent.map(Cow::into_owned),
            kind: spec.kind.clone(),
            role: spec.role.clone(),
            agent: spec.agent.map(str::to_owned),
            turn,
            parts,
            cause: self.kept_cause(),
            id,
        };
        let session = self.session_mut();
        session.last_ref += 1;
        let key = Ref(session.last_ref);
        session.items.insert(key, open);
        key
    }

    /// The identifier of an open item.
    pub(crate) fn id_of(&self, item: Ref) -> Option<&str> {
        self.session().items.get(&item).map(|item| item.id.as_str())
    }

    pub(crate) fn is_open(&self, item: Ref) -> bool {
        self.session().items.contains_key(&item)
    }

    /// A new part of an open item. Its text comes with [`Emit::delta`] or [`Emit::finish_part`].
    pub(crate) fn add_part(&mut self, item: Ref, mut part: ContentPart<'_>) -> usize {
        let Some(open) = self.session_mut().items.get_mut(&item) else {
            self.ignore("late");
            return 0;
        };
        take_text(&mut part);
        open.parts.push(OpenPart { part: part.into_owned(), text: Vec::new(), held: Vec::new() });
        open.parts.len() - 1
    }

    /// A new part of an open item that is known whole: all its text is one delta.
    pub(crate) fn add_whole(&mut self, item: Ref, mut part: ContentPart<'_>) {
        self.touch(item);
        let Some(open) = self.session_mut().items.get_mut(&item) else {
            self.ignore("late");
            return;
        };
        let index = open.parts.len();
        let part_type = text_of(&part).map(|(part_type, _)| part_type);
        let text = take_text(&mut part).map(|text| text.as_wtf8().into_owned()).unwrap_or_default();
        let shows = !text.is_empty();
        open.parts.push(OpenPart { part: part.into_owned(), text, held: Vec::new() });
        if let Some(part_type) = part_type.filter(|_| shows)
            && let Some(next) = self.next()
            && let Some(open) = next.session.items.get(&item)
        {
            let text = Text::from_wtf8(open.parts[index].text.as_slice());
            next.send(true, delta(&open.id, open.native.as_deref(), part_type, index, text, false));
        }
    }

    /// Text is added to a part.
    pub(crate) fn delta(&mut self, item: Ref, part: usize, text: &Text<'_>, synthetic: bool) {
        self.touch(item);
        let session = &mut self.book.sessions[self.current];
        let Some(open) = session.items.get_mut(&item) else {
            self.ignore("late");
            return;
        };
        let Some(open_part) = open.parts.get_mut(part) else { return };
        let Some((part_type, _)) = text_of(&open_part.part) else { return };
        let begin = open_part.text.len();
        let joined = !open_part.held.is_empty();
        open_part.text.append(&mut open_part.held);
        text.append_to(&mut open_part.text);
        if let [.., 0xED, second @ 0xA0..=0xAF, third] = open_part.text[..] {
            open_part.held = vec![0xED, second, third];
            open_part.text.truncate(open_part.text.len() - 3);
        }
        let whole = !joined && open_part.held.is_empty();
        if if whole { text.is_empty() } else { open_part.text.len() == begin } {
            self.ignore("empty delta");
            return;
        }
        let repeated = self.repeated && whole && !synthetic;
        let repeats = repeated && session.repeats(item, part, self.book.now);
        let Some(mut next) = self.next() else { return };
        if !(repeats && next.send_again(text)) {
            let Some(open) = next.session.items.get(&item) else { return };
            let new = if whole { text.borrow() } else { Text::from_wtf8(&open.parts[part].text[begin..]) };
            let data = delta(&open.id, open.native.as_deref(), part_type, part, new, false);
            next.send(synthetic, data);
        }
        if repeated {
            *self.session_mut().grown = Some((item, part));
        }
    }

    /// The final form of a part. Where its text goes on from the deltas, the rest is one more delta; where it
    /// contradicts them, a delta replaces them. Returns false if that cannot be: message text is never replaced, and a
    /// part does not become one of another kind.
    pub(crate) fn finish_part(&mut self, item: Ref, part: usize, last: ContentPart<'_>) -> bool {
        self.put_part(item, part, last, true)
    }

    /// Whether the text of a part is, so far, that of another.
    pub(crate) fn is_text(&self, item: Ref, part: usize, other: &ContentPart<'_>) -> bool {
        let part = self.session().items.get(&item).and_then(|open| open.parts.get(part));
        let text = text_of(other).map(|(_, text)| text.as_wtf8());
        part.is_some_and(|part| text.is_some_and(|text| *text == *part.text))
    }

    /// The whole of a part as it stands now. What is new of its text is a delta.
    pub(crate) fn put_part(&mut self, item: Ref, part: usize, mut last: ContentPart<'_>, synthetic: bool) -> bool {
        self.touch(item);
        let Some(open) = self.session_mut().items.get_mut(&item) else {
            self.ignore("late");
            return true;
        };
        let Some(open_part) = open.parts.get_mut(part) else { return true };
        let kind = |part: &ContentPart<'_>| text_of(part).map(|(kind, _)| kind);
        let streamed = !open_part.text.is_empty() || !open_part.held.is_empty();
        let part_type = kind(&last);
        if streamed && kind(&open_part.part) != part_type {
            return false;
        }
        let text = take_text(&mut last);
        let (Some(part_type), Some(text)) = (part_type, text.as_ref().map(Text::as_wtf8)) else {
            open_part.part = last.into_owned();
            return true;
        };
        // What was held back is where the rest begins, if it is there at all.
        let rest = text
            .split_at_checked(open_part.text.len())
            .filter(|(so_far, _)| same(so_far, &open_part.text))
            .map(|(_, rest)| rest);
        let goes_on = rest.is_some_and(|rest| rest.starts_with(&open_part.held));
        if !goes_on && part_type == DeltaPart::Text && streamed {
            return false;
        }
        open_part.part = last.into_owned();
        open_part.held.clear();
        let replace = rest.is_none();
        let begin = if replace { 0 } else { open_part.text.len() };
        open_part.text.truncate(begin);
        open_part.text.extend_from_slice(&text[begin..]);
        if (begin < text.len() || replace)
            && let Some(next) = self.next()
            && let Some(open) = next.session.items.get(&item)
        {
            let new = Text::from_wtf8(&open.parts[part].text[begin..]);
            let data = delta(&open.id, open.native.as_deref(), part_type, part, new, replace);
            next.send(synthetic, data);
        }
        true
    }

    /// The item is final.
    pub(crate) fn complete(&mut self, item: Ref, status: ItemStatus<'static>, synthetic: bool) {
        self.release_held(item);
        let Some(open) = self.session_mut().items.remove(&item) else {
            self.ignore("late");
            return;
        };
        // Not in the memory of the parts, which is larger: the next item takes that.
        let mut content = Vec::with_capacity(open.parts.len());
        for part in open.parts {
            content.push(with_text(part.part, part.text));
        }
        // What is only now known to be complete was complete with the line before.
        let cause = open.cause.filter(|_| !synthetic || self.cause.is_none()).map(Cow::Owned);
        let before = cause.map(|cause| self.cause.replace(cause));
        let item = UniversalItem {
            item_id: Cow::Borrowed(&open.id),
            kind: open.kind,
            status,
            content,
            native_item_id: open.native.as_deref().map(Cow::Borrowed),
            parent_id: open.parent.as_deref().map(Cow::Borrowed),
            role: open.role,
            turn_id: open.turn.as_deref().map(Cow::Borrowed),
            agent_id: open.agent.as_deref().map(Cow::Borrowed),
            extra: Extra::default(),
        };
        self.send(synthetic, EventData::ItemCompleted(ItemData { item, extra: Extra::default() }));
        if let Some(before) = before {
            self.cause = before;
        }
    }

    /// A surrogate whose other half never came is shown as it is.
    fn release_held(&mut self, item: Ref) {
        loop {
            let Some(open) = self.session_mut().items.get_mut(&item) else { return };
            let Some(index) = open.parts.iter().position(|part| !part.held.is_empty()) else { return };
            let part = &mut open.parts[index];
            let held = std::mem::take(&mut part.held);
            part.text.extend_from_slice(&held);
            let Some((part_type, _)) = text_of(&part.part) else { return };
            let (id, native) = (open.id.clone(), open.native.clone());
            self.send(true, delta(&id, native.as_deref(), part_type, index, Text::from_wtf8(held), false));
        }
    }
}

/// What the identifiers of items begin with.
const PREFIX: &str = "itm_";

/// How the identifiers of results end, which begin with those of their calls.
const RESULT: &str = "_result";

/// How long an identifier is at most, unless it needs a number to be unique.
fn id_length(spec: &Spec<'_>) -> usize {
    "itm_status_9999999".len().max(PREFIX.len() + spec.id.len() + RESULT.len())
}

/// By what an item that has begun is remembered. Requests are remembered beside them, by another hash.
fn begun(id: &str) -> u64 {
    hash::id(id.as_bytes())
}

/// An item that is about to begin, or to begin and end at once.
struct Whole<'w> {
    id: &'w str,
    parent: Option<&'w str>,
    spec: &'w Spec<'w>,
}

impl<'w> Whole<'w> {
    /// It begins, or ends. Built in the event that it is handed over with.
    #[inline]
    fn event(&self, session: &'w Session, status: ItemStatus<'static>, content: Vec<ContentPart<'w>>) -> EventData<'w> {
        let begins = matches!(status, ItemStatus::InProgress);
        let item = UniversalItem {
            item_id: Cow::Borrowed(self.id),
            kind: self.spec.kind.clone(),
            status,
            content,
            native_item_id: self.spec.native.map(Cow::Borrowed),
            parent_id: self.parent.map(Cow::Borrowed),
            role: self.spec.role.clone(),
            turn_id: turn_of(self.spec.agent, session).map(Cow::Borrowed),
            agent_id: self.spec.agent.map(Cow::Borrowed),
            extra: Extra::default(),
        };
        let data = ItemData { item, extra: Extra::default() };
        if begins { EventData::ItemStarted(data) } else { EventData::ItemCompleted(data) }
    }
}

impl<'n> Next<'n> {
    /// An item begins, or ends.
    #[inline(never)]
    fn send_item(self, synthetic: bool, whole: &Whole<'n>, status: ItemStatus<'static>, content: Vec<ContentPart<'n>>) {
        let data = whole.event(self.session, status, content);
        self.stats.count_event(&data);
        self.sink.event(&self.session.event(synthetic, data, self.raw));
    }
}

/// The turn that an agent's items belong to: work of a subagent in the background belongs to none.
fn turn_of<'s>(agent: Option<&str>, session: &'s Session) -> Option<&'s str> {
    let background = agent.is_some_and(|agent| session.background.contains(agent));
    session.turn_id().filter(|_| !background)
}

impl OpenItem {
    /// The text of the first part so far.
    pub(super) fn text_of_first(&self) -> Option<Text<'static>> {
        self.parts.first().map(|part| Text::from_wtf8(part.text.clone()))
    }
}

/// Whether items of this kind show their text by deltas.
fn streams(kind: &ItemKind<'_>) -> bool {
    !matches!(kind, ItemKind::Status | ItemKind::Unknown)
}

/// What of a part is shown when its item begins: calls and results name their tool before any text comes, and a status
/// is what it is.
fn show_opening<'p>(part: &'p ContentPart<'_>, shown: &mut Vec<ContentPart<'p>>) {
    let opening = match part {
        ContentPart::ToolCall(call) => ContentPart::ToolCall(ToolCallPart {
            name: Cow::Borrowed(&call.name),
            call_id: Cow::Borrowed(&call.call_id),
            tool_kind: call.tool_kind.clone(),
            title: call.title.as_ref().map(Text::borrow),
            cwd: call.cwd.as_deref().map(Cow::Borrowed),
            mcp: call.mcp.clone(),
            agent: call.agent.clone(),
            arguments: Text::default(),
            extra: Extra::default(),
        }),
        ContentPart::ToolResult(result) => ContentPart::ToolResult(ToolResultPart {
            call_id: Cow::Borrowed(&result.call_id),
            ..ToolResultPart::default()
        }),
        ContentPart::Status(_) => part.clone(),
        _ => return,
    };
    // There is hardly ever more than one, and they are large.
    shown.reserve_exact(1);
    shown.push(opening);
}

/// The text of a part that deltas can bring.
fn text_of<'p>(part: &'p ContentPart<'_>) -> Option<(DeltaPart<'static>, &'p Text<'p>)> {
    match part {
        ContentPart::Text(part) => Some((DeltaPart::Text, &part.text)),
        ContentPart::Reasoning(part) => Some((DeltaPart::Reasoning, &part.text)),
        ContentPart::ToolCall(part) => Some((DeltaPart::ToolCall, &part.arguments)),
        ContentPart::ToolResult(part) => Some((DeltaPart::ToolResult, &part.output)),
        _ => None,
    }
}

/// The first of some parts with long text that is to be escaped, and that text as it is written: once, for its delta and
/// for its end.
fn long_body(content: &[ContentPart<'_>]) -> Option<(usize, String)> {
    content.iter().enumerate().find_map(|(index, part)| Some((index, text_of(part)?.1.to_json_body()?)))
}

/// Takes the text that deltas bring out of a part.
fn take_text<'p>(part: &mut ContentPart<'p>) -> Option<Text<'p>> {
    text_mut(part).map(std::mem::take)
}

/// The part with its text.
fn with_text(mut part: ContentPart<'static>, text: Vec<u8>) -> ContentPart<'static> {
    if let Some(slot) = text_mut(&mut part) {
        *slot = Text::from_wtf8(text);
    }
    part
}

fn text_mut<'p, 'a>(part: &'p mut ContentPart<'a>) -> Option<&'p mut Text<'a>> {
    match part {
        ContentPart::Text(part) => Some(&mut part.text),
        ContentPart::Reasoning(part) => Some(&mut part.text),
        ContentPart::ToolCall(part) => Some(&mut part.arguments),
        ContentPart::ToolResult(part) => Some(&mut part.output),
        _ => None,
    }
}

fn delta<'a>(
    id: &'a str,
    native: Option<&'a str>,
    part_type: DeltaPart<'static>,
    part: usize,
    text: Text<'a>,
    replace: bool,
) -> EventData<'a> {
    EventData::ItemDelta(ItemDeltaData {
        item_id: Cow::Borrowed(id),
        delta: text,
        native_item_id: native.map(Cow::Borrowed),
        part_type: Some(part_type).filter(|part_type| *part_type != DeltaPart::Text),
        part_index: Some(part as u64),
        replace: replace.then_some(true),
        ..ItemDeltaData::default()
    })
}
