//! What Claude Code's lines are, live and stored. The two differ in spelling (`session_id`, `sessionId`) more than in
//! content, so one struct reads both.

use interlinear_schema::Text;

use crate::json::Value;
use crate::wire::{Drifts, wire, word};

/// What every line has in common.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub(super) kind: &'a str,
    pub(super) subtype: Option<&'a str>,
    pub(super) session_id: Option<&'a str>,
}

impl<'a> Line<'a> {
    pub(super) fn read(line: Value<'a>, drift: &mut Drifts) -> Self {
        let [kind, subtype, live] = line.pick(["type", "subtype", "session_id"]);
        // Stored entries spell it otherwise.
        let session = live.or_else(|| line.get("sessionId"));
        Self {
            kind: word(kind, "line", "type", drift).unwrap_or_default(),
            subtype: word(subtype, "line", "subtype", drift),
            session_id: word(session, "line", "session_id", drift),
        }
    }
}

wire! {
    /// What stored entries have in common besides.
    pub(super) struct Stored in "line" {
        timestamp: &'a str,
        /// It belongs to a subagent.
        sidechain("isSidechain"): bool,
        agent_id("agentId"): &'a str,
        uuid: &'a str,
        parent_uuid("parentUuid"): &'a str,
        version: &'a str,
        cwd: &'a str,
        mode("permissionMode"): &'a str,
    }
    rest
}

wire! {
    /// `assistant`: one content block of a message, live and stored.
    pub(super) struct Assistant in "assistant" {
        message: Message<'a>,
        parent_tool_use_id: &'a str,
        uuid: &'a str,
        error: &'a str,
        api_error("isApiErrorMessage" | "is_api_error_message"): bool,
        api_error_status("api_error_status" | "apiErrorStatus"): Value<'a>,
        tool_use_meta: Vec<ToolUseMeta<'a>>,
        supersedes("supersedes" | "supersedesUuids"): Vec<&'a str>,
    }
    known "type" "session_id" "request_id" "subagent_type" "task_description" "timestamp" "thinking_duration_ms"
        "thinking_display" "api_error_type" "agent_id" "local_command_source" "context_usage" "local_command_run"
        "aborted" "user_message_uuid" "user_message_uuids" "parentUuid" "isSidechain" "requestId" "userType"
        "entrypoint" "cwd" "sessionId" "version" "gitBranch" "agentId" "attributionAgent" "attributionSkill" "slug"
        "attributionMcpServer" "attributionMcpTool" "errorDetails" "isMeta" "logicalParentUuid" "isVirtual"
        "attributionPlugin" "teamName" "agentName" "effort" "apiBlockIndex" "isAbortedMidStream" "apiErrorIsTransient"
        "is_meta" "perTurnEffort" "madeBy" "requestedModel" "requestRef" "promptCacheRequested" "toolInputStreamMs"
        "thinkingDurationMs" "thinkingDisplay" "serverClassifierRequest" "failedResponseHadNoToolCall"
        "apiErrorType"
}

wire! {
    pub(super) struct ToolUseMeta in "assistant.tool_use_meta" {
        id: &'a str,
        display_name: Text<'a>,
        server_display_name: Text<'a>,
    }
    known "tool_name"
}

wire! {
    /// A message of the model's API.
    pub(super) struct Message in "message" {
        id: &'a str,
        model: &'a str,
        content: Value<'a>,
        stop_reason: &'a str,
        usage: Usage<'a>,
    }
    known "type" "role" "stop_sequence" "context_management" "container" "stop_details" "diagnostics"
}

wire! {
    pub(super) struct Usage in "usage" {
        input_tokens: u64,
        output_tokens: u64,
        cache_read_input_tokens: u64,
        cache_creation_input_tokens: u64,
    }
    known "cache_creation" "service_tier" "server_tool_use" "inference_geo" "iterations" "speed" "output_tokens_details"
        "input_tokens_details" "fallback_credit"
}

impl Usage<'_> {
    /// Input, output, read from the cache, written to it.
    pub(super) fn counts(&self) -> [Option<u64>; 4] {
        [self.input_tokens, self.output_tokens, self.cache_read_input_tokens, self.cache_creation_input_tokens]
    }
}

