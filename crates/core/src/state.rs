//! How state is kept in a snapshot: one description of a type serves for writing and for reading.

use std::collections::VecDeque;

use interlinear_schema::tape::Tape;
use interlinear_schema::{
    ContentPart, FromJson, IntoOwned, ItemKind, ItemRole, Json, PermissionData, QuestionData, ToJson,
};

/// A snapshot that is being written or read. Numbers are written in as few bytes as they need, lists with their
/// length before them.
#[derive(Debug)]
pub(crate) struct Snapshot<'a> {
    written: Vec<u8>,
    /// What is still to be read; nothing if the snapshot is being written.
    rest: Option<&'a [u8]>,
    damaged: bool,
}

/// What a snapshot keeps.
pub(crate) trait Kept: Sized {
    /// Writes the value into the snapshot, or takes it from there.
    fn pass(&mut self, through: &mut Snapshot<'_>);

    /// The same for a list.
    #[inline(never)]
    fn pass_all(list: &mut Vec<Self>, through: &mut Snapshot<'_>)
    where
        Self: Default,
    {
        let length = through.length(list.len());
        list.resize_with(length, Self::default);
        for value in list {
            value.pass(through);
        }
    }
}

/// The snapshot of a state.
pub(crate) fn write(state: &mut impl Kept) -> Vec<u8> {
    let mut snapshot = Snapshot { written: Vec::new(), rest: None, damaged: false };
    state.pass(&mut snapshot);
    snapshot.written
}

/// The state of a snapshot. Nothing if it is damaged: then the state is not to be used.
pub(crate) fn read(state: &mut impl Kept, bytes: &[u8]) -> Option<()> {
    let mut snapshot = Snapshot { written: Vec::new(), rest: Some(bytes), damaged: false };
    state.pass(&mut snapshot);
    (!snapshot.damaged && snapshot.rest == Some(&[])).then_some(())
}

impl Snapshot<'_> {
    /// Whether values are taken from the snapshot.
    pub(crate) fn reads(&self) -> bool {
        self.rest.is_some()
    }

    /// What was read cannot be.
    pub(crate) fn refuse(&mut self) {
        self.damaged = true;
    }

    #[inline(never)]
    fn byte(&mut self, byte: u8) -> u8 {
        match &mut self.rest {
            None => {
                self.written.push(byte);
                byte
            }
            Some([first, rest @ ..]) => {
                let first = *first;
                self.rest = Some(rest);
                first
            }
            Some([]) => {
                self.damaged = true;
                0
            }
        }
    }

    #[inline(never)]
    fn number(&mut self, mut number: u64) -> u64 {
        let (mut read, mut shift) = (0, 0);
        loop {
            let more = if number > 0x7F { 0x80 } else { 0 };
            let byte = self.byte((number & 0x7F) as u8 | more);
            read |= u64::from(byte & 0x7F).checked_shl(shift).unwrap_or_default();
            if byte & 0x80 == 0 || shift > 63 {
                return read;
            }
            number >>= 7;
            shift += 7;
        }
    }

    /// The length of a list. A damaged snapshot has short lists only: no memory is spent on them.
    pub(crate) fn length(&mut self, length: usize) -> usize {
        let length = self.number(length as u64) as usize;
        if self.rest.is_some_and(|rest| length > rest.len()) {
            self.damaged = true;
            return 0;
        }
        length
    }

    fn bytes(&mut self, bytes: &mut Vec<u8>) {
        let length = self.length(bytes.len());
        match self.rest {
            None => self.written.extend_from_slice(bytes),
            Some(rest) => {
                let (taken, rest) = rest.split_at(length);
                *bytes = taken.to_vec();
                self.rest = Some(rest);
            }
        }
    }
}

/// What need not be kept: it is made anew where it is needed.
#[derive(Debug, Default)]
pub(crate) struct Passing<T>(T);

impl<T> Kept for Passing<T> {
    fn pass(&mut self, _: &mut Snapshot<'_>) {}
}

impl<T> std::ops::Deref for Passing<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> std::ops::DerefMut for Passing<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl Kept for u64 {
    fn pass(&mut self, through: &mut Snapshot<'_>) {
        *self = through.number(*self);
    }
}

impl Kept for usize {
    fn pass(&mut self, through: &mut Snapshot<'_>) {
        *self = through.number(*self as u64) as Self;
    }
}

impl Kept for i64 {
    fn pass(&mut self, through: &mut Snapshot<'_>) {
        // Small numbers stay small, whatever their sign.
        let number = through.number(((*self << 1) ^ (*self >> 63)) as u64);
        *self = (number >> 1).cast_signed() ^ -(number & 1).cast_signed();
    }
}

impl Kept for f64 {
    fn pass(&mut self, through: &mut Snapshot<'_>) {
        *self = Self::from_bits(through.number(self.to_bits()));
    }
}

impl Kept for bool {
    fn pass(&mut self, through: &mut Snapshot<'_>) {
        *self = through.byte((*self).into()) != 0;
    }
}

impl Kept for u8 {
    fn pass(&mut self, through: &mut Snapshot<'_>) {
        *self = through.byte(*self);
    }

