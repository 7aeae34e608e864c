//! One declaration per type of the schema: the struct, how it is read and written (serde, JSON, packed), and its layout.

use std::borrow::Cow;

use crate::json::{IntoOwned, Json, ToJson};

/// Fields that this version does not know (or that stood there as `null`), kept so that they are written back.
///
/// There are hardly ever any, and every object has a place for them: none take no more than a pointer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Extra<'a>(Option<Box<Members<'a>>>);

/// Keys and values; there is at least one.
#[derive(Debug, Clone, PartialEq, Default)]
struct Members<'a>(Vec<(Cow<'a, str>, Json<'a>)>);

impl<'a> Extra<'a> {
    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The keys and their values.
    pub fn members(&self) -> &[(Cow<'a, str>, Json<'a>)] {
        self.0.as_deref().map_or(&[], |members| &members.0)
    }

    /// Adds a field; of doubled keys the last one counts.
    pub fn insert(&mut self, key: impl Into<Cow<'a, str>>, value: Json<'a>) {
        let key = key.into();
        self.remove(&key);
        self.0.get_or_insert_default().0.push((key, value));
    }

    /// Takes a field away.
    pub fn remove(&mut self, key: &str) {
        if let Some(members) = &mut self.0 {
            members.0.retain(|(known, _)| known != key);
            if members.0.is_empty() {
                self.0 = None;
            }
        }
    }

    /// Writes every field as `,"key":value`.
    pub(crate) fn write_members(&self, out: &mut Vec<u8>) {
        for (key, value) in self.members() {
            out.push(b',');
            key.write_json(out);
            out.push(b':');
            value.write_json(out);
        }
    }
}

impl IntoOwned for Extra<'_> {
    type Owned = Extra<'static>;
    fn into_owned(self) -> Extra<'static> {
        let owned = |(key, value): (Cow<'_, str>, Json<'_>)| (Cow::Owned(key.into_owned()), value.into_owned());
        Extra(self.0.map(|members| Box::new(Members(members.0.into_iter().map(owned).collect()))))
    }
}

/// The key of a field in JSON.
macro_rules! key {
    (r#type) => {
        "type"
    };
    ($field:ident) => {
        stringify!($field)
    };
}

/// Declares an object of the schema. `required` fields are always written; `optional` ones are left out when empty.
/// Reading keeps unknown fields in `extra`; of doubled keys the last one wins.
macro_rules! object {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            required { $( $(#[$rmeta:meta])* $rfield:ident : $rtype:ty, )* }
            optional { $( $(#[$ometa:meta])* $ofield:ident : $otype:ty, )* }
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Default)]
        #[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
        #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
        pub struct $name<'a> {
            $( $(#[$rmeta])* pub $rfield: $rtype, )*
            $(
                $(#[$ometa])*
                #[cfg_attr(feature = "tsify", tsify(optional))]
                pub $ofield: Option<$otype>,
            )*
            /// Fields that this version does not know.
            #[cfg_attr(any(feature = "tsify", feature = "schemars"), serde(skip))]
            pub extra: $crate::Extra<'a>,
        }

        impl $name<'_> {
            /// Writes the fields, each as `,"key":value`.
            pub(crate) fn write_members(&self, out: &mut Vec<u8>) {
                $(
                    out.extend_from_slice(concat!(",\"", $crate::macros::key!($rfield), "\":").as_bytes());
                    $crate::ToJson::write_json(&self.$rfield, out);
                )*
                $(
                    if let Some(value) = &self.$ofield {
                        out.extend_from_slice(concat!(",\"", $crate::macros::key!($ofield), "\":").as_bytes());
                        $crate::ToJson::write_json(value, out);
                    }
                )*
                self.extra.write_members(out);
            }
        }

        impl $crate::ToJson for $name<'_> {
            fn write_json(&self, out: &mut Vec<u8>) {
                let start = out.len();
                self.write_members(out);
                if out.len() == start {
                    out.push(b'{');
                } else {
                    // The first field's comma makes room for the brace.
                    out[start] = b'{';
                }
                out.push(b'}');
            }
        }

        impl $name<'_> {
            /// Which optional fields are there, one bit each.
            pub(crate) fn mask(&self) -> u32 {
                $crate::packed::mask(&[$( self.$ofield.is_some(), )*])
            }

            /// Packs the fields that are there.
            pub(crate) fn pack_members(&self, packer: &mut $crate::packed::Packer) {
                if !self.extra.is_empty() {
                    packer.refuse();
                }
                $( $crate::packed::Pack::pack(&self.$rfield, packer); )*
                $(
                    if let Some(value) = &self.$ofield {
                        $crate::packed::Pack::pack(value, packer);
                    }
                )*
            }
        }

        impl $crate::packed::Pack for $name<'_> {
            fn pack(&self, packer: &mut $crate::packed::Packer) {
                packer.number(u64::from(self.mask()));
                self.pack_members(packer);
            }
        }

        #[cfg(feature = "layout")]
        impl<'a> $crate::layout::Described for $name<'a> {
            fn describe(types: &mut $crate::layout::Types) -> $crate::layout::Kind {
                types.object(stringify!($name), |types| vec![
                    $( types.field($crate::macros::key!($rfield), <$rtype as $crate::layout::Described>::describe, false), )*
                    $( types.field($crate::macros::key!($ofield), <$otype as $crate::layout::Described>::describe, true), )*
                ])
            }
        }

        impl serde::Serialize for $name<'_> {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap as _;
                let mut map = serializer.serialize_map(None)?;
                $( map.serialize_entry($crate::macros::key!($rfield), &self.$rfield)?; )*
                $(
                    if let Some(value) = &self.$ofield {
                        map.serialize_entry($crate::macros::key!($ofield), value)?;
                    }
                )*
                for (key, value) in self.extra.members() {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }

        impl<'de> serde::Deserialize<'de> for $name<'static> {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::read::deserialize(deserializer, |value| {
                    <$name<'_> as $crate::FromJson<'_>>::from_json(value).map($crate::IntoOwned::into_owned)
                })
            }
        }

        impl<'a> $crate::FromJson<'a> for $name<'a> {
            fn from_json(value: $crate::tape::Value<'a>) -> Result<Self, $crate::Mismatch> {
                use $crate::table::{Key, Table, keys};
                const REQUIRED: usize = { let names: &[&str] = &[$( stringify!($rfield) ),*]; names.len() };
                const FIELDS: usize = REQUIRED + { let names: &[&str] = &[$( stringify!($ofield) ),*]; names.len() };
                const TEXT: &str = concat!(
                    $( $crate::macros::key!($rfield), "\n", )*
                    $( $crate::macros::key!($ofield), "\n", )*
                );
                static KEYS: &[Key] = &keys::<{ keys::<0>(TEXT, FIELDS).0 }>(TEXT, FIELDS).1;
                static TABLE: Table = Table::new(TEXT, KEYS);
                let mut _fields = $crate::read::Fields::find(&TABLE, REQUIRED, value)?;
                // In the order in which they are written here, which is that of the table.
                Ok(Self {
                    $( $rfield: _fields.required()?, )*
                    $( $ofield: _fields.optional()?, )*
                    extra: _fields.extra,
                })
            }
        }

        impl<'a> $crate::IntoOwned for $name<'a> {
            type Owned = $name<'static>;
            fn into_owned(self) -> $name<'static> {
                $name {
                    $( $rfield: $crate::IntoOwned::into_owned(self.$rfield), )*
                    $( $ofield: $crate::IntoOwned::into_owned(self.$ofield), )*
                    extra: $crate::IntoOwned::into_owned(self.extra),
                }
            }
        }
    };
}