wire! {
    /// A block of content, whatever its type.
    pub(super) struct Block in "block" {
        r#type("type"): &'a str,
        text: Text<'a>,
        thinking: Text<'a>,
        id: &'a str,
        name: &'a str,
        input: Value<'a>,
        tool_use_id: &'a str,
        content: Value<'a>,
        is_error: bool,
        source: Source<'a>,
        title: Text<'a>,
    }
    known "signature" "data" "citations" "cache_control" "caller" "context" "url" "encrypted_content" "page_age"
}

wire! {
    /// Where an image or document comes from.
    pub(super) struct Source in "block.source" {
        media_type: &'a str,
        data: Text<'a>,
        url: Text<'a>,
        file_id: Text<'a>,
    }
    known "content" "type"
}

impl Source<'_> {
    /// Whether it says where its bytes are.
    pub(super) fn is_there(&self) -> bool {
        [&self.data, &self.url, &self.file_id].iter().any(|place| place.as_ref().is_some_and(|place| !place.is_empty()))
    }
}

wire! {
    /// `user`: tool results, replayed prompts, and text that the agent put in.
    pub(super) struct User in "user" {
        message: Message<'a>,
        parent_tool_use_id: &'a str,
        uuid: &'a str,
        tool_use_result("tool_use_result" | "toolUseResult"): Value<'a>,
        replay("isReplay"): bool,
        synthetic("isSynthetic"): bool,
        meta("isMeta"): bool,
        summary("isCompactSummary"): bool,
        transcript_only("isVisibleInTranscriptOnly"): bool,
        source("promptSource"): &'a str,
        origin: Value<'a>,
        result_meta("tool_result_meta"): Value<'a>,
        denial("toolDenialKind"): Value<'a>,
        decision("permissionDecision"): Value<'a>,
    }
    known "type" "session_id" "timestamp" "subagent_type" "task_description" "agent_id" "shouldQuery"
        "priority" "parentUuid" "isSidechain" "promptId" "permissionMode" "userType" "entrypoint" "cwd"
        "sessionId" "version" "gitBranch" "sourceToolAssistantUUID" "agentId" "sourceToolUseID" "toolEndsTurn" "slug"
        "mcpMeta" "thinkingMetadata" "todos" "imagePasteIds" "isVirtual" "logicalParentUuid" "interruptedMessageId"
        "planContent" "teamName" "agentName" "queueSkipAttachments" "turnPosition" "turnOrigin"
        "turnCompanion" "scheduledTaskId" "sandboxed" "holdsPersonsWords" "is_meta"
}

impl User<'_> {
    /// Whether a call was allowed, where the line says so.
    pub(super) fn allowed(&self, call: &str) -> Option<bool> {
        let decision = |value: Value<'_>| value.get("decision").and_then(Value::str).map(|word| word == "accept");
        let mut metas = self.result_meta.into_iter().flat_map(Value::elements);
        let meta = metas.find(|meta| meta.get("id").and_then(Value::str).is_some_and(|id| id == call));
        let denied = self.denial.or_else(|| meta?.get("non_execution_kind")).filter(|kind| kind.str().is_some());
        let said = self.decision.or_else(|| meta?.get("permission_decision")).and_then(decision);
        if denied.is_some() { Some(false) } else { said }
    }
}

wire! {
    /// `stream_event`: an event of the model's API, passed through.
    pub(super) struct Stream in "stream_event" {
        event: StreamEvent<'a>,
        parent_tool_use_id: &'a str,
    }
    known "type" "session_id" "uuid" "ttft_ms" "thinking_display" "api_message_id" "abandoned_blocks" "user_message_uuid"
        "user_message_uuids"
}

wire! {
    pub(super) struct StreamEvent in "stream_event.event" {
        r#type("type"): &'a str,
        index: u64,
        message: Message<'a>,
        content_block: Block<'a>,
        delta: StreamDelta<'a>,
        usage: Usage<'a>,
    }
    known "context_management"
}

wire! {
    pub(super) struct StreamDelta in "stream_event.event.delta" {
        r#type("type"): &'a str,
        text: Text<'a>,
        thinking: Text<'a>,
        partial_json: Text<'a>,
        stop_reason: &'a str,
    }
    known "signature" "stop_sequence" "citation" "container" "stop_details" "estimated_tokens"
}

