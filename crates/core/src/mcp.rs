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
    let words = field.get("enum").into_iter().flat_map(Value::elements).filter_map(Value::text);
    let is_boolean = field.get("type").and_then(Value::str) == Some("boolean");
    let booleans = [Text::from("true"), Text::from("false")].into_iter().filter(|_| is_boolean);
    let options = words.chain(booleans).map(|label| QuestionOption { label, ..QuestionOption::default() });
    let options: Vec<_> = options.collect();
    Question {
        text: text("description").or_else(|| text("title")).unwrap_or_else(|| Text::from(name)),
        free_text: Some(options.is_empty()),
        options,
        header: Some(Text::from(name)),
        ..Question::default()
    }
}

/// The answer to a field of a form as a member of an object, in the type that the form's schema asks for.
pub(crate) fn form_member(schema: &str, name: &str, answers: &[String]) -> String {
    let mut tape = Tape::default();
    let schema = tape.read(schema).ok();
    let field = schema.and_then(|schema| schema.get("properties")).and_then(|properties| properties.get(name));
    let kind = field.and_then(|field| field.get("type")).and_then(Value::str).unwrap_or_default();
    let answer = answers.first().map(String::as_str).unwrap_or_default();
    let plain = match kind {
        "boolean" => matches!(answer, "true" | "false"),
        "number" | "integer" => Tape::default().read(answer).is_ok_and(|value| value.f64().is_some()),
        _ => false,
    };
    format!("{}:{}", quoted(name), if plain { answer.to_owned() } else { quoted(answer) })
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
        let schema = r#"{"properties":{"sure":{"type":"boolean","title":"Sure?"},"size":{"enum":["s","m"]},"count":{"type":"integer"}}}"#;
        let mut tape = Tape::default();
        let properties = tape.read(schema).ok().and_then(|schema| schema.get("properties"));
        let field = |name| {
            let question = properties.and_then(|fields| fields.get(name)).map(|field| form_field(name, field));
            question.map(|Question { text, options, free_text, .. }| {
                let options: Vec<_> = options.iter().map(|option| option.label.to_string()).collect();
                (text.to_string(), options.join(" "), free_text)
            })
        };
        assert_eq!(field("sure"), Some(("Sure?".to_owned(), "true false".to_owned(), Some(false))));
        assert_eq!(field("size"), Some(("size".to_owned(), "s m".to_owned(), Some(false))));
        assert_eq!(field("count"), Some(("count".to_owned(), String::new(), Some(true))));
        let member = |name, answer: &str| form_member(schema, name, &[answer.to_owned()]);
        assert_eq!(member("sure", "true"), r#""sure":true"#);
        assert_eq!(member("sure", "yes"), r#""sure":"yes""#);
        assert_eq!(member("count", "3"), r#""count":3"#);
        assert_eq!(member("count", "three"), r#""count":"three""#);
        assert_eq!(member("size", "s"), r#""size":"s""#);
    }
}
