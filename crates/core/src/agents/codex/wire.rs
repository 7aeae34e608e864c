//! What Codex writes: messages of its app server, events of `exec --json`, lines of its rollout files. The three
//! differ in spelling (`aggregatedOutput`, `aggregated_output`) more than in content, so one struct reads all.

use interlinear_schema::Text;

use crate::json::Value;
use crate::wire::wire;

wire! {
    /// A message of the app server, in either direction. What has a method is a request or a notification; `id`s of
    /// the two sides are independent of each other.
    pub(super) struct Message in "message" {
        id: Value<'a>,
        method: &'a str,
        params: Value<'a>,
        result: Value<'a>,
        error: Value<'a>,
    }
    known "jsonrpc" "emittedAtMs" "trace"
}

wire! {
    /// What nearly all notifications have.
    pub(super) struct Params in "params" {
        thread_id("threadId" | "conversationId"): &'a str,
        turn_id("turnId"): &'a str,
        item_id("itemId" | "callId"): &'a str,
        thread: Thread<'a>,
        turn: Turn<'a>,
        item: Value<'a>,
        delta: Text<'a>,
        summary_index("summaryIndex"): u64,
        content_index("contentIndex"): u64,
        changes: Value<'a>,
        token_usage("tokenUsage"): TokenUsage<'a>,
        rate_limits("rateLimits"): Value<'a>,
        error: Value<'a>,
        will_retry("willRetry"): bool,
        request_id("requestId"): Value<'a>,
        message: Text<'a>,
    }
    // The first of these are those of a note.
    known "threadSettings" "plan" "explanation" "summary" "details" "name" "threadName" "status" "goal" "run" "review"
        "reviewId" "targetItemId" "action" "fromModel" "toModel" "startedAtMs" "completedAtMs" "diff" "readState" "processId" "processHandle" "deltaBase64" "capReached"
        "stream" "failureReason" "decisionSource" "serverName" "installationId" "environmentId" "path" "range"
        "responseId" "usage" "responseModel" "model" "phase" "msg" "id" "exitCode" "stdout" "stderr"
        "stdoutCapReached" "stderrCapReached" "outputDrainTimedOut" "success" "loginId" "authMode" "planType" "data"
        "verifications" "metadata" "provider" "reasons" "useCases" "fasterModel" "showBufferingUi" "role" "text"
        "audio" "sdp" "version" "realtimeSessionId" "notification" "subscriptionId" "attachmentId" "attachmentType"
        "identityKey" "operation" "result" "sourceTurnId" "projectId" "changeType" "changedPaths" "watchId"
        "files" "query" "sessionId" "importId" "itemTypeResults" "extraCount" "failedScan" "samplePaths" "mode"
        "onboardingEntrypoint" "authUrl" "providerId" "cancelled" "endTurn" "costUsd" "reason" "stdin"
        "contentTokenCount" "sectionId"
}

wire! {
    /// What those notifications have that are no part of the conversation.
    pub(super) struct Note in "params" {
        thread_settings("threadSettings"): Settings<'a>,
        plan: Value<'a>,
        explanation: Text<'a>,
        error: Value<'a>,
        message: Text<'a>,
        summary: Text<'a>,
        details: Text<'a>,
        name: Text<'a>,
        thread_name("threadName"): Text<'a>,
        status: Value<'a>,
        goal: Value<'a>,
        run: Value<'a>,
        review: Value<'a>,
        review_id("reviewId"): &'a str,
        target_item_id("targetItemId"): &'a str,
        action: Value<'a>,
        from_model("fromModel"): &'a str,
        to_model("toModel"): &'a str,
    }
    rest
}

wire! {
    /// A thread: what other agents call a session.
    pub(super) struct Thread in "thread" {
        id: &'a str,
        parent_thread_id("parentThreadId"): &'a str,
        source: Value<'a>,
        cwd: &'a str,
        cli_version("cliVersion"): &'a str,
        model: &'a str,
        reasoning_effort("reasoningEffort"): &'a str,
        name: Text<'a>,
    }
    known "environments" "extra" "sessionId" "forkedFromId" "preview" "ephemeral" "section" "sectionEnteredAt"
        "projectId" "historyMode" "modelProvider" "createdAt" "updatedAt" "recencyAt" "status" "path" "originator"
        "canAcceptDirectInput" "threadSource" "agentNickname" "agentRole" "gitInfo" "daybreakEnabled" "turns"
        "attachedToThreadId"
}

wire! {
    /// The result of a request that opens a thread or begins a turn.
    pub(super) struct Opened in "result" {
        thread: Thread<'a>,
        conversation_id("conversationId"): &'a str,
        model: &'a str,
        cwd: &'a str,
        approval_policy("approvalPolicy"): Value<'a>,
        reasoning_effort("reasoningEffort"): &'a str,
        user_agent("userAgent"): &'a str,
    }
    rest
}