wire! {
    /// `result`: the end of a turn.
    pub(super) struct TurnResult in "result" {
        uuid: &'a str,
        subtype: &'a str,
        is_error: bool,
        result: Text<'a>,
        errors: Vec<Text<'a>>,
        error: Text<'a>,
        stop_reason: &'a str,
        terminal_reason: &'a str,
        duration_ms: u64,
        total_cost_usd: f64,
        usage: Usage<'a>,
        model_usage("modelUsage"): Value<'a>,
        since_last("model_usage_since_last_result"): Value<'a>,
        api_error_status: Value<'a>,
        permission_denials: Value<'a>,
    }
    known "type" "session_id" "duration_api_ms" "num_turns" "fast_mode_state" "ttft_ms"
        "ttft_stream_ms" "time_to_request_ms" "structured_output" "origin" "fast_mode_disabled_reason" "subagent_stats"
        "safety_stops" "queued_turn_count" "result_index" "first_content_frame_ms"
        "api_error_type" "local_command" "user_message_uuid" "user_message_uuids" "request_sent_wall_ms"
        "first_request_input_tokens" "first_request_cache_read_input_tokens" "deferred_tool_use"
}

/// How the agent begins a note to its makers, which it puts before what went wrong.
const DIAGNOSTIC: &str = "[ede_diagnostic]";

impl<'a> TurnResult<'a> {
    /// What went wrong, in the agent's words.
    pub(super) fn why(&self) -> Option<&Text<'a>> {
        let one = || self.error.iter().chain(&self.result);
        let said = || self.errors.iter().flatten().chain(one()).filter(|said| !said.is_empty());
        said().find(|said| !said.to_str_lossy().starts_with(DIAGNOSTIC)).or_else(|| said().next())
    }
}

wire! {
    /// `system`, all subtypes, live and stored.
    pub(super) struct System in "system" {
        uuid: &'a str,
        // init
        cwd: Value<'a>,
        tools: Value<'a>,
        mcp_servers: Value<'a>,
        model: Value<'a>,
        permission_mode("permissionMode"): Value<'a>,
        effort: Value<'a>,
        claude_code_version: Value<'a>,
        // status
        status: Value<'a>,
        compact_result: &'a str,
        compact_error: Text<'a>,
        // compact_boundary
        compact_metadata("compact_metadata" | "compactMetadata"): Value<'a>,
        // api_retry
        attempt("attempt" | "retryAttempt"): u64,
        max_retries("max_retries" | "maxRetries"): u64,
        error_status: Value<'a>,
        error: Value<'a>,
        // model_fallback, informational, notification …
        content: Text<'a>,
        text: Text<'a>,
        message: Text<'a>,
        retracted("retracted_message_uuids" | "retractedMessageUuids"): Vec<&'a str>,
        // task_*
        task_id: &'a str,
        tool_use_id: &'a str,
        agent_id: &'a str,
        task_type: &'a str,
        backgrounded("is_backgrounded"): bool,
        patch: TaskPatch<'a>,
        summary: Text<'a>,
        // hook_*
        hook_name: Text<'a>,
        outcome: Text<'a>,
        output: Text<'a>,
        exit_code: i64,
        // session_title_changed
        title: Value<'a>,
        // turn_duration
        duration_ms("duration_ms" | "durationMs"): u64,
        // model_refusal_*
        refusal("api_refusal_explanation" | "apiRefusalExplanation"): Text<'a>,
        // stop_hook_summary
        prevented("preventedContinuation"): bool,
        stop_reason("stopReason"): Text<'a>,
        microcompact("microcompactMetadata"): Value<'a>,
    }
    known "type" "subtype" "session_id" "sessionId" "slash_commands" "apiKeySource" "output_style" "agents" "skills"
        "plugins" "analytics_disabled" "product_feedback_disabled" "memory_paths" "fast_mode_state"
        "terminal_slash_commands" "capabilities" "original_cwd" "additional_directories" "messaging_socket_path"
        "fast_mode_disabled_reason" "per_turn_effort_active" "ultrathink_available" "ultrathink_typed_raises" "view_mode"
        "user_message_uuids" "tasks" "commands" "logical_parent_uuid" "hook_id" "hook_event" "stdout" "stderr" "level"
        "prevent_continuation" "trigger" "original_model" "fallback_model" "direction" "request_id"
        "api_refusal_category" "refused_user_message_uuid" "key" "priority" "tool_name"
        "decision_reason_type" "state" "compact_output_chars" "status_detail" "output_file" "usage" "run_id" "description"
        "subagent_type" "last_tool_name" "prompt" "spawn_depth" "estimated_tokens" "estimated_tokens_delta" "parentUuid"
        "logicalParentUuid" "isSidechain" "isMeta" "timestamp" "userType" "entrypoint" "version" "gitBranch"
        "slug" "originalModel" "fallbackModel" "requestId" "apiRefusalCategory"
        "refusedUserMessageUuid" "messageCount" "workflow_name" "tool_use_count" "hookCount"
        "hookInfos" "hookErrors" "hasOutput" "toolUseID" "cause" "retryInMs"
        "agentId" "decision_reason" "url" "commandMode" "source"
        "contextUsage" "commandRun" "retry_delay_ms" "status_category" "needs_action" "summarizes_uuid" "detail"
        "choice" "persisted_as_default" "written_paths" "writtenPaths"
}

