//! Codex's tools in words common to all agents.

use std::borrow::Cow;
use std::fmt::Write as _;

use interlinear_schema::{ContentPart, Json, McpTool, Subagent, Text, ToolCallPart, ToolKind, ToolResultPart};

use super::items::Kind;
use super::messages::{image_part, joined_text, texts};
use super::patch;
use super::wire::Item;
use crate::json::Value;
use crate::uri::{data_url, path_of_uri};

/// Whether a call starts a subagent, which goes on when the call is over.
pub(super) fn starts_agent(kind: Kind, item: &Item<'_>) -> bool {
    kind == Kind::Activity || kind == Kind::Collab && matches!(collab_tool(item).as_str(), "spawnAgent" | "resumeAgent")
}

/// `spawn_agent` and `spawnAgent` are the same tool.
fn collab_tool(item: &Item<'_>) -> String {
    camel(item.tool.unwrap_or_default())
}

/// `open_page` → `openPage`.
pub(super) fn camel(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut upper = false;
    for c in name.chars() {
        if c == '_' {
            upper = !out.is_empty();
        } else {
            out.push(if upper { c.to_ascii_uppercase() } else { c });
            upper = false;
        }
    }
    out
}

/// A call as one of the forms shows it; the same in all of them.
pub(super) fn call_part<'a>(kind: Kind, item: &Item<'a>, call_id: &'a str) -> ToolCallPart<'a> {
    let part = ToolCallPart { call_id: Cow::Borrowed(call_id), ..ToolCallPart::default() };
    let json = |text: &Text<'_>| Json::of(text).as_str().to_owned();
    match kind {
        Kind::Command => {
            let command = item.command.map(bare_command).unwrap_or_default();
            let cwd = item.cwd.map(path_of_uri);
            command_part(call_id, Text::from(command), cwd)
        }
        Kind::FileChange => patch::call_part(call_id, &item.changes.map(patch::named).unwrap_or_default()),
        Kind::Mcp => mcp_part(
            call_id,
            item.server.unwrap_or_default(),
            item.tool.unwrap_or_default(),
            item.arguments.map_or("{}", Value::raw).into(),
        ),
        Kind::Dynamic => ToolCallPart {
            name: Cow::Borrowed(item.tool.unwrap_or_default()),
            arguments: item.arguments.map_or("{}", Value::raw).into(),
            tool_kind: Some(ToolKind::Other_),
            title: item.tool.map(Text::from),
            ..part
        },
        Kind::Collab => collab_part(item, part),
        Kind::Activity => {
            let path = item.agent_path.unwrap_or_default();
            ToolCallPart {
                name: Cow::Borrowed("spawnAgent"),
                arguments: format!("{{\"agent\":{}}}", json(&Text::from(path))).into(),
                tool_kind: Some(ToolKind::Task),
                title: Some(Text::from(path)),
                agent: Some(Subagent { name: Some(Cow::Borrowed(path)), ..Subagent::default() }),
                ..part
            }
        }
        Kind::WebSearch => search_part(call_id, item.query.clone().unwrap_or_default(), item.action),
        Kind::ImageView => {
            let path = path_of_uri(item.path.unwrap_or_default());
            ToolCallPart {
                name: Cow::Borrowed("imageView"),
                arguments: format!("{{\"path\":{}}}", json(&Text::from(path.as_str()))).into(),
                tool_kind: Some(ToolKind::FileRead),
                title: Some(Text::from(path)),
                ..part
            }
        }
        Kind::Sleep => {
            let ms = item.duration_ms.or_else(|| item.data?.get("duration_ms")?.u64()).unwrap_or(0);
            ToolCallPart {
                name: Cow::Borrowed("sleep"),
                arguments: format!("{{\"durationMs\":{ms}}}").into(),
                tool_kind: Some(ToolKind::Other_),
                title: Some(Text::from(format!("{ms} ms"))),
                ..part
            }
        }
        Kind::Plan => ToolCallPart {
            name: Cow::Borrowed("plan"),
            arguments: format!("{{\"plan\":{}}}", json(item.text.as_ref().unwrap_or(&Text::default()))).into(),
            tool_kind: Some(ToolKind::Plan),
            ..part
        },
        Kind::ImageGeneration => ToolCallPart {
            name: Cow::Borrowed("imageGeneration"),
            arguments: format!("{{\"prompt\":{}}}", json(item.revised_prompt.as_ref().unwrap_or(&Text::default())))
                .into(),
            tool_kind: Some(ToolKind::Other_),
            title: item.revised_prompt.clone(),
            ..part
        },
        _ => ToolCallPart {
            name: Cow::Borrowed(item.name.or(item.r#type).unwrap_or_default()),
            arguments: item.arguments.map_or("{}", Value::raw).into(),
            tool_kind: Some(ToolKind::Other_),
            ..part
        },
    }
}

/// A command line.
pub(super) fn command_part<'a>(call_id: &'a str, command: Text<'a>, cwd: Option<String>) -> ToolCallPart<'a> {
    ToolCallPart {
        name: Cow::Borrowed("commandExecution"),
        arguments: ["{\"command\":", Json::of(&command).as_str(), "}"].concat().into(),
        call_id: Cow::Borrowed(call_id),
        tool_kind: Some(ToolKind::Command),
        title: Some(command),
        cwd: cwd.map(Cow::Owned),
        ..ToolCallPart::default()
    }
}

/// A tool of an MCP server.
pub(super) fn mcp_part<'a>(call_id: &'a str, server: &'a str, tool: &'a str, arguments: Text<'a>) -> ToolCallPart<'a> {
    ToolCallPart {
        name: Cow::Borrowed(tool),
        arguments,
        call_id: Cow::Borrowed(call_id),
        tool_kind: Some(ToolKind::Mcp),
        title: Some(Text::from([tool, " (", server, ")"].concat())),
        mcp: Some(McpTool { tool: Cow::Borrowed(tool), server: Some(Cow::Borrowed(server)), ..McpTool::default() }),
        ..ToolCallPart::default()
    }
}

/// A search in the web, or a page that is opened or searched.
pub(super) fn search_part<'a>(call_id: &'a str, query: Text<'a>, action: Option<Value<'a>>) -> ToolCallPart<'a> {
    let mut arguments = format!("{{\"query\":{}", Json::of(&query).as_str());
    let mut kind = ToolKind::WebSearch;
    if let Some(action) = action.filter(|action| action.is_object()) {
        let members = action.members().map(|(key, value)| {
            let word = value.str().filter(|_| key == "type").map(camel);
            if word.as_deref().is_some_and(|word| matches!(word, "openPage" | "findInPage")) {
                kind = ToolKind::WebFetch;
            }
            let value = word.map_or_else(|| value.raw().to_owned(), |word| format!("\"{word}\""));
            format!("{}:{value}", Json::of(key).as_str())
        });
        let members: Vec<_> = members.collect();
        let _ = write!(arguments, ",\"action\":{{{}}}", members.join(","));
    }
    arguments.push('}');
    ToolCallPart {
        name: Cow::Borrowed("webSearch"),
        arguments: arguments.into(),
        call_id: Cow::Borrowed(call_id),
        tool_kind: Some(kind),
        title: Some(query).filter(|query| !query.is_empty()),
        ..ToolCallPart::default()
    }
}

