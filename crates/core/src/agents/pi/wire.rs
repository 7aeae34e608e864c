//! What Pi's lines are, of all versions: RPC mode, JSON mode, and session files.

use interlinear_schema::Text;

use crate::json::Value;
use crate::wire::wire;

wire! {
    /// What every line has in common.
    pub(super) struct Line in "line" {
        r#type("type"): &'a str,
    }
    rest
}

wire! {
    /// `session`: the first line of JSON mode and of a session file.
    pub(super) struct Header in "session" {
        id: &'a str,
        cwd: Value<'a>,
        timestamp: &'a str,
    }
    known "type" "version" "parentSession" "branchedFrom" "provider" "modelId" "thinkingLevel"
}

wire! {
    /// `message_start`, `message_end`.
    pub(super) struct MessageLine in "message_event" {
        message: Message<'a>,
    }
    known "type"
}

wire! {
    /// A message, whatever its role.
    pub(super) struct Message in "message" {
        role: &'a str,
        content: Value<'a>,
        timestamp: i64,
        // assistant
        provider: &'a str,
        model: &'a str,
        usage: Usage<'a>,
        stop_reason("stopReason"): &'a str,
        error("errorMessage"): Text<'a>,
        // toolResult
        call_id("toolCallId"): &'a str,
        tool("toolName"): &'a str,
        is_error("isError"): bool,
        details: Value<'a>,
        nested("nestedCalls"): Nested<'a>,
        // assistant, toolResult
        duration("durationMs"): u64,
        // system
        sections: Value<'a>,
        tools_added("toolsAdded"): Value<'a>,
        // compactionSummary, branchSummary
        summary: Text<'a>,
        // bashExecution
        command: Text<'a>,
        output: Text<'a>,
        exit_code("exitCode"): i64,
        cancelled: bool,
    }
    known "api" "responseModel" "responseId" "rawStopReason" "customType" "display" "truncated" "fullOutputPath"
        "tokensBefore" "fromId" "excludeFromContext" "toolsRemoved" "addedToolNames" "diagnostics" "attachments"
        "sectionsRemoved" "streamingBehavior" "source" "thinkingLevel" "providerThinkingLevel" "structuredContent"
}

wire! {
    /// The calls that a tool has made of other tools: the only form in which session files have them.
    pub(super) struct Nested in "message.nestedCalls" {
        calls: Vec<NestedCall<'a>>,
    }
    known "complete"
}

wire! {
    pub(super) struct NestedCall in "message.nestedCalls.calls" {
        id: &'a str,
        name: &'a str,
        arguments: Value<'a>,
        status: &'a str,
        duration("durationMs"): u64,
        error: Text<'a>,
    }
    known "argumentsBytes"
}

wire! {
    pub(super) struct Usage in "message.usage" {
        input: u64,
        output: u64,
        cache_read("cacheRead"): u64,
        cache_write("cacheWrite"): u64,
        reasoning: u64,
        total("totalTokens"): u64,
        cost: Cost<'a>,
    }
    known "cacheWrite1h" "premiumRequests"
}

wire! {
    pub(super) struct Cost in "message.usage.cost" {
        total: f64,
    }
    known "input" "output" "cacheRead" "cacheWrite" "totalFromProvider"
}

wire! {
    /// A block of content, whatever its type.
    pub(super) struct Block in "block" {
        r#type("type"): &'a str,
        text: Text<'a>,
        thinking: Text<'a>,
        redacted: bool,
        id: &'a str,
        name: &'a str,
        arguments: Value<'a>,
        data: Text<'a>,
        mime("mimeType"): &'a str,
    }
    known "textSignature" "thinkingSignature" "thoughtSignature" "partialJson" "partialArgs" "index" "streamIndex"
}

wire! {
    /// `message_update`. The message beside the event is a live object that runs ahead: it is not used.
    pub(super) struct Update in "message_update" {
        event("assistantMessageEvent"): UpdateEvent<'a>,
    }
    known "type" "message" "usage"
}

wire! {
    pub(super) struct UpdateEvent in "message_update.assistantMessageEvent" {
        r#type("type"): &'a str,
        index("contentIndex"): u64,
        delta: Text<'a>,
        call("toolCall"): Block<'a>,
        id: &'a str,
        tool("toolName"): &'a str,
        /// The message so far; only the name of a call that begins is read from it.
        partial: Value<'a>,
    }
    known "content" "reason" "message" "error"
}

wire! {
    /// `tool_execution_start`, `tool_execution_update`, `tool_execution_end`.
    pub(super) struct Execution in "tool_execution" {
        call_id("toolCallId"): &'a str,
        tool("toolName"): &'a str,
        args: Value<'a>,
        partial("partialResult"): ToolResult<'a>,
        result: ToolResult<'a>,
        is_error("isError"): bool,
        duration("durationMs"): u64,
        /// The call of the tool that calls this one.
        parent("parentToolCallId"): &'a str,
    }
    known "type"
}

