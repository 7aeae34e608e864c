//! What OpenCode's JSON is, over all versions: the dialects differ in where things stand more than in what they are.

use interlinear_schema::Text;

use crate::json::Value;
use crate::time;
use crate::wire::wire;

wire! {
    /// An event of a server's stream. `/global/event` wraps it, `/api/event` has its content under `data`.
    pub(super) struct Frame in "event" {
        id: Value<'a>,
        r#type("type"): &'a str,
        body("properties" | "data"): Value<'a>,
        payload: Value<'a>,
        copy("syncEvent"): Value<'a>,
    }
    known "directory" "project" "workspace" "durable" "location" "metadata"
}

wire! {
    /// `session.*`, but for the newer dialect.
    pub(super) struct SessionEvent in "session" {
        info: SessionInfo<'a>,
        status: Status<'a>,
        error: Failure<'a>,
        diff: Vec<FileDiff<'a>>,
    }
    known "sessionID"
}

wire! {
    pub(super) struct SessionInfo in "session.info" {
        id: &'a str,
        parent("parentID"): &'a str,
        title: Text<'a>,
        version: &'a str,
        directory: &'a str,
        location: Value<'a>,
        agent: &'a str,
        model: Model<'a>,
        revert: Value<'a>,
        time: Times<'a>,
    }
    known "slug" "projectID" "workspaceID" "path" "summary" "cost" "tokens" "share" "metadata" "permission" "project"
        "subpath"
}

wire! {
    pub(super) struct Model in "model" {
        id("id" | "modelID"): &'a str,
        provider("providerID"): &'a str,
        variant: &'a str,
    }
    known
}

wire! {
    pub(super) struct Times in "time" {
        created: i64,
        completed: i64,
        start: i64,
        end: i64,
    }
    known "updated" "compacting" "archived" "compacted" "initialized" "ran" "pruned"
}

wire! {
    pub(super) struct Status in "session.status" {
        r#type("type"): &'a str,
        attempt: u64,
        message: Text<'a>,
    }
    known "next" "action"
}

wire! {
    /// A failure, of a message or of a session.
    pub(super) struct Failure in "error" {
        name("name" | "_tag" | "type"): &'a str,
        message: Text<'a>,
        data: Value<'a>,
    }
    known "requestID" "service" "errors" "success" "kind" "ref" "field" "ptyID"
}

wire! {
    pub(super) struct FileDiff in "diff" {
        file("file" | "path"): &'a str,
        patch: Text<'a>,
        before: Text<'a>,
        after: Text<'a>,
        status: &'a str,
    }
    known "additions" "deletions"
}

wire! {
    /// `message.*`.
    pub(super) struct MessageEvent in "message" {
        info: Info<'a>,
        part: Value<'a>,
        message("messageID"): &'a str,
        part_id("partID"): &'a str,
        field: &'a str,
        delta: Text<'a>,
    }
    known "sessionID" "time"
}

wire! {
    /// A message without its parts.
    pub(super) struct Info in "message.info" {
        id: &'a str,
        role: &'a str,
        time: Times<'a>,
        agent("agent" | "mode"): &'a str,
        model_id("modelID"): &'a str,
        provider("providerID"): &'a str,
        variant: &'a str,
        path: Value<'a>,
        summary: Value<'a>,
        cost: f64,
        tokens: Tokens<'a>,
        finish: &'a str,
        error: Value<'a>,
        structured: Value<'a>,
        parent("parentID"): &'a str,
    }
    known "sessionID" "format" "system" "tools" "model"
}

wire! {
    pub(super) struct Tokens in "tokens" {
        total: u64,
        input: u64,
        output: u64,
        reasoning: u64,
        cache: Cache<'a>,
    }
    known
}

wire! {
    pub(super) struct Cache in "tokens.cache" {
        read: u64,
        write: u64,
    }
    known
}

wire! {
    /// A part of a message, whatever its type.
    pub(super) struct Part in "part" {
        id: &'a str,
        message("messageID"): &'a str,
        r#type("type"): &'a str,
        text: Text<'a>,
        synthetic: bool,
        ignored: bool,
        time: Times<'a>,
        // tool
        call("callID"): &'a str,
        tool: &'a str,
        state: ToolState<'a>,
        // file
        mime: &'a str,
        filename: &'a str,
        url: Text<'a>,
        source: Value<'a>,
        // patch
        files: Vec<&'a str>,
        // step-finish
        reason: &'a str,
        cost: f64,
        tokens: Tokens<'a>,
        // compaction
        auto: bool,
        overflow: bool,
        // subtask
        prompt: Text<'a>,
        // retry
        attempt: u64,
        error: Failure<'a>,
        metadata: Value<'a>,
    }
    known "sessionID" "snapshot" "hash" "description" "agent" "model" "command" "name" "tail_start_id"
}

impl<'a> Part<'a> {
    /// What the agent calls its call.
    pub(super) fn call_id(&self) -> &str {
        let call = self.call.filter(|call| !call.is_empty());
        call.or(self.id).unwrap_or_default()
    }

    /// The tool that was asked for: a call that is not possible becomes one of `invalid`, which names it.
    pub(super) fn tool_name(&self) -> &'a str {
        let input = self.state.as_ref().and_then(|state| state.input).filter(|_| self.is_invalid());
        let asked = input.and_then(|input| input.get("tool")).and_then(Value::str);
        asked.or(self.tool).unwrap_or("unknown")
    }

    fn is_invalid(&self) -> bool {
        self.tool == Some("invalid")
    }

    /// Whether the call was not possible. What the model's service runs by itself is no tool of the agent either.
    pub(super) fn is_refused(&self) -> bool {
        let executed = self.metadata.and_then(|metadata| metadata.get("providerExecuted")).and_then(Value::bool);
        self.is_invalid() && executed != Some(true)
    }
}

