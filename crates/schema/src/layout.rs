//! What the types look like in the packed form, for the generator of its decoder.

use std::borrow::Cow;

use crate::{Json, Text};

/// How a value is packed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A whole number that is not negative.
    Number,
    /// Another number, a truth value, or any JSON: one value, as it is.
    Value,
    /// An identifier, or its place among the last ones.
    Id,
    /// A text, or its place among the last ones.
    Text,
    /// A word, or its place in the set of this name.
    Word(&'static str),
    /// How many, then each.
    List(Box<Kind>),
    /// The fields of the object of this name, after the mask of its optional ones.
    Object(&'static str),
    /// The type's place and the mask in one number, then the fields.
    Tagged(&'static str),
}

/// A field of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its key.
    pub key: &'static str,
    /// Its value.
    pub kind: Kind,
    /// Whether it may be absent. Absent fields have a bit in the mask, in their order.
    pub optional: bool,
}

/// All types that were described, in the order in which one needs the other.
#[derive(Debug, Default)]
pub struct Types {
    /// Sets of words: name and words, by place.
    pub words: Vec<(&'static str, &'static [&'static str])>,
    /// Objects: name and fields.
    pub objects: Vec<(&'static str, Vec<Field>)>,
    /// Tagged unions: name, and for each type, by place, its name and that of its object.
    pub unions: Vec<(&'static str, Vec<(&'static str, &'static str)>)>,
}

/// Says how it is packed.
pub trait Described {
    /// The kind; types that it needs are added.
    fn describe(types: &mut Types) -> Kind;
}

impl Types {
    /// Adds an object, unless it is known.
    pub fn object(&mut self, name: &'static str, fields: impl FnOnce(&mut Self) -> Vec<Field>) -> Kind {
        if !self.objects.iter().any(|(known, _)| *known == name) {
            let fields = fields(self);
            self.objects.push((name, fields));
        }
        Kind::Object(name)
    }

    /// A field of an object.
    pub fn field(&mut self, key: &'static str, describe: fn(&mut Self) -> Kind, optional: bool) -> Field {
        Field { key, kind: describe(self), optional }
    }

    /// Adds a set of words, unless it is known.
    pub fn words(&mut self, name: &'static str, words: &'static [&'static str]) -> Kind {
        if !self.words.iter().any(|(known, _)| *known == name) {
            self.words.push((name, words));
        }
        Kind::Word(name)
    }

    /// Adds a union whose variants are objects, unless it is known.
    pub(crate) fn tagged(&mut self, name: &'static str, variants: Vec<(&'static str, Kind)>) -> Kind {
        if !self.unions.iter().any(|(known, _)| *known == name) {
            let object = |(tag, kind)| match kind {
                Kind::Object(object) => Some((tag, object)),
                _ => None,
            };
            self.unions.push((name, variants.into_iter().filter_map(object).collect()));
        }
        Kind::Tagged(name)
    }
}

/// Describes what a variant holds.
pub(crate) fn of_variant<T: Described, U>(_: fn(T) -> U, types: &mut Types) -> Kind {
    T::describe(types)
}

macro_rules! values {
    ($($type:ty),*) => { $(
        impl Described for $type {
            fn describe(_: &mut Types) -> Kind {
                Kind::Value
            }
        }
    )* };
}
values!(Json<'_>, bool, i64, f64);

impl Described for u64 {
    fn describe(_: &mut Types) -> Kind {
        Kind::Number
    }
}

impl Described for Text<'_> {
    fn describe(_: &mut Types) -> Kind {
        Kind::Text
    }
}

impl Described for Cow<'_, str> {
    fn describe(_: &mut Types) -> Kind {
        Kind::Id
    }
}

impl<T: Described> Described for Vec<T> {
    fn describe(types: &mut Types) -> Kind {
        Kind::List(Box::new(T::describe(types)))
    }
}
