//! Reading objects into structs, one mechanism for every agent: any order of keys, the last of doubled keys counts,
//! a value of a wrong type leaves its field empty. What is not known is reported as drift.

use std::borrow::Cow;

use interlinear_schema::Text;
use serde::{Deserialize, Serialize};

use crate::api::{Drift, DriftKind};
use crate::json::{Kind, Value};
use crate::map::Map;

/// What the agent said that this version does not know.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Drifts {
    seen: Map<(DriftKind, String), (u64, u64)>,
    /// The line that is being read.
    pub(crate) line: u64,
    /// How often something was noted.
    #[serde(skip)]
    pub(crate) noted: u64,
}

/// So many different names are kept; a stream of random keys must not fill the memory.
const MOST: usize = 1000;

impl Drifts {
    pub(crate) fn note(&mut self, what: DriftKind, place: &str, name: &str) {
        self.noted += 1;
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
}

/// A field that takes what it can get.
pub(crate) fn fill<'a, T: Wire<'a>>(
    field: &mut Option<T>,
    value: Value<'a>,
    place: &'static str,
    key: &'static str,
    drift: &mut Drifts,
) {
    if value.kind() == Kind::Null {
        *field = None;
        return;
    }
    *field = T::read(value, place, drift);
    if field.is_none() {
        drift.note(DriftKind::Type, place, key);
    }
}

impl<'a> Wire<'a> for Cow<'a, str> {
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
        $crate::wire::wire! { @ ($(#[$meta])*) $vis $name $place { $($fields)* } () (_ => {}) }
    };
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident in $place:literal { $($fields:tt)* }
        known $($known:literal)*
    ) => {
        $crate::wire::wire! { @ ($(#[$meta])*) $vis $name $place { $($fields)* } ($($known)*) () }
    };
    (
        @ ($(#[$meta:meta])*) $vis:vis $name:ident $place:literal {
            $( $(#[$fmeta:meta])* $field:ident $(($key:literal $(| $more:literal)*))? : $type:ty, )*
        }
        ($($known:literal)*) ($($rest:tt)*)
    ) => {
        $(#[$meta])*
        #[derive(Debug, Default)]
        $vis struct $name<'a> {
            $( $(#[$fmeta])* pub(super) $field: Option<$type>, )*
            pub(super) _line: std::marker::PhantomData<&'a ()>,
        }

        impl<'a> $crate::wire::Wire<'a> for $name<'a> {
            fn read(value: $crate::json::Value<'a>, _: &'static str, drift: &mut $crate::wire::Drifts) -> Option<Self> {
                if !value.is_object() {
                    return None;
                }
                let mut object = Self::default();
                for (key, value) in value.members() {
                    match key.as_ref() {
                        $(
                            $crate::wire::keys!($field $(, $key $(| $more)*)?) => {
                                $crate::wire::fill(&mut object.$field, value, $place, stringify!($field), drift);
                            }
                        )*
                        $( $known => {} )*
                        $($rest)*
                        #[allow(unreachable_patterns)]
                        _ => drift.note($crate::api::DriftKind::Field, $place, &key),
                    }
                }
                Some(object)
            }
        }
    };
}

macro_rules! keys {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident, $key:literal $(| $more:literal)*) => {
        $key $(| $more)*
    };
}

pub(crate) use {keys, wire};
