//! Reading objects into structs, one mechanism for every agent: any order of keys, the last of doubled keys counts,
//! a value of a wrong type leaves its field empty. What is not known is reported as drift.

use interlinear_schema::Text;
use interlinear_schema::table::Table;

use crate::api::{Drift, DriftKind};
use crate::json::{Kind, Value};
use crate::map::Map;
use crate::state::{Passing, kept};

kept! {
    /// What the agent said that this version does not know.
    #[derive(Debug, Default)]
    pub(crate) struct Drifts {
        seen: Map<(DriftKind, String), (u64, u64)>,
        /// The line that is being read.
        pub(crate) line: u64,
        /// How often something was noted.
        pub(crate) noted: Passing<u64>,
    }
}

/// So many different names are kept; a stream of random keys must not fill the memory.
const MOST: usize = 1000;

impl Drifts {
    pub(crate) fn note(&mut self, what: DriftKind, place: &str, name: &str) {
        *self.noted += 1;
        let end = name.char_indices().nth(80).map_or(name.len(), |(at, _)| at);
        let name = match (place.is_empty(), &name[..end]) {
            (true, name) => name.to_owned(),
            (false, name) => format!("{place}.{name}"),
        };
        let line = self.line;
        let full = self.seen.len() >= MOST;
        match self.seen.get_mut(&(what, name.clone())) {
            Some((count, _)) => *count += 1,
            None if full => {}
            None => {
                self.seen.insert((what, name), (1, line));
            }
        }
    }

    pub(crate) fn report(&self) -> Vec<Drift> {
        self.seen
            .iter()
            .map(|((what, name), (count, first))| Drift {
                what: *what,
                name: name.clone(),
                count: *count,
                first_line: *first,
            })
            .collect()
    }
}

/// Something that can be read out of a JSON value.
pub(crate) trait Wire<'a>: Sized {
    /// Reads the value; nothing if it is of a wrong type.
    fn read(value: Value<'a>, place: &'static str, drift: &mut Drifts) -> Option<Self>;

    /// The same, to where it belongs, which is empty: objects are large, and are not moved once they are read.
    fn read_to(slot: &mut Option<Self>, value: Value<'a>, place: &'static str, drift: &mut Drifts) {
        *slot = Self::read(value, place, drift);
    }
}

/// A word of an object that is read by itself.
pub(crate) fn word<'a>(value: Option<Value<'a>>, place: &str, key: &str, drift: &mut Drifts) -> Option<&'a str> {
    let word = value.filter(|value| value.kind() != Kind::Null)?.str();
    if word.is_none() {
        drift.note(DriftKind::Type, place, key);
    }
    word
}

/// An identifier of an object: an empty one is none.
pub(crate) fn named(id: Option<&str>) -> Option<&str> {
    id.filter(|id| !id.is_empty())
}

/// The object whose fields are read.
#[derive(Debug)]
pub(crate) struct Fields<'a, 'd> {
    pub(crate) table: &'static Table,
    /// Where the object stands, for the drift report.
    pub(crate) place: &'static str,
    pub(crate) value: Value<'a>,
    pub(crate) drift: &'d mut Drifts,
}

impl<'a> Fields<'a, '_> {
    /// Finds the place of each field's value; 0: it is not there. What is not known goes into the drift report. `rest`:
    /// other keys are somebody else's. False if it is no object.
    pub(crate) fn find(&mut self, rest: bool, found: &mut [u32]) -> bool {
        let Self { table, place, value, drift } = self;
        if !value.is_object() {
            return false;
        }
        value.find(table, found, |key, _| {
            if !rest {
                drift.note(DriftKind::Field, place, key.str().unwrap_or_default());
            }
        });
        true
    }

    /// Reads a field, by its number, if it was found. It takes what it can get: a value of a wrong type is reported.
    ///
    /// Most fields of most objects are not there, which is seen without a call.
    #[expect(clippy::inline_always, reason = "it is a comparison")]
    #[inline(always)]
    pub(crate) fn put<T: Wire<'a>>(&mut self, found: u32, field: usize, slot: &mut Option<T>) {
        if found != 0 {
            self.read(found, field, slot);
        }
    }

    #[inline(never)]
    fn read<T: Wire<'a>>(&mut self, found: u32, field: usize, slot: &mut Option<T>) {
        let value = self.value.at(found);
        if value.kind() == Kind::Null {
            return;
        }
        T::read_to(slot, value, self.place, self.drift);
        if slot.is_none() {
            self.mistyped(field);
        }
    }

    #[cold]
    #[inline(never)]
    fn mistyped(&mut self, field: usize) {
        self.drift.note(DriftKind::Type, self.place, self.table.name(field));
    }
}

impl<'a> Wire<'a> for &'a str {
    fn read(value: Value<'a>, _: &'static str, _: &mut Drifts) -> Option<Self> {
        value.str()
    }
}

impl<'a> Wire<'a> for Text<'a> {
    fn read(value: Value<'a>, _: &'static str, _: &mut Drifts) -> Option<Self> {
        value.text()
    }
}

impl<'a> Wire<'a> for bool {
    fn read(value: Value<'a>, _: &'static str, _: &mut Drifts) -> Option<Self> {
        value.bool()
    }
}

impl<'a> Wire<'a> for u64 {
    fn read(value: Value<'a>, _: &'static str, _: &mut Drifts) -> Option<Self> {
        value.u64()
    }
}

impl<'a> Wire<'a> for i64 {
    fn read(value: Value<'a>, _: &'static str, _: &mut Drifts) -> Option<Self> {
        value.i64()
    }
}

impl<'a> Wire<'a> for f64 {
    fn read(value: Value<'a>, _: &'static str, _: &mut Drifts) -> Option<Self> {
        value.f64()
    }
}

