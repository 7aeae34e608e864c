//! What Amp's lines and threads are. The lines look like Claude Code's, but hold less.

use interlinear_schema::Text;

use crate::json::Value;
use crate::wire::wire;

wire! {
    /// `system`/`init`.
    pub(super) struct Init in "system" {
        cwd: Value<'a>,
        tools: Value<'a>,
        mcp_servers: Value<'a>,
        model: Value<'a>,
        mode("mode" | "agent_mode"): Value<'a>,
    }
    known "type" "subtype" "session_id" "permission_mode" "apiKeySource" "uuid"
}

wire! {
    /// `user` and `assistant`.
    pub(super) struct MessageLine in "message_line" {
        message: Message<'a>,
        parent("parent_tool_use_id"): &'a str,
    }
    known "type" "session_id" "uuid" "timestamp"
}

wire! {
    pub(super) struct Message in "message" {
        id: &'a str,
        model: &'a str,
        content: Value<'a>,
        stop_reason: &'a str,
        usage: Usage<'a>,
    }
    known "type" "role" "stop_sequence"
}

wire! {
    pub(super) struct Usage in "usage" {
        input("input_tokens" | "inputTokens"): u64,
        output("output_tokens" | "outputTokens"): u64,
        cache_read("cache_read_input_tokens" | "cacheReadInputTokens"): u64,
        cache_write("cache_creation_input_tokens" | "cacheCreationInputTokens"): u64,
        /// The size of the context.
        window("max_tokens" | "maxInputTokens"): u64,
        model: &'a str,
        timestamp: &'a str,
    }
    known "service_tier" "totalInputTokens" "creditsSinceLastUserMessage" "credits" "cache_creation" "server_tool_use"
        "thinkingBudget" "maxOutputTokens"
}

wire! {
    /// A block of content, live and stored.
    pub(super) struct Block in "block" {
        r#type("type"): &'a str,
        text: Text<'a>,
        thinking: Text<'a>,
        // tool_use
        id: &'a str,
        name: &'a str,
        input: Value<'a>,
        // tool_result
        tool_use_id("tool_use_id" | "toolUseID"): &'a str,
        content: Value<'a>,
        is_error: bool,
        run: Run<'a>,
        // image
        source: Value<'a>,
    }
    known "signature" "data" "complete" "finalTime" "provider" "cache_control" "citations" "hidden" "metadata"
        "normalizedInput" "inputPartialJSON" "sourcePath" "userInput" "openAIReasoning" "isGenerated" "startTime"
}

wire! {
    /// How a tool ran, in a thread.
    pub(super) struct Run in "block.run" {
        status: &'a str,
        result: Value<'a>,
        error: Value<'a>,
        reason: Value<'a>,
        progress: Value<'a>,
    }
    known "trackFiles" "~debug" "files" "toAllow" "title" "discoveredGuidanceFiles" "userInput"
}

wire! {
    /// `result`: the end of the run.
    pub(super) struct RunResult in "result" {
        subtype: &'a str,
        is_error: bool,
        error: Value<'a>,
        result: Text<'a>,
        permission_denials: Value<'a>,
        duration_ms: u64,
    }
    known "type" "session_id" "num_turns" "usage" "uuid"
}

wire! {
    /// A line of older versions: `message`, `tool_call`, `tool_result`, `error`, `done`.
    pub(super) struct Older in "older" {
        id: &'a str,
        role: &'a str,
        content: Value<'a>,
        text: Value<'a>,
        // tool_call
        call("tool_call" | "toolCall"): Value<'a>,
        name("name" | "tool_name" | "tool"): &'a str,
        arguments("arguments" | "input" | "args"): Value<'a>,
        // tool_result
        call_id("tool_call_id" | "call_id" | "tool_use_id" | "toolCallId"): &'a str,
        output("output" | "result"): Value<'a>,
        is_error: bool,
        // error
        error: Value<'a>,
        message: Value<'a>,
    }
    known "type" "session_id" "timestamp" "usage" "model" "code" "status"
}

wire! {
    /// A thread.
    pub(super) struct Thread in "thread" {
        id: &'a str,
        created: i64,
        messages: Vec<ThreadMessage<'a>>,
        mode("agentMode"): Value<'a>,
        title: Text<'a>,
        env: Value<'a>,
    }
    known "v" "nextMessageId" "usageLedger" "~debug" "meta" "mainThreadID" "summaryThreads" "originThreadID"
        "forkedFromMessageIndex" "parentThreadID" "relationships" "maxTokens" "queuedMessages" "pendingNavigation" "draft"
        "activatedSkills" "reasoningEffort" "creatorUserID" "updatedAt" "archived" "autoSubmitDraft"
}

wire! {
    pub(super) struct ThreadMessage in "thread.message" {
        role: &'a str,
        id("messageId"): Value<'a>,
        content: Value<'a>,
        state: Value<'a>,
        usage: Usage<'a>,
        meta: Value<'a>,
        elapsed("turnElapsedMs"): u64,
        parent("parentToolUseId"): &'a str,
    }
    known "userState" "agentMode" "originalToolUseInput" "discoveredGuidanceFiles" "interrupted" "fileMentions" "source"
        "dtwMessageID" "readAt" "nativeMessage"
}