wire! {
    pub(super) struct Turn in "turn" {
        id: &'a str,
        status: &'a str,
        error: Failure<'a>,
        duration_ms("durationMs"): u64,
        root_turn_id("rootTurnId"): &'a str,
    }
    known "items" "itemsView" "startedAt" "completedAt"
}

wire! {
    /// Why something failed.
    pub(super) struct Failure in "error" {
        message: Text<'a>,
        info("codexErrorInfo" | "codex_error_info"): Value<'a>,
        more("additionalDetails" | "additional_details"): Value<'a>,
    }
    known "misalignment" "code" "data"
}

wire! {
    pub(super) struct Settings in "settings" {
        model: &'a str,
        effort("effort" | "reasoning_effort"): &'a str,
        cwd: &'a str,
        approval_policy("approvalPolicy" | "approval_policy"): Value<'a>,
        collaboration_mode("collaborationMode" | "collaboration_mode"): Value<'a>,
    }
    known "disabledPluginIds" "approvalsReviewer" "sandboxPolicy" "activePermissionProfile" "modelProvider"
        "requestedApprovalsReviewer" "requested_approvals_reviewer"
        "serviceTier" "summary" "multiAgentMode" "personality" "disabled_plugin_ids" "approvals_reviewer"
        "sandbox_policy" "permission_profile" "active_permission_profile" "model_provider_id" "model_provider"
        "service_tier" "multi_agent_mode" "reasoning_summary" "turn_id" "root_turn_id" "comp_hash"
        "file_system_sandbox_policy" "multi_agent_version" "realtime_active" "truncation_policy"
        "user_instructions" "workspace_roots" "network" "developer_instructions" "base_instructions" "current_date"
        "timezone" "environments" "runtime_workspace_roots" "runtimeWorkspaceRoots"
}

wire! {
    pub(super) struct TokenUsage in "usage" {
        total("total" | "total_token_usage"): Tokens<'a>,
        last("last" | "last_token_usage"): Tokens<'a>,
        window("modelContextWindow" | "model_context_window"): u64,
    }
    known "last_usage_includes_reasoning" "lastUsageIncludesReasoning"
}

wire! {
    pub(super) struct Tokens in "tokens" {
        all("totalTokens" | "total_tokens"): u64,
        input("inputTokens" | "input_tokens"): u64,
        cached("cachedInputTokens" | "cached_input_tokens"): u64,
        cache_write("cacheWriteInputTokens" | "cache_write_input_tokens"): u64,
        output("outputTokens" | "output_tokens"): u64,
        reasoning("reasoningOutputTokens" | "reasoning_output_tokens"): u64,
    }
    known
}

wire! {
    /// An item of a thread, of any type and in any of the three spellings.
    pub(super) struct Item in "item" {
        r#type("type" | "item_type"): &'a str,
        /// In items of `exec` the key may be doubled: the model's own identifier comes last.
        id: &'a str,
        text: Text<'a>,
        content: Value<'a>,
        questions: Value<'a>,
        summary("summary" | "summary_text"): Value<'a>,
        raw_content: Value<'a>,
        command: Value<'a>,
        cwd: &'a str,
        status: &'a str,
        aggregated_output("aggregatedOutput" | "aggregated_output"): Text<'a>,
        exit_code("exitCode" | "exit_code"): i64,
        duration_ms("durationMs" | "duration_ms"): u64,
        duration: Value<'a>,
        changes: Value<'a>,
        stdout: Text<'a>,
        stderr: Text<'a>,
        server: &'a str,
        tool: &'a str,
        arguments: Value<'a>,
        result: Value<'a>,
        error: Value<'a>,
        success: bool,
        content_items("contentItems" | "content_items"): Value<'a>,
        receivers("receiverThreadIds" | "receiver_thread_ids"): Vec<&'a str>,
        prompt: Text<'a>,
        agents_states("agentsStates" | "agents_states"): Value<'a>,
        agent_thread_id("agentThreadId" | "agent_thread_id"): &'a str,
        agent_path("agentPath" | "agent_path"): &'a str,
        kind: &'a str,
        query: Text<'a>,
        action: Value<'a>,
        results: Value<'a>,
        path: &'a str,
        review: Text<'a>,
        hint("user_facing_hint"): Text<'a>,
        fragments: Value<'a>,
        name: &'a str,
        output: Value<'a>,
        revised_prompt("revisedPrompt" | "revised_prompt"): Text<'a>,
        saved_path("savedPath" | "saved_path"): Text<'a>,
        failure: Value<'a>,
        items: Value<'a>,
        message: Text<'a>,
        data: Value<'a>,
    }
    known "startedAtMs" "completedAtMs" "clientId" "client_id" "phase" "memoryCitation" "memory_citation" "delivery"
        "commandActions" "parsed_cmd" "processId" "process_id" "source" "pluginId" "plugin_id" "scriptPath"
        "script_path" "appContext" "app_context" "mcpAppUi" "mcp_app_ui" "mcpAppResourceUri" "mcp_app_resource_uri"
        "readOnlyHint" "read_only_hint" "model" "reasoningEffort" "reasoning_effort" "senderThreadId"
        "sender_thread_id" "receiver_agents" "receiverAgents" "target" "generationId" "generation_id" "inputImages"
        "input_images" "transparentBackground" "transparent_background" "interaction_input" "formatted_output"
        "summary_parts" "encrypted_content" "auto_approved" "namespace" "review_output" "moderation"
}