/// A call between agents.
fn collab_part<'a>(item: &Item<'a>, part: ToolCallPart<'a>) -> ToolCallPart<'a> {
    let name = collab_tool(item);
    let spawns = name == "spawnAgent";
    let mut arguments = Vec::new();
    if let Some(prompt) = &item.prompt {
        arguments.push(format!("\"prompt\":{}", Json::of(prompt).as_str()));
    }
    if let Some(receivers) = item.receivers.as_ref().filter(|receivers| !spawns && !receivers.is_empty()) {
        arguments.push(format!("\"agents\":{}", Json::of(receivers).as_str()));
    }
    ToolCallPart {
        name: Cow::Owned(name),
        arguments: format!("{{{}}}", arguments.join(",")).into(),
        tool_kind: Some(ToolKind::Task),
        title: item.prompt.clone(),
        agent: spawns.then(Subagent::default),
        ..part
    }
}

/// What came of a call: its result, images and files, and whether it failed.
pub(super) fn result<'a>(
    kind: Kind,
    item: &Item<'a>,
    call_id: &'a str,
) -> (ToolResultPart<'a>, Vec<ContentPart<'a>>, bool) {
    let mut failed = matches!(item.status, Some("failed" | "declined"));
    let mut part = ToolResultPart {
        call_id: Cow::Borrowed(call_id),
        duration_ms: item.duration_ms.or_else(|| duration(item.duration?)).filter(|_| kind != Kind::Sleep),
        ..ToolResultPart::default()
    };
    let mut extra = Vec::new();
    match kind {
        Kind::Command => {
            failed |= item.exit_code.is_some_and(|code| code != 0);
            part.exit_code = item.exit_code;
            part.output = item.aggregated_output.clone().unwrap_or_default();
        }
        Kind::FileChange => {
            if failed {
                let said = item.stderr.clone().filter(|text| !text.is_empty()).or_else(|| item.stdout.clone());
                part.output = said.unwrap_or_default();
            }
            extra = item.changes.map(patch::changes).unwrap_or_default().into_iter().map(patch::file_ref).collect();
        }
        Kind::Mcp => {
            let error = item.error.or_else(|| item.result?.get("Err"));
            failed |= error.is_some();
            part.output = match (error, item.result) {
                (Some(error), _) => message_of(error),
                (None, Some(result)) => mcp_output(result.get("Ok").unwrap_or(result), &mut extra),
                (None, None) => Text::default(),
            };
        }
        Kind::Dynamic => {
            failed |= item.success == Some(false);
            let items = item.content_items.into_iter();
            part.output = item.content_items.map(|items| joined_text(items, "\n")).unwrap_or_default();
            extra = items.flat_map(Value::elements).filter_map(image_of).collect();
        }
        Kind::Collab => part.output = agents_said(item),
        Kind::WebSearch => extra.extend(item.results.map(json_part)),
        Kind::ImageView => {
            let path = item.path.filter(|path| !path.is_empty());
            extra.extend(path.map(|path| image_part(path_of_uri(path).into())));
        }
        Kind::ImageGeneration => {
            failed |= item.failure.is_some();
            part.output = item.failure.map(message_of).unwrap_or_default();
            let saved = item.saved_path.clone().filter(|path| !path.is_empty());
            let whole = || item.result?.str().filter(|data| !data.is_empty());
            let path = saved.or_else(|| whole().map(|data| Text::from(format!("data:image/png;base64,{data}"))));
            extra.extend(path.map(image_part));
        }
        Kind::FunctionOutput => {
            part.output = item.output.map(|output| joined_text(output, "\n")).unwrap_or_default();
        }
        _ => {}
    }
    (part, extra, failed)
}