wire! {
    pub(super) struct ToolState in "part.state" {
        status: &'a str,
        input: Value<'a>,
        output: Text<'a>,
        error: Text<'a>,
        metadata: Value<'a>,
        time: Times<'a>,
        attachments: Vec<Attachment<'a>>,
    }
    known "raw" "title"
}

wire! {
    /// A file or image beside a prompt or a result.
    pub(super) struct Attachment in "file" {
        mime: &'a str,
        filename("filename" | "name"): &'a str,
        url("url" | "uri"): Text<'a>,
        source: Value<'a>,
    }
    known "id" "messageID" "sessionID" "type" "description"
}

wire! {
    /// `permission.*` in every dialect.
    pub(super) struct Permission in "permission" {
        id("id" | "requestID" | "permissionID"): &'a str,
        action("permission" | "action" | "type"): &'a str,
        patterns("patterns" | "pattern" | "resources"): Value<'a>,
        always("always" | "save"): Value<'a>,
        metadata: Value<'a>,
        title: Text<'a>,
        tool("tool" | "source"): Value<'a>,
        call("callID"): &'a str,
        reply("reply" | "response"): &'a str,
    }
    known "sessionID" "messageID" "time" "message"
}

wire! {
    /// `question.*` in every dialect.
    pub(super) struct Asked in "question" {
        id("id" | "requestID"): &'a str,
        questions: Vec<Question<'a>>,
        tool: Value<'a>,
        answers: Vec<Value<'a>>,
    }
    known "sessionID"
}

wire! {
    pub(super) struct Question in "question.questions" {
        question: Text<'a>,
        header: Text<'a>,
        options: Vec<Choice<'a>>,
        multiple: bool,
        custom: bool,
    }
    known
}

wire! {
    pub(super) struct Choice in "question.options" {
        label: Text<'a>,
        description: Text<'a>,
    }
    known
}

wire! {
    /// `session.next.*`: the newer dialect.
    pub(super) struct Next in "session.next" {
        timestamp: Value<'a>,
        message("assistantMessageID" | "messageID"): &'a str,
        prompt: Prompt<'a>,
        agent: &'a str,
        model: Model<'a>,
        part("textID" | "reasoningID"): &'a str,
        delta: Text<'a>,
        text: Text<'a>,
        call("callID"): &'a str,
        name("name" | "tool"): &'a str,
        input: Value<'a>,
        structured: Value<'a>,
        content: Vec<Content<'a>>,
        error: Failure<'a>,
        finish: &'a str,
        cost: f64,
        tokens: Tokens<'a>,
        command: Text<'a>,
        output: Text<'a>,
        attempt: u64,
        reason: Text<'a>,
        location: Value<'a>,
    }
    known "sessionID" "delivery" "snapshot" "files" "provider" "providerMetadata" "outputPaths" "result" "recent"
        "revert" "subdirectory" "metadata" "status"
}

impl Next<'_> {
    /// When it was said: in milliseconds, or written out.
    pub(super) fn at(&self) -> Option<i64> {
        let timestamp = self.timestamp?;
        timestamp.i64().or_else(|| time::parse(timestamp.str()?))
    }
}

wire! {
    pub(super) struct Prompt in "session.next.prompt" {
        text: Text<'a>,
        files: Vec<Attachment<'a>>,
    }
    known "agents"
}

wire! {
    pub(super) struct Content in "session.next.content" {
        r#type("type"): &'a str,
        text: Text<'a>,
        mime: &'a str,
        url("uri" | "url"): Text<'a>,
        name: &'a str,
    }
    known "id"
}

wire! {
    /// A line of `run --format json`.
    pub(super) struct Printed in "run" {
        r#type("type"): &'a str,
        session("sessionID"): &'a str,
        part: Value<'a>,
    }
    known "timestamp" "error"
}

wire! {
    /// What `opencode export` prints.
    pub(super) struct Export in "export" {
        info: SessionInfo<'a>,
        messages: Vec<Value<'a>>,
    }
    known
}

wire! {
    /// A stored message of the newer dialect.
    pub(super) struct StoredNext in "export.next" {
        id: &'a str,
        r#type("type"): &'a str,
        time: Times<'a>,
        text: Text<'a>,
        files: Vec<Attachment<'a>>,
        agent: &'a str,
        model: Model<'a>,
        content: Vec<StoredContent<'a>>,
        finish: &'a str,
        cost: f64,
        tokens: Tokens<'a>,
        error: Failure<'a>,
        summary: Text<'a>,
        reason: Text<'a>,
        call("callID"): &'a str,
        command: Text<'a>,
        output: Text<'a>,
    }
    known "snapshot" "agents" "sessionID" "metadata" "delivery" "seq" "recent"
}

wire! {
    pub(super) struct StoredContent in "export.next.content" {
        id: &'a str,
        r#type("type"): &'a str,
        text: Text<'a>,
        name: &'a str,
        state: Value<'a>,
    }
    known "provider" "providerMetadata" "time"
}

wire! {
    pub(super) struct Exported in "export.messages" {
        info: Value<'a>,
        parts: Vec<Value<'a>>,
    }
    known
}