wire! {
    pub(super) struct TaskPatch in "system.patch" {
        backgrounded("is_backgrounded"): bool,
        status: &'a str,
    }
    known "end_time" "total_paused_ms" "error" "description"
}

wire! {
    /// `control_request`, in both directions.
    pub(super) struct ControlRequest in "control_request" {
        request_id: &'a str,
        request: Request<'a>,
    }
    known "type" "uuid" "session_id"
}

wire! {
    pub(super) struct Request in "control_request.request" {
        subtype: &'a str,
        // can_use_tool
        tool_name: &'a str,
        input: Value<'a>,
        tool_use_id: &'a str,
        agent_id: &'a str,
        permission_suggestions("permission_suggestions" | "suggestions"): Value<'a>,
        /// It must not be allowed for longer than this once.
        once("suppress_always_allow_rule"): bool,
        blocked_path: Value<'a>,
        description: Value<'a>,
        decision_reason: Value<'a>,
        display_name: Value<'a>,
        // elicitation
        message: Value<'a>,
        url: Value<'a>,
        requested_schema: Value<'a>,
        // cancel_async_message
        message_uuid: &'a str,
    }
    known "decision_reason_type" "classifier_approvable" "requires_user_interaction" "callback_id" "hooks"
        "sdkMcpServers" "promptSuggestions" "forwardSubagentText" "agentProgressSummaries" "server_name" "serverName"
        "enabled" "tool" "arguments" "path" "query" "title" "user_message_id" "dry_run" "max_thinking_tokens" "question"
        "task_id" "jsonSchema" "systemPrompt" "appendSystemPrompt" "agents" "elicitation_id" "tool_input" "reason"
        "sub_type" "excludeDynamicSections" "supportedDialogKinds" "server_policy_ask_only" "mcp_server_name" "model"
        "mode"
}

wire! {
    /// `control_response`, in both directions.
    pub(super) struct ControlResponse in "control_response" {
        response: Response<'a>,
    }
    known "type" "uuid" "session_id"
}

wire! {
    pub(super) struct Response in "control_response.response" {
        subtype: &'a str,
        request_id: &'a str,
        response: Value<'a>,
        error: Text<'a>,
    }
    known "pending_permission_requests" "pending_user_dialog_requests" "error_code"
}

wire! {
    /// `control_cancel_request`.
    pub(super) struct ControlCancel in "control_cancel_request" {
        request_id: &'a str,
    }
    known "type" "uuid" "session_id"
}

wire! {
    /// Lines with nothing but a few words to them.
    pub(super) struct Small in "small" {
        suggestion: Text<'a>,
        summary: Text<'a>,
        rate_limit_info: Value<'a>,
        trigger: Text<'a>,
        custom_title("customTitle"): Text<'a>,
        ai_title("aiTitle"): Text<'a>,
        mode("permissionMode"): Value<'a>,
        attachment: Value<'a>,
        uuid: &'a str,
    }
    rest
}