    fn pass_all(list: &mut Vec<Self>, through: &mut Snapshot<'_>) {
        through.bytes(list);
    }
}

impl Kept for String {
    #[inline(never)]
    fn pass(&mut self, through: &mut Snapshot<'_>) {
        let mut bytes = std::mem::take(self).into_bytes();
        through.bytes(&mut bytes);
        match Self::from_utf8(bytes) {
            Ok(text) => *self = text,
            Err(_) => through.refuse(),
        }
    }
}

impl<T: Kept + Default> Kept for Option<T> {
    #[inline(never)]
    fn pass(&mut self, through: &mut Snapshot<'_>) {
        let mut there = self.is_some();
        there.pass(through);
        if there {
            self.get_or_insert_default().pass(through);
        }
    }
}

impl<T: Kept + Default> Kept for Vec<T> {
    fn pass(&mut self, through: &mut Snapshot<'_>) {
        T::pass_all(self, through);
    }
}

impl<T: Kept + Default> Kept for VecDeque<T> {
    fn pass(&mut self, through: &mut Snapshot<'_>) {
        let mut list = Vec::from(std::mem::take(self));
        list.pass(through);
        *self = list.into();
    }
}

impl<T: Kept> Kept for Box<T> {
    fn pass(&mut self, through: &mut Snapshot<'_>) {
        self.as_mut().pass(through);
    }
}

impl<T: Kept, const N: usize> Kept for [T; N] {
    fn pass(&mut self, through: &mut Snapshot<'_>) {
        for value in self {
            value.pass(through);
        }
    }
}

impl<A: Kept, B: Kept> Kept for (A, B) {
    fn pass(&mut self, through: &mut Snapshot<'_>) {
        self.0.pass(through);
        self.1.pass(through);
    }
}

/// Values of the schema are kept as their JSON.
macro_rules! as_json {
    ($($type:ident)*) => { $(
        impl Kept for $type<'static> {
            #[inline(never)]
            fn pass(&mut self, through: &mut Snapshot<'_>) {
                let mut json = if through.reads() { String::new() } else { text(self) };
                json.pass(through);
                if through.reads() {
                    match Tape::default().read(&json).ok().and_then(|value| $type::from_json(value).ok()) {
                        Some(value) => *self = value.into_owned(),
                        None => through.refuse(),
                    }
                }
            }
        }
    )* };
}

as_json!(ItemKind ItemRole ContentPart PermissionData QuestionData);

fn text(value: &dyn ToJson) -> String {
    Json::of(value).as_str().to_owned()
}

/// Declares a type that snapshots keep: a struct of such types, or an enum whose variants hold one or nothing.
macro_rules! kept {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $( $(#[$fmeta:meta])* $fvis:vis $field:ident : $type:ty, )*
        }
    ) => {
        $(#[$meta])*
        $vis struct $name {
            $( $(#[$fmeta])* $fvis $field: $type, )*
        }

        $crate::state::kept_fields!($name { $( $field ),* });
    };
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $( $(#[$vmeta:meta])* $variant:ident $(($type:ty))?, )*
        }
    ) => {
        $(#[$meta])*
        $vis enum $name {
            $( $(#[$vmeta])* $variant $(($type))?, )*
        }

        $crate::state::kept_variants!($name { $( $variant $(($type))? ),* });
    };
}

/// Describes a struct that is declared elsewhere.
macro_rules! kept_fields {
    ($name:ident { $( $field:ident ),* }) => {
        impl $crate::state::Kept for $name {
            #[cold]
            #[inline(never)]
            fn pass(&mut self, through: &mut $crate::state::Snapshot<'_>) {
                // All of them: one that is forgotten does not compile.
                let Self { $( $field ),* } = self;
                $( $crate::state::Kept::pass($field, through); )*
            }
        }
    };
}

/// Describes an enum that is declared elsewhere.
macro_rules! kept_variants {
    ($name:ident { $( $variant:ident $(($type:ty))? ),* $(,)? }) => {
        impl $crate::state::Kept for $name {
            #[cold]
            #[inline(never)]
            fn pass(&mut self, through: &mut $crate::state::Snapshot<'_>) {
                enum Tag { $( $variant, )* }
                let mut tag = match self {
                    $( Self::$variant { .. } => Tag::$variant as u8, )*
                };
                tag.pass(through);
                if through.reads() {
                    match tag {
                        $( tag if tag == Tag::$variant as u8 => *self = Self::$variant $((<$type>::default()))?, )*
                        _ => through.refuse(),
                    }
                }
                #[allow(unreachable_patterns, reason = "all variants may hold something")]
                match self {
                    $( $( Self::$variant(value) => <$type as $crate::state::Kept>::pass(value, through), )? )*
                    _ => {}
                }
            }
        }
    };
}

pub(crate) use {kept, kept_fields, kept_variants};

#[cfg(test)]
mod tests {
    use super::*;

    kept! {
        #[derive(Debug, Default, PartialEq)]
        struct Sample {
            numbers: Vec<u64>,
            signed: (i64, f64),
            named: Option<String>,
            choice: Choice,
            bytes: [u8; 2],
        }
    }

    kept! {
        #[derive(Debug, Default, PartialEq)]
        enum Choice {
            #[default]
            Nothing,
            Some(u64),
        }
    }

    fn sample() -> Sample {
        Sample {
            numbers: vec![0, 127, 128, u64::MAX],
            signed: (-2, 0.5),
            named: Some("né".to_owned()),
            choice: Choice::Some(7),
            bytes: [1, 255],
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let bytes = write(&mut sample());
        let mut read_back = Sample::default();
        assert_eq!(read(&mut read_back, &bytes), Some(()));
        assert_eq!(read_back, sample());
    }

    #[test]
    fn what_is_cut_or_longer_or_no_text_is_damaged() {
        let bytes = write(&mut sample());
        for length in 0..bytes.len() {
            assert_eq!(read(&mut Sample::default(), &bytes[..length]), None, "{length}");
        }
        assert_eq!(read(&mut Sample::default(), &[&bytes[..], &[0]].concat()), None);
        assert_eq!(read(&mut String::new(), &[1, 0xFF]), None);
        assert_eq!(read(&mut Choice::Nothing, &[9]), None);
    }
}