/// Anything.
impl<'a> Wire<'a> for Value<'a> {
    fn read(value: Value<'a>, _: &'static str, _: &mut Drifts) -> Option<Self> {
        Some(value)
    }
}

/// A list; elements of a wrong type are left out and reported.
impl<'a, T: Wire<'a>> Wire<'a> for Vec<T> {
    fn read(value: Value<'a>, place: &'static str, drift: &mut Drifts) -> Option<Self> {
        if !value.is_array() {
            return None;
        }
        let mut list = Vec::new();
        for element in value.elements() {
            match T::read(element, place, drift) {
                Some(element) => list.push(element),
                None => drift.note(DriftKind::Type, place, "[]"),
            }
        }
        Some(list)
    }
}

/// Declares an object of an agent's protocol: the fields that are used, then those that are known and not used.
/// `in` names the place for the drift report. A field may have other keys than its name.
macro_rules! wire {
    // `rest`: only these fields are looked at, and others are somebody else's.
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident in $place:literal { $($fields:tt)* }
        rest
    ) => {
        $crate::wire::wire! { @ ($(#[$meta])*) $vis $name $place { $($fields)* } () true }
    };
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident in $place:literal { $($fields:tt)* }
        known $($known:literal)*
    ) => {
        $crate::wire::wire! { @ ($(#[$meta])*) $vis $name $place { $($fields)* } ($($known)*) false }
    };
    (
        @ ($(#[$meta:meta])*) $vis:vis $name:ident $place:literal {
            $( $(#[$fmeta:meta])* $field:ident $(($key:literal $(| $more:literal)*))? : $type:ty, )*
        }
        ($($known:literal)*) $rest:literal
    ) => {
        $(#[$meta])*
        #[derive(Debug, Default)]
        $vis struct $name<'a> {
            $( $(#[$fmeta])* pub(super) $field: Option<$type>, )*
            pub(super) _line: std::marker::PhantomData<&'a ()>,
        }

        impl<'a> $crate::wire::Wire<'a> for $name<'a> {
            fn read(
                value: $crate::json::Value<'a>,
                place: &'static str,
                drift: &mut $crate::wire::Drifts,
            ) -> Option<Self> {
                let mut slot = None;
                Self::read_to(&mut slot, value, place, drift);
                slot
            }

            fn read_to(
                slot: &mut Option<Self>,
                value: $crate::json::Value<'a>,
                _: &'static str,
                drift: &mut $crate::wire::Drifts,
            ) {
                use interlinear_schema::table::{Key, Table, keys};
                const FIELDS: usize = { let names: &[&str] = &[$( stringify!($field) ),*]; names.len() };
                const TEXT: &str = concat!(
                    $( stringify!($field), $crate::wire::words!($field $(, $key $(| $more)*)?), "\n", )*
                    $( $known, " ", )*
                );
                // The table numbers fields in the order in which they are written here.
                #[expect(non_camel_case_types, reason = "they are named as the fields are")]
                enum Number { $( $field, )* }
                static KEYS: &[Key] = &keys::<{ keys::<0>(TEXT, FIELDS).0 }>(TEXT, FIELDS).1;
                static TABLE: Table = Table::new(TEXT, KEYS);
                // One for each field, and one for all keys that are known and not used.
                let mut found = [0; FIELDS + 1];
                let mut fields = $crate::wire::Fields { table: &TABLE, place: $place, value, drift };
                if fields.find($rest, &mut found) {
                    let read = slot.insert(Self::default());
                    $( fields.put(found[Number::$field as usize], Number::$field as usize, &mut read.$field); )*
                }
            }
        }
    };
}

/// The keys of a field, if it has others than its name.
macro_rules! words {
    ($field:ident) => {
        ""
    };
    ($field:ident, $key:literal $(| $more:literal)*) => {
        concat!(" ", $key $(, " ", $more)*)
    };
}

pub(crate) use {wire, words};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Tape;

    wire! {
        struct Sample in "sample" {
            text: &'a str,
            count("count" | "sum"): u64,
            inner: Inner<'a>,
        }
        known "old" "id"
    }

    wire! {
        struct Inner in "sample.inner" {
            list: Vec<bool>,
        }
        rest
    }

    fn read(json: &str) -> (Option<String>, Vec<String>) {
        let (mut tape, mut drift) = (Tape::default(), Drifts::default());
        let sample = tape.read(json).ok().and_then(|value| Sample::read(value, "", &mut drift));
        let shown = sample
            .map(|Sample { text, count, inner, .. }| format!("{text:?} {count:?} {:?}", inner.map(|inner| inner.list)));
        (shown, drift.report().into_iter().map(|drift| format!("{:?} {}", drift.what, drift.name)).collect())
    }

    #[test]
    fn fields_are_found_by_any_of_their_keys_and_the_last_one_counts() {
        let (read, drift) = read(r#"{"sum":1,"inner":{"list":[true],"x":0},"id":2,"text":"a","count":3,"text":"b"}"#);
        assert_eq!(read.as_deref(), Some(r#"Some("b") Some(3) Some(Some([true]))"#));
        assert_eq!(drift, [""; 0]);
    }

    #[test]
    fn what_is_not_known_or_of_a_wrong_type_is_reported_and_null_is_nothing() {
        let (read, drift) = read(r#"{"text":null,"count":"x","inner":{"list":[1]},"new":0,"ide":1}"#);
        assert_eq!(read.as_deref(), Some("None None Some(Some([]))"));
        assert_eq!(drift, ["Field sample.ide", "Field sample.new", "Type sample.count", "Type sample.inner.[]"]);
    }

    #[test]
    fn what_is_no_object_is_not_read() {
        assert_eq!(read("[]"), (None, Vec::new()));
    }
}