/// Declares a set of words. A word that is not known is kept in `Other`; older spellings are read (`| "old"`).
/// The first word is the default.
macro_rules! words {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $(#[$fmeta:meta])* $first:ident = $fword:literal $(| $fold:literal)*,
            $( $(#[$vmeta:meta])* $variant:ident = $word:literal $(| $old:literal)*, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, Default)]
        #[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
        #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
        pub enum $name<'a> {
            $(#[$fmeta])*
            #[default]
            #[cfg_attr(any(feature = "tsify", feature = "schemars"), serde(rename = $fword))]
            $first,
            $(
                $(#[$vmeta])*
                #[cfg_attr(any(feature = "tsify", feature = "schemars"), serde(rename = $word))]
                $variant,
            )*
            /// A word that this version does not know.
            #[cfg_attr(any(feature = "tsify", feature = "schemars"), serde(skip))]
            Other(std::borrow::Cow<'a, str>),
        }

        impl $name<'_> {
            /// The word as it stands in JSON.
            pub fn as_str(&self) -> &str {
                match self {
                    Self::$first => $fword,
                    $( Self::$variant => $word, )*
                    Self::Other(word) => word,
                }
            }
        }

        impl<'a> From<&'a str> for $name<'a> {
            fn from(word: &'a str) -> Self {
                match word {
                    $fword $(| $fold)* => Self::$first,
                    $( $word $(| $old)* => Self::$variant, )*
                    _ => Self::Other(std::borrow::Cow::Borrowed(word)),
                }
            }
        }

        impl $crate::ToJson for $name<'_> {
            fn write_json(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(match self {
                    Self::$first => concat!("\"", $fword, "\"").as_bytes(),
                    $( Self::$variant => concat!("\"", $word, "\"").as_bytes(), )*
                    Self::Other(word) => return $crate::ToJson::write_json(word, out),
                });
            }
        }

        impl $crate::packed::Pack for $name<'_> {
            fn pack(&self, packer: &mut $crate::packed::Packer) {
                enum Place { $first, $( $variant, )* }
                packer.word(match self {
                    Self::$first => Ok(Place::$first as u8),
                    $( Self::$variant => Ok(Place::$variant as u8), )*
                    Self::Other(word) => Err(word),
                });
            }
        }

        #[cfg(feature = "layout")]
        impl $crate::layout::Described for $name<'_> {
            fn describe(types: &mut $crate::layout::Types) -> $crate::layout::Kind {
                types.words(stringify!($name), &[$fword, $( $word, )*])
            }
        }

        impl serde::Serialize for $name<'_> {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name<'static> {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                Ok($crate::IntoOwned::into_owned($name::from(word.as_ref())))
            }
        }

        impl<'a> $crate::FromJson<'a> for $name<'a> {
            fn from_json(value: $crate::tape::Value<'a>) -> Result<Self, $crate::Mismatch> {
                match value.str() {
                    Some(word) => Ok($name::from(word)),
                    None => Err($crate::Mismatch::expected("a string")),
                }
            }
        }

        impl<'a> $crate::IntoOwned for $name<'a> {
            type Owned = $name<'static>;
            fn into_owned(self) -> $name<'static> {
                match self {
                    Self::$first => $name::$first,
                    $( Self::$variant => $name::$variant, )*
                    Self::Other(word) => $name::Other(std::borrow::Cow::Owned(word.into_owned())),
                }
            }
        }
    };
}

pub(crate) use {key, object, words};
