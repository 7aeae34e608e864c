//! The JSON Schema of one event: envelope and data as one object, strict on every word and field of our own.

use interlinear_schema::{EventData, SessionMetadata, TurnMetadata, UniversalEvent};
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The whole file.
pub(crate) fn universal_event() -> String {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let envelope = generator.root_schema_for::<UniversalEvent<'_>>();
    let mut event = object(envelope.to_value());
    let data = generator.root_schema_for::<EventData<'_>>().to_value();
    generator.subschema_for::<SessionMetadata<'_>>();
    generator.subschema_for::<TurnMetadata<'_>>();
    let mut definitions = Value::Object(generator.take_definitions(true));

    describe_metadata(&mut definitions);
    for (name, definition) in definitions.as_object_mut().into_iter().flatten() {
        close(name, definition);
    }
    event.insert("$schema".into(), DIALECT.into());
    event.insert("title".into(), "UniversalEvent".into());
    event.insert("description".into(), "One event of a session: the envelope, and what happened.".into());
    event.insert("oneOf".into(), data["oneOf"].clone());
    event.insert("unevaluatedProperties".into(), false.into());
    event.insert("$defs".into(), definitions);
    let mut event = Value::Object(event);
    event["properties"]["sequence"]["minimum"] = 1.into();
    plain(&mut event);
    let text = serde_json::to_string_pretty(&event).unwrap_or_default();
    text + "\n"
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// The events carry metadata as raw JSON; what is known of it stands in types of their own.
fn describe_metadata(definitions: &mut Value) {
    for (data, metadata) in [("SessionStartedData", "SessionMetadata"), ("TurnData", "TurnMetadata")] {
        definitions[data]["properties"]["metadata"]["$ref"] = json!(format!("#/$defs/{metadata}"));
    }
}

/// Closes an object to fields that are not ours. Metadata stays open: hosts and agents add to it.
fn close(name: &str, definition: &mut Value) {
    if let Some(variants) = definition.get_mut("oneOf").and_then(Value::as_array_mut) {
        // The fields of a part stand next to its `type`: together they are all.
        for variant in variants.iter_mut().filter(|variant| variant["type"] == "object") {
            variant["unevaluatedProperties"] = false.into();
        }
    } else if definition["type"] == "object" && !name.ends_with("Part") && !name.ends_with("Metadata") {
        definition["additionalProperties"] = false.into();
    }
}

/// What is absent is left out, never null; formats of Rust's numbers mean nothing to others.
fn plain(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(plain),
        Value::Object(map) => {
            map.remove("format");
            if let Some(Value::Array(types)) = map.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    map.insert("type".into(), only);
                }
            }
            if let Some(Value::Array(choices)) = map.get_mut("anyOf") {
                choices.retain(|choice| choice["type"] != "null");
                if let [only] = choices.as_slice() {
                    let only = object(only.clone());
                    map.remove("anyOf");
                    map.extend(only);
                }
            }
            map.values_mut().for_each(plain);
        }
        _ => {}
    }
}