wire! {
    pub(super) struct ToolResult in "tool_execution.result" {
        content: Value<'a>,
        details: Value<'a>,
    }
    known "terminate" "isError" "addedToolNames" "structuredContent" "usage"
}

wire! {
    /// `agent_end`.
    pub(super) struct AgentEnd in "agent_end" {
        will_retry("willRetry"): bool,
    }
    known "type" "messages"
}

wire! {
    /// `agent_settled`.
    pub(super) struct Settled in "agent_settled" {
        aborted: bool,
    }
    known "type"
}

wire! {
    /// `compaction_start`, `compaction_end` and their older names.
    pub(super) struct Compaction in "compaction" {
        reason: Text<'a>,
        result: CompactionResult<'a>,
        will_retry("willRetry"): bool,
        error("errorMessage"): Text<'a>,
    }
    known "type" "aborted"
}

wire! {
    pub(super) struct CompactionResult in "compaction.result" {
        summary: Text<'a>,
        tokens_before("tokensBefore"): Value<'a>,
    }
    known "firstKeptEntryId" "firstKeptEntryIndex" "details" "usage" "estimatedTokensAfter"
}

wire! {
    /// `auto_retry_start`, `auto_retry_end`.
    pub(super) struct Retry in "auto_retry" {
        attempt: Value<'a>,
        max_attempts("maxAttempts"): Value<'a>,
        delay("delayMs"): Value<'a>,
        error("errorMessage"): Text<'a>,
        success: bool,
        final_error("finalError"): Text<'a>,
    }
    known "type"
}

wire! {
    /// `extension_ui_request`, `hook_ui_request`.
    pub(super) struct UiRequest in "extension_ui_request" {
        id: &'a str,
        method: &'a str,
        title: Text<'a>,
        message: Text<'a>,
        options: Vec<Text<'a>>,
        timeout: f64,
        placeholder: Text<'a>,
        prefill: Text<'a>,
        status("statusText"): Text<'a>,
        widget("widgetLines"): Vec<Text<'a>>,
        text: Text<'a>,
    }
    known "type" "notifyType" "statusKey" "widgetKey" "widgetPlacement"
}

wire! {
    /// `extension_ui_response`, `hook_ui_response`.
    pub(super) struct UiResponse in "extension_ui_response" {
        id: &'a str,
        value: Text<'a>,
        confirmed: bool,
        cancelled: bool,
    }
    known "type"
}

wire! {
    /// `extension_error`, `hook_error`.
    pub(super) struct ExtensionError in "extension_error" {
        path("extensionPath" | "hookPath"): Value<'a>,
        event: Value<'a>,
        error: Text<'a>,
    }
    known "type" "stack"
}

wire! {
    /// `response`: the answer to a command of the host.
    pub(super) struct Response in "response" {
        id: &'a str,
        command: &'a str,
        success: bool,
        data: Value<'a>,
        error: Text<'a>,
    }
    known "type"
}

wire! {
    /// Lines with nothing but a word to them.
    pub(super) struct Small in "small" {
        // thinking_level_changed
        level: Value<'a>,
        // session_info_changed
        name: Text<'a>,
        // bash_execution_update
        id: &'a str,
        delta: Text<'a>,
        // queue_update
        steering: Value<'a>,
        follow_up("followUp"): Value<'a>,
        // summarization_retry_scheduled
        error("errorMessage"): Text<'a>,
    }
    known "type" "entry" "attempt" "maxAttempts" "delayMs" "success" "finalError"
}

wire! {
    /// A command of the host.
    pub(super) struct HostCommand in "command" {
        id: &'a str,
        command: Text<'a>,
        message: Text<'a>,
        path("sessionPath"): &'a str,
    }
    known "type" "images" "streamingBehavior" "parentSession" "provider" "modelId" "level" "mode"
        "customInstructions" "enabled" "outputPath" "entryId" "name" "since" "excludeFromContext"
}

wire! {
    /// An entry of a session file.
    pub(super) struct Entry in "entry" {
        id: &'a str,
        timestamp: &'a str,
        message: Message<'a>,
        // model_change
        provider: &'a str,
        model("modelId"): &'a str,
        // thinking_level_change
        level("thinkingLevel"): Value<'a>,
        // compaction, branch_summary
        summary: Text<'a>,
        tokens_before("tokensBefore"): Value<'a>,
        // custom_message
        content: Value<'a>,
        // session_info
        name: Text<'a>,
    }
    known "type" "parentId" "customType" "display" "details" "firstKeptEntryId" "firstKeptEntryIndex" "fromHook" "fromId"
        "data" "targetId" "label" "replacement" "usage" "labels" "estimatedTokensAfter" "systemMessage"
}
