//! How reports are written: as JSON for the host, and into snapshots.

use interlinear_schema::ToJson;

use super::{Agent, Break, Detection, Drift, DriftKind, Form, HttpRequest, KindStats, Outgoing, Stats, Stretch};
use crate::map::Map;
use crate::state::{kept_fields, kept_variants};

/// Writes an object; fields that are not there are left out.
fn object(out: &mut Vec<u8>, fields: &[(&str, Option<&dyn ToJson>)]) {
    let mut before = b'{';
    for (key, value) in fields {
        if let Some(value) = value {
            out.push(before);
            key.write_json(out);
            out.push(b':');
            value.write_json(out);
            before = b',';
        }
    }
    if before == b'{' {
        out.push(before);
    }
    out.push(b'}');
}

/// Reports are written as JSON: the fields that are always there, then those that may be missing.
macro_rules! report {
    ($name:ident { $( $field:ident ),* $(; $( $optional:ident ),* )? }) => {
        impl ToJson for $name {
            fn write_json(&self, out: &mut Vec<u8>) {
                let Self { $( $field, )* $( $( $optional, )* )? } = self;
                object(out, &[
                    $( (stringify!($field), Some($field)), )*
                    $( $( (stringify!($optional), $optional.as_ref().map(|value| value as &dyn ToJson)), )* )?
                ]);
            }
        }
    };
}

report!(Stats { lines, bytes, events, kinds, cut, unparsed, drift });
report!(KindStats { kind, lines, mapped, ignored, first_line });
report!(Drift { what, name, count, first_line });
report!(Detection { agent, form, recording; version });
report!(Break { rule, session_id, sequence, message });
report!(Stretch { file, start, end });
report!(HttpRequest { method, path; body });

impl ToJson for Agent {
    fn write_json(&self, out: &mut Vec<u8>) {
        self.as_str().write_json(out);
    }
}

impl ToJson for Form {
    fn write_json(&self, out: &mut Vec<u8>) {
        self.as_str().write_json(out);
    }
}

impl ToJson for DriftKind {
    fn write_json(&self, out: &mut Vec<u8>) {
        let word = match self {
            Self::Kind => "kind",
            Self::Field => "field",
            Self::Value => "value",
            Self::Type => "type",
        };
        word.write_json(out);
    }
}

impl ToJson for Outgoing {
    fn write_json(&self, out: &mut Vec<u8>) {
        let (key, value): (_, &dyn ToJson) = match self {
            Self::Stdin(text) => ("stdin", text),
            Self::Http(request) => ("http", request),
            Self::Signal(name) => ("signal", name),
            Self::CloseStdin(close) => ("closeStdin", close),
        };
        object(out, &[(key, Some(value))]);
    }
}

impl ToJson for Map<String, u64> {
    fn write_json(&self, out: &mut Vec<u8>) {
        let fields: Vec<(&str, Option<&dyn ToJson>)> =
            self.iter().map(|(key, value)| (key.as_str(), Some(value as &dyn ToJson))).collect();
        object(out, &fields);
    }
}

impl Default for Outgoing {
    fn default() -> Self {
        Self::Stdin(String::new())
    }
}

kept_variants!(Agent { Claude, Codex, Amp, Pi, Opencode });
kept_variants!(Form { Live, Exec, Stored });
kept_variants!(DriftKind { Kind, Field, Value, Type });
kept_variants!(Outgoing { Stdin(String), Http(HttpRequest), Signal(String), CloseStdin(bool), });
kept_fields!(HttpRequest { method, path, body });
kept_fields!(KindStats { kind, lines, mapped, ignored, first_line });

#[cfg(test)]
mod tests {
    use interlinear_schema::Json;
    use serde::Serialize;

    use super::*;

    #[track_caller]
    fn same<T: Serialize + ToJson>(value: &T) {
        assert_eq!(Json::of(value).as_str(), serde_json::to_string(value).unwrap_or_default());
    }

    #[test]
    fn reports_are_written_as_serde_writes_them() {
        let counts: Map<String, u64> = [("a \"b\"".to_owned(), 2), ("c".to_owned(), 0)].into_iter().collect();
        let kind = KindStats { kind: "out x".to_owned(), ignored: counts.clone(), ..KindStats::default() };
        let drift = Drift { what: DriftKind::Field, name: "n".to_owned(), count: 1, first_line: 7 };
        same(&Stats { lines: 3, events: counts, kinds: vec![kind], drift: vec![drift], ..Stats::default() });
        same(&Stats::default());
        same(&KindStats::default());
        for version in [None, Some("1.2".to_owned())] {
            same(&Detection { agent: Agent::Opencode, form: Form::Exec, recording: true, version });
        }
        same(&vec![Break { rule: 3, session_id: "s".to_owned(), sequence: 9, message: "m".to_owned() }]);
        same(&vec![Stretch { file: 1, start: 2, end: 3 }]);
        let request = |body| HttpRequest { method: "POST".to_owned(), path: "/".to_owned(), body };
        same(&vec![
            Outgoing::Stdin("{}\n".to_owned()),
            Outgoing::Http(request(None)),
            Outgoing::Http(request(Some("{}".to_owned()))),
            Outgoing::Signal("SIGINT".to_owned()),
            Outgoing::CloseStdin(true),
        ]);
        Agent::ALL.iter().for_each(same);
        [Form::Live, Form::Exec, Form::Stored].iter().for_each(same);
        [DriftKind::Kind, DriftKind::Field, DriftKind::Value, DriftKind::Type].iter().for_each(same);
    }
}