wire! {
    /// An event of `exec --json`.
    pub(super) struct ExecEvent in "event" {
        thread_id("thread_id" | "session_id"): &'a str,
        item: Value<'a>,
        usage: Tokens<'a>,
        error: Failure<'a>,
        message: Text<'a>,
    }
    known "type"
}

wire! {
    /// A line of a rollout file.
    pub(super) struct Rollout in "line" {
        timestamp: &'a str,
        r#type("type"): &'a str,
        payload: Value<'a>,
    }
    known "ordinal" "metadata"
}

wire! {
    /// The first line of a rollout file.
    pub(super) struct Meta in "session_meta" {
        id: &'a str,
        cwd: &'a str,
        cli_version: &'a str,
        history_mode: &'a str,
        parent_thread_id: &'a str,
        source: Value<'a>,
    }
    known "session_id" "timestamp" "originator" "model_provider" "base_instructions" "git" "instructions"
        "agent_nickname" "agent_path" "agent_role" "agent_type" "context_window" "dynamic_tools" "forked_from_id"
        "forked_from_ordinal_exclusive" "history_base" "multi_agent_version" "runtime_workspace_roots"
        "thread_source" "memory_mode" "selected_capability_roots" "project_id" "account_scoped"
}

wire! {
    /// What happened, in a rollout file.
    pub(super) struct Happened in "event_msg" {
        turn_id: &'a str,
        item: Value<'a>,
        message: Text<'a>,
        images: Value<'a>,
        local_images: Value<'a>,
        error: Failure<'a>,
        duration_ms: u64,
        info: TokenUsage<'a>,
        thread_settings: Settings<'a>,
        /// What a subagent does is told under the call that has started it.
        call_id("call_id" | "event_id"): &'a str,
        invocation: Value<'a>,
        result: Value<'a>,
        changes: Value<'a>,
        success: bool,
        duration: Value<'a>,
        query: Text<'a>,
        action: Value<'a>,
        name("thread_name" | "name"): Text<'a>,
        path: &'a str,
        stderr: Text<'a>,
        stdout: Text<'a>,
    }
    known "phase" "memory_citation" "started_at_ms" "completed_at_ms" "text_elements" "audio" "local_audio"
        "completed_at" "started_at" "last_agent_message" "root_turn_id" "time_to_first_token_ms"
        "collaboration_mode_kind" "model_context_window" "turn_attribution" "rate_limits" "read_only_hint" "kind"
        "review_output" "num_turns" "codex_error_info" "target" "user_facing_hint" "delivery" "questions" "type"
        "thread_id" "text" "reason" "status" "goal" "revised_prompt" "saved_path" "transparent_background"
        "command" "cwd" "exit_code" "aggregated_output" "formatted_output" "parsed_cmd" "source" "process_id"
        "ready" "failed" "cancelled" "server" "auto_approved" "unified_diff" "item_id" "summary_index"
        "additional_details" "occurred_at_ms" "agent_thread_id" "agent_path" "sender_thread_id" "new_thread_id" "prompt"
        "new_agent_nickname" "new_agent_role" "model" "reasoning_effort"
}

wire! {
    /// What the model saw, in a rollout file.
    pub(super) struct Seen in "response_item" {
        id: &'a str,
        role: &'a str,
        content: Value<'a>,
        summary: Value<'a>,
        name: &'a str,
        namespace: &'a str,
        arguments: Value<'a>,
        input: Text<'a>,
        call_id: &'a str,
        output: Value<'a>,
        action: Value<'a>,
    }
    known "internal_chat_message_metadata_passthrough" "phase" "status" "encrypted_content" "execution" "tools"
        "author" "recipient" "end_turn" "result" "revised_prompt" "ghost_commit" "type"
}
