//! What agents pass on from MCP servers: tools, and forms to be filled in.

use std::borrow::Cow;

use interlinear_schema::{McpTool, Question, QuestionOption, Text};

use crate::json::{Tape, Value, quoted};

/// The tool that a name stands for: `mcp__server__tool`.
pub(crate) fn tool(name: &str) -> Option<McpTool<'_>> {
    let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
    Some(McpTool { tool: Cow::Borrowed(tool), server: Some(Cow::Borrowed(server)), ..McpTool::default() })
}

/// A field of a form, as a question.
pub(crate) fn form_field<'a>(name: &'a str, field: Value<'a>) -> Question<'a> {
    let text = |key: &str| field.get(key).and_then(Value::text);
    // Where several may be chosen, the choices stand one level deeper.
    let several = field.get("items");
    let choices = several.unwrap_or(field);
    let words = choices.get("enum").into_iter().flat_map(Value::elements).filter_map(Value::text);
    let mut names = choices.get("enumNames").into_iter().flat_map(Value::elements);
    let words = words.map(|label| (label, names.next().and_then(Value::text)));
    let titled = [choices.get("oneOf"), choices.get("anyOf")].into_iter().flatten().flat_map(Value::elements);
    let titled =
        titled.filter_map(|choice| Some((choice.get("const")?.text()?, choice.get("title").and_then(Value::text))));
    let is_boolean = field.get("type").and_then(Value::str) == Some("boolean");
    let booleans = ["true", "false"].into_iter().filter(|_| is_boolean).map(|label| (Text::from(label), None));
    let option = |(label, description)| QuestionOption { label, description, ..QuestionOption::default() };
    let options: Vec<_> = words.chain(titled).chain(booleans).map(option).collect();
    Question {
        text: text("description").or_else(|| text("title")).unwrap_or_else(|| Text::from(name)),
        free_text: Some(options.is_empty()),
        options,
        header: Some(Text::from(name)),
        multi_select: several.map(|_| true),
        ..Question::default()
    }
}

/// The answer to a field of a form as a member of an object, in the type that the form's schema asks for. A field without
/// an answer is left out.
pub(crate) fn form_member(schema: &str, name: &str, answers: &[String]) -> Option<String> {
    let mut tape = Tape::default();
    let schema = tape.read(schema).ok();
    let field = schema.and_then(|schema| schema.get("properties")).and_then(|properties| properties.get(name));
    let kind = field.and_then(|field| field.get("type")).and_then(Value::str).unwrap_or_default();
    let first = answers.first()?;
    let value = match kind {
        "boolean" if matches!(first.as_str(), "true" | "false") => first.clone(),
        "number" | "integer" if Tape::default().read(first).is_ok_and(|value| value.f64().is_some()) => first.clone(),
        "array" => format!("[{}]", answers.iter().map(|answer| quoted(answer)).collect::<Vec<_>>().join(",")),
        _ => quoted(first),
    };
    Some(format!("{}:{value}", quoted(name)))
}

/// What was answered to a field of a form: nothing, one value, or several.
pub(crate) fn chosen_in_form(value: Option<Value<'_>>) -> Vec<Text<'_>> {
    fn shown(value: Value<'_>) -> Text<'_> {
        value.text().unwrap_or_else(|| Text::from(value.raw()))
    }
    match value {
        Some(list) if list.is_array() => list.elements().map(shown).collect(),
        value => value.into_iter().map(shown).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_named_after_its_server() {
        let found = tool("mcp__calc__add__all").map(|tool| (tool.server.unwrap_or_default(), tool.tool));
        assert_eq!(found, Some(("calc".into(), "add__all".into())));
        assert_eq!(tool("mcp__calc"), None);
        assert_eq!(tool("Bash"), None);
    }

    #[test]
    fn a_field_offers_what_it_takes_and_its_answer_has_its_type() {
        let schema = r#"{"properties":{
            "sure":{"type":"boolean","title":"Sure?"},"size":{"enum":["s","m"],"enumNames":["Small"]},"count":{"type":"integer"},
            "pace":{"type":"string","oneOf":[{"const":"f","title":"Fast"}]},
            "days":{"type":"array","items":{"type":"string","enum":["mon","tue"]}},
            "who":{"type":"array","items":{"anyOf":[{"const":"a","title":"Ann"},{"const":"b","title":"Bob"}]}}
        }}"#;
        let mut tape = Tape::default();
        let properties = tape.read(schema).ok().and_then(|schema| schema.get("properties"));
        let field = |name| {
            let question = properties.and_then(|fields| fields.get(name)).map(|field| form_field(name, field));
            question.map(|Question { text, options, free_text, multi_select, .. }| {
                let shown = |option: &QuestionOption<'_>| match &option.description {
                    Some(title) => format!("{}={title}", option.label),
                    None => option.label.to_string(),
                };
                let options: Vec<_> = options.iter().map(shown).collect();
                (text.to_string(), options.join(" "), free_text == Some(true), multi_select == Some(true))
            })
        };
        let expected = |text: &str, options: &str, free: bool, several: bool| {
            Some((text.to_owned(), options.to_owned(), free, several))
        };
        assert_eq!(field("sure"), expected("Sure?", "true false", false, false));
        assert_eq!(field("size"), expected("size", "s=Small m", false, false));
        assert_eq!(field("count"), expected("count", "", true, false));
        assert_eq!(field("pace"), expected("pace", "f=Fast", false, false));
        assert_eq!(field("days"), expected("days", "mon tue", false, true));
        assert_eq!(field("who"), expected("who", "a=Ann b=Bob", false, true));
        let member = |name, answers: &[&str]| {
            let answers: Vec<_> = answers.iter().map(ToString::to_string).collect();
            form_member(schema, name, &answers).unwrap_or_default()
        };
        assert_eq!(member("sure", &["true"]), r#""sure":true"#);
        assert_eq!(member("sure", &["yes"]), r#""sure":"yes""#);
        assert_eq!(member("count", &["3"]), r#""count":3"#);
        assert_eq!(member("count", &["three"]), r#""count":"three""#);
        assert_eq!(member("count", &[]), "");
        assert_eq!(member("size", &["s"]), r#""size":"s""#);
        assert_eq!(member("days", &["mon", "tue"]), r#""days":["mon","tue"]"#);
    }
}
