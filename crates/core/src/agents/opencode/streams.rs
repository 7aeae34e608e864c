//! The streams of one server: a host may read several of them, and hears most events on each.

use std::collections::VecDeque;

use interlinear_schema::Text;

use crate::hash;
use crate::json::Value;
use crate::state::kept;

/// So many events that were not told on every stream are remembered: as far as one stream may run ahead of another.
const MOST: usize = 4096;
/// The same while there is one stream only: as much as a second may be behind when it begins.
const MOST_OF_ONE: usize = 256;
/// The streams have a bit each; a server has three.
const MOST_STREAMS: usize = 8;

kept! {
    /// What was told on which stream.
    #[derive(Debug, Default)]
    pub(super) struct Streams {
        /// Their paths.
        names: Vec<String>,
        /// Events that are not told on every stream yet: a hash, and the streams that told it.
        told: VecDeque<(u64, u8)>,
    }
}

impl Streams {
    /// Notes an event. True if another stream has told it: the nth of several that are alike is the nth there too.
    pub(super) fn repeats(&mut self, stream: &str, key: u64) -> bool {
        let Some(bit) = self.bit(stream) else { return false };
        let several = self.names.len() > 1;
        let known = |(other, by): &(u64, u8)| *other == key && by & bit == 0;
        if several && let Some(at) = self.told.iter().position(known) {
            self.told[at].1 |= bit;
            if self.told[at].1.count_ones() as usize == self.names.len() {
                self.told.remove(at);
            }
            return true;
        }
        let most = if several { MOST } else { MOST_OF_ONE };
        while self.told.len() >= most {
            self.told.pop_front();
        }
        self.told.push_back((key, bit));
        false
    }

    /// Whether something has come on this stream before.
    pub(super) fn knows(&self, stream: &str) -> bool {
        self.names.iter().any(|name| name == stream)
    }

    fn bit(&mut self, stream: &str) -> Option<u8> {
        // A stream that is alone often has no path: it is found without a comparison of nothing with nothing, which is slow.
        let is_it = |name: &String| name.len() == stream.len() && (stream.is_empty() || name == stream);
        let known = self.names.iter().position(is_it);
        let at = known.unwrap_or(self.names.len());
        if at == MOST_STREAMS {
            return None;
        }
        if known.is_none() {
            self.names.push(stream.to_owned());
        }
        Some(1 << at)
    }
}

/// What an event is known by, on every stream: its identifier, or all that it says. Versions before 1.14 give them none.
pub(super) fn key(id: Option<Value<'_>>, event: Value<'_>) -> u64 {
    let id = id.and_then(Value::text);
    hash::id(id.as_ref().and_then(Text::source).unwrap_or(event.raw().as_bytes()))
}
