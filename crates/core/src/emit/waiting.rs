//! Lines that waited for another one, and lines that the core writes because of what it read.

use std::borrow::Cow;

use interlinear_schema::Text;

use super::{Emit, add_number};
use crate::hash;

impl Emit<'_> {
    /// Makes the events of a line that waited; `read` reads it. What is said of the line at hand stays.
    pub(crate) fn again(&mut self, line: &str, read: impl FnOnce(&mut Self)) {
        let cause = self.cause.replace(Cow::Owned(line.to_owned()));
        let (kind, ignored, current) = (self.book.kind.to_string(), self.ignored, self.current);
        read(self);
        (self.cause, *self.book.kind, self.ignored, self.current) = (cause, kind, ignored, current);
    }

    /// Writes a line to the agent, because of what it just said. Its events are those of a line that the host wrote.
    pub(crate) fn write(&mut self, line: String) {
        self.book.writes.push(line);
    }

    /// An identifier that nothing in the session has yet. Whoever uses it says so.
    pub(crate) fn free_id(&mut self, base: &str) -> String {
        let mut id = base.to_owned();
        let begun = &mut self.session_mut().begun;
        let hash = |id: &str| hash::of_all(&[id]);
        if begun.contains(hash(base)) {
            let number = add_number(&mut id, begun, hash);
            // It may not be used: only those before it are.
            begun.note_number(hash(base), number - 1);
        }
        id
    }

    /// What the running tool of a call has printed so far.
    pub(crate) fn printed(&self, call_id: &str) -> Option<Text<'static>> {
        let call = self.session().calls.values().find(|call| call.call_id == call_id)?;
        self.session().items.get(&call.result?)?.text_of_first()
    }
}