/// The words of an error: a string, or an object that holds them.
pub(super) fn message_of(error: Value<'_>) -> Text<'_> {
    let message = error.text().or_else(|| error.get("message")?.text());
    message.unwrap_or_else(|| Text::from(error.raw()))
}

/// What an MCP tool gave back. Text is the output; images and other things come with it.
pub(super) fn mcp_output<'a>(result: Value<'a>, extra: &mut Vec<ContentPart<'a>>) -> Text<'a> {
    let content = result.get("content");
    for block in content.into_iter().flat_map(Value::elements) {
        match image_of(block) {
            Some(image) => extra.push(image),
            None if block.get("text").is_none() => extra.push(json_part(block)),
            None => {}
        }
    }
    let structured = ["structuredContent", "structured_content"].iter().find_map(|key| result.get(key));
    let structured = structured.filter(|value| value.is_object() || value.is_array());
    match (content.filter(|content| texts(Some(*content)).next().is_some()), structured) {
        (Some(content), _) => joined_text(content, "\n"),
        (None, Some(structured)) if extra.is_empty() => Text::from(structured.raw()),
        _ => Text::default(),
    }
}

/// An image in the content of a result: `{type: image, data, mimeType}` or `{type: inputImage, imageUrl}`.
pub(super) fn image_of(block: Value<'_>) -> Option<ContentPart<'_>> {
    let text = |key: &str| block.get(key).and_then(Value::text);
    if let Some(url) = text("imageUrl").or_else(|| text("image_url")).filter(|url| !url.is_empty()) {
        return Some(image_part(url));
    }
    if block.get("type").and_then(Value::str) != Some("image") {
        return None;
    }
    let mime = block.get("mimeType").or_else(|| block.get("mime_type")).and_then(Value::str);
    Some(image_part(data_url(mime, &text("data")?)))
}

fn json_part(value: Value<'_>) -> ContentPart<'_> {
    ContentPart::json(value.json())
}

/// What the agents that were waited for have said.
fn agents_said<'a>(item: &Item<'a>) -> Text<'a> {
    let states = item.agents_states.into_iter().flat_map(Value::members);
    // `{status, message}`, in rollout files `{completed: message}`.
    let message = |state: Value<'a>| state.get("message").or_else(|| state.get("completed")).and_then(Value::text);
    let said: Vec<_> = states.filter_map(|(_, state)| message(state)).collect();
    let mut out = Vec::new();
    for (index, text) in said.iter().enumerate() {
        if index > 0 {
            out.push(b'\n');
        }
        text.append_to(&mut out);
    }
    Text::from_wtf8(out)
}

/// `{secs, nanos}` in milliseconds.
pub(super) fn duration(value: Value<'_>) -> Option<u64> {
    let (secs, nanos) = (value.get("secs")?.u64()?, value.get("nanos").and_then(Value::u64).unwrap_or(0));
    Some(secs.saturating_mul(1000).saturating_add(nanos / 1_000_000))
}

/// The command without the shell that it is handed to.
pub(super) fn bare_command(command: Value<'_>) -> String {
    let shown = command.str();
    let words = match &shown {
        Some(text) => shell_words(text),
        None => Some(command.elements().filter_map(Value::str).map(str::to_owned).collect()),
    };
    match (words, shown) {
        (Some(mut words), _) if words.len() == 3 && is_shell(&words[0]) && is_shell_flag(&words[1]) => words.remove(2),
        (_, Some(text)) => text.to_owned(),
        (Some(words), None) => words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
        (None, None) => String::new(),
    }
}

fn is_shell(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    matches!(name, "sh" | "bash" | "zsh" | "dash" | "ash" | "ksh" | "fish" | "pwsh" | "powershell" | "cmd")
}

fn is_shell_flag(word: &str) -> bool {
    matches!(word, "-lc" | "-c" | "-ic" | "-lic" | "-Command" | "-command" | "/c" | "/C")
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// The words of a command line, as a shell splits it; nothing if a quote is not closed.
fn shell_words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = line;
    while let Some(at) = rest.find([' ', '\t', '\n', '\'', '"', '\\']) {
        if at > 0 {
            word.get_or_insert_default().push_str(&rest[..at]);
        }
        let mark = rest.as_bytes()[at];
        rest = &rest[at + 1..];
        match mark {
            b'\'' => {
                let (inside, after) = rest.split_once('\'')?;
                word.get_or_insert_default().push_str(inside);
                rest = after;
            }
            b'"' => rest = in_double_quotes(rest, word.get_or_insert_default())?,
            b'\\' => {
                let escaped = rest.chars().next()?;
                word.get_or_insert_default().push(escaped);
                rest = &rest[escaped.len_utf8()..];
            }
            _ => words.extend(word.take()),
        }
    }
    if !rest.is_empty() {
        word.get_or_insert_default().push_str(rest);
    }
    words.extend(word);
    Some(words)
}

/// Adds what stands before the closing quote to a word; returns what follows.
fn in_double_quotes<'l>(mut rest: &'l str, word: &mut String) -> Option<&'l str> {
    loop {
        let at = rest.find(['"', '\\'])?;
        word.push_str(&rest[..at]);
        let is_quote = rest.as_bytes()[at] == b'"';
        rest = &rest[at + 1..];
        if is_quote {
            return Some(rest);
        }
        let escaped = rest.chars().next()?;
        rest = &rest[escaped.len_utf8()..];
        match escaped {
            '\n' => {}
            '$' | '`' | '"' | '\\' => word.push(escaped),
            _ => word.extend(['\\', escaped]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_loses_its_shell_and_keeps_its_quotes() {
        let read = |json: &str| crate::json::Tape::default().read(json).map(bare_command).unwrap_or_default();
        assert_eq!(read(r#""/bin/bash -lc 'ls src'""#), "ls src");
        assert_eq!(read(r#""/bin/bash -lc \"printf 'a \\\\\\\\n'\"""#), "printf 'a \\\\n'");
        assert_eq!(read(r#"["/bin/zsh","-lc","echo 'x'"]"#), "echo 'x'");
        assert_eq!(read(r#"["git","commit","-m","a b"]"#), "git commit -m 'a b'");
        assert_eq!(read(r#""echo 'open""#), "echo 'open");
        assert_eq!(read(r#"["C:\\x\\PowerShell.exe","-Command","dir"]"#), "dir");
        assert_eq!(read(r#"["python3","-c","print(1)"]"#), "python3 -c 'print(1)'");
        assert_eq!(read(r#""su -c 'rm -rf /'""#), "su -c 'rm -rf /'");
    }
}
