//! The decoder of the packed form: one function for each object of the schema, its keys as literals, in their order.

use std::fmt::Write as _;

use interlinear_schema::layout::{Described as _, Field, Kind, Types};
use interlinear_schema::packed::{CODE_BITS, COUNT, IDS, NO_ID, PART_BITS, TEXTS, op};
use interlinear_schema::{ContentPart, EventData};

const HEADER: &str = "\
// Generated from the Rust types by `cargo run -p interlinear-typegen`. Do not edit: a test compares the two.
";

const IMPORTS: &str = "\
import type * as types from \"../../types/index.js\";
import { id, list, next, number, text, word } from \"./reader.js\";
";

/// The functions that make the objects.
pub(crate) fn objects() -> String {
    let mut types = Types::default();
    ContentPart::describe(&mut types);
    EventData::describe(&mut types);
    let mut file = format!("{HEADER}{IMPORTS}");
    for (name, words) in &types.words {
        let words: Vec<_> = words.iter().map(|word| format!("\"{word}\"")).collect();
        let _ = writeln!(file, "\nconst {name}: readonly types.{name}[] = [{}];", words.join(", "));
    }
    for (name, fields) in &types.objects {
        file.push_str(&object(name, fields, tag_of(name, &types)));
    }
    for (name, variants) in &types.unions {
        file.push_str(&match *name {
            "EventData" => events(variants),
            _ => parts(name, variants),
        });
    }
    file
}

/// What the numbers of an operation mean; the names are those of `interlinear_schema::packed`.
pub(crate) fn operations() -> String {
    let constants = [
        ("COUNT", COUNT as u32),
        ("MORE", 1 << CODE_BITS),
        ("IDS", IDS as u32),
        ("NO_ID", NO_ID as u32),
        ("TEXTS", TEXTS as u32),
        ("TYPE", (1 << op::TYPE_BITS) - 1),
        ("AGAIN", op::AGAIN),
        ("PLAIN", op::PLAIN),
        ("LINE", op::LINE),
        ("SYNTHETIC", op::SYNTHETIC),
        ("TIME", op::TIME),
        ("SESSION", op::SESSION),
        ("RAW", op::TEXT_RAW),
        ("SAME_RAW", op::SAME_RAW),
        ("SPAN_RAW", op::SPAN_RAW),
        ("MASK_SHIFT", op::MASK_SHIFT),
    ];
    constants.iter().fold(HEADER.to_owned(), |mut text, (name, value)| {
        let _ = writeln!(text, "export const {name} = {value};");
        text
    })
}

/// The `type` of a part, which stands in the object itself.
fn tag_of(object: &str, types: &Types) -> Option<&'static str> {
    let parts = types.unions.iter().find(|(name, _)| *name == "ContentPart");
    parts.and_then(|(_, parts)| parts.iter().find(|(_, name)| *name == object)).map(|(tag, _)| *tag)
}

/// The function that makes an object. Required fields stand in the literal, so that all objects begin with one shape.
fn object(name: &str, fields: &[Field], tag: Option<&str>) -> String {
    let (optional, required): (Vec<_>, Vec<_>) = fields.iter().partition(|field| field.optional);
    let (result, mut literal) = match tag {
        Some(tag) => (format!("types.ContentPart & {{ type: \"{tag}\" }}"), vec![format!("type: \"{tag}\"")]),
        None => (format!("types.{name}"), Vec::new()),
    };
    literal.extend(required.iter().map(|field| format!("{}: {}", field.key, read(&field.kind))));
    let literal = if literal.is_empty() { String::new() } else { format!("\n    {},\n  ", literal.join(",\n    ")) };
    let mask = if optional.is_empty() { "_mask" } else { "mask" };
    let mut text =
        format!("\nfunction {name}({mask}: number): {result} {{\n  const object: {result} = {{{literal}}};\n");
    for (bit, field) in optional.iter().enumerate() {
        let _ = writeln!(text, "  if (mask & {}) object.{} = {};", 1 << bit, field.key, read(&field.kind));
    }
    text + "  return object;\n}\n"
}

/// The expression that reads a value.
fn read(kind: &Kind) -> String {
    match kind {
        Kind::Number => "number()".to_owned(),
        Kind::Value => "next()".to_owned(),
        Kind::Id => "id()".to_owned(),
        Kind::Text => "text()".to_owned(),
        Kind::Word(set) => format!("word({set})"),
        Kind::Object(name) => format!("{name}(number())"),
        Kind::Tagged(name) => format!("{name}()"),
        Kind::List(inner) => match inner.as_ref() {
            Kind::Tagged(name) => format!("list({name})"),
            inner => format!("list(() => {})", read(inner)),
        },
    }
}

/// The function that makes a part: its type and its mask are one number.
fn parts(name: &str, variants: &[(&str, &str)]) -> String {
    let mut text = format!(
        "\nfunction {name}(): types.{name} {{\n  const head = number();\n  const mask = head >> {PART_BITS};\n  switch (head & {}) {{\n",
        (1 << PART_BITS) - 1
    );
    for (place, (_, object)) in variants.iter().enumerate() {
        let _ = writeln!(text, "    case {place}:\n      return {object}(mask);");
    }
    text + "    default:\n      return next();\n  }\n}\n"
}

/// The types of events, and the function that makes an event's data.
fn events(variants: &[(&str, &str)]) -> String {
    let mut text =
        "\n/** The types of events, by their places. */\nexport const eventTypes: readonly types.EventType[] = [\n"
            .to_owned();
    for (tag, _) in variants {
        let _ = writeln!(text, "  \"{tag}\",");
    }
    text.push_str("];\n\n/** The data of an event. */\nexport function eventData(type: number, mask: number): types.EventData[\"data\"] {\n  switch (type) {\n");
    let mut objects: Vec<&str> = Vec::new();
    for (_, object) in variants {
        if !objects.contains(object) {
            objects.push(object);
        }
    }
    for object in objects {
        for (place, _) in variants.iter().enumerate().filter(|(_, (_, name))| *name == object) {
            let _ = writeln!(text, "    case {place}:");
        }
        let _ = writeln!(text, "      return {object}(mask);");
    }
    text + "    default:\n      throw new Error(`there is no event ${type}`);\n  }\n}\n"
}
