// Generated from the Rust types by `cargo run -p interlinear-typegen`. Do not edit: a test compares the two.

/**
 * One event of a session: the envelope, and what happened. Narrowing on `type` narrows `data`:
 *
 * ```ts
 * if (event.type === "item.delta") process.stdout.write(event.data.delta);
 * ```
 */
export type UniversalEvent = EventEnvelope & EventData;

/** The `type` of an event. */
export type EventType = EventData["type"];

/** The event of one `type`: `EventOf<"item.delta">`. */
export type EventOf<Type extends EventType> = EventEnvelope & Extract<EventData, { type: Type }>;

/**
 * One event of a session: the envelope around `EventData`. In JSON, the data's variant is the field `type`.
 */
export interface EventEnvelope {
    /**
     * Unique identifier of the event.
     */
    event_id: string;
    /**
     * Number of the event within its session: starts at 1 and rises by 1.
     */
    sequence: number;
    /**
     * RFC 3339 timestamp; never goes backwards.
     */
    time: string;
    /**
     * The session's identifier, given by the host.
     */
    session_id: string;
    /**
     * The agent's own identifier of the session, thread or run.
     */
    native_session_id?: string;
    /**
     * `agent` for what the agent said, `daemon` for what was added to fill a gap.
     */
    source: EventSource;
    /**
     * Whether it was added to fill a gap: true exactly when `source` is `daemon`.
     */
    synthetic: boolean;
    /**
     * The native object that caused the event; `null` unless asked for.
     */
    raw: unknown;
}

/**
 * Who emitted the event.
 */
export type EventSource = "agent" | "daemon";

/**
 * What happened. The variant is the event's `type`.
 */
export type EventData =
    | { type: "session.started"; data: SessionStartedData }
    | { type: "session.ended"; data: SessionEndedData }
    | { type: "turn.started"; data: TurnData }
    | { type: "turn.ended"; data: TurnData }
    | { type: "item.started"; data: ItemData }
    | { type: "item.delta"; data: ItemDeltaData }
    | { type: "item.completed"; data: ItemData }
    | { type: "permission.requested"; data: PermissionData }
    | { type: "permission.resolved"; data: PermissionData }
    | { type: "question.requested"; data: QuestionData }
    | { type: "question.resolved"; data: QuestionData }
    | { type: "error"; data: ErrorData }
    | { type: "agent.unparsed"; data: UnparsedData };

/**
 * Data of `session.started`.
 */
export interface SessionStartedData {
    /**
     * The agent, its form, and what the host gave; see `SessionMetadata`.
     */
    metadata?: SessionMetadata;
}

/**
 * Facts about a session: in `session.started`, and in `status` items with `label: session` when they change.
 */
export interface SessionMetadata {
    /**
     * The agent: claude, codex, opencode, amp, pi.
     */
    agent?: string;
    /**
     * Where the session is read from: live, exec or stored.
     */
    form?: string;
    /**
     * The agent's version.
     */
    agent_version?: string;
    /**
     * The model.
     */
    model?: string;
    /**
     * The working directory.
     */
    cwd?: string;
    /**
     * The tools at hand.
     */
    tools?: string[];
    /**
     * The MCP servers, as the agent lists them.
     */
    mcp_servers?: unknown;
    /**
     * The session's title.
     */
    title?: string;
    /**
     * The permission mode.
     */
    mode?: string;
    /**
     * The variant (reasoning effort).
     */
    variant?: string;
}

/**
 * Data of `session.ended`.
 */
export interface SessionEndedData {
    /**
     * How it ended.
     */
    reason: EndReason;
    /**
     * Who ended it.
     */
    terminated_by: TerminatedBy;
    /**
     * What went wrong (only with `reason: error`).
     */
    message?: string;
    /**
     * The exit code of the process (only with `reason: error`).
     */
    exit_code?: number;
    /**
     * What the process wrote to its standard error (only with `reason: error`).
     */
    stderr?: StderrOutput;
}

/**
 * How a session ended.
 */
export type EndReason = "completed" | "error" | "terminated";

/**
 * Who ended a session.
 */
export type TerminatedBy = "agent" | "daemon";

/**
 * What a process wrote to its standard error.
 */
export interface StderrOutput {
    /**
     * Whether lines were left out.
     */
    truncated: boolean;
    /**
     * All of it, or the first 20 lines.
     */
    head?: string;
    /**
     * The last 50 lines, where lines were left out.
     */
    tail?: string;
    /**
     * How many lines there were.
     */
    total_lines?: number;
}

/**
 * Data of `turn.started` and `turn.ended`.
 */
export interface TurnData {
    /**
     * Which of the two.
     */
    phase: TurnPhase;
    /**
     * The turn's identifier.
     */
    turn_id?: string;
    /**
     * How the turn went; see `TurnMetadata`.
     */
    metadata?: TurnMetadata;
}

/**
 * Which end of a turn.
 */
export type TurnPhase = "started" | "ended";

/**
 * How a turn went: in `turn.ended`.
 */
export interface TurnMetadata {
    /**
     * How it ended.
     */
    status?: TurnStatus;
    /**
     * What it used, each message counted once.
     */
    usage?: Usage;
    /**
     * Tokens in the context after the turn.
     */
    context_used?: number;
    /**
     * Size of the model's context.
     */
    context_window?: number;
    /**
     * The model that answered.
     */
    model?: string;
    /**
     * Why the model stopped.
     */
    stop_reason?: string;
    /**
     * How long it took.
     */
    duration_ms?: number;
}

/**
 * How a turn ended.
 */
export type TurnStatus = "completed" | "interrupted" | "failed";

/**
 * Tokens and money.
 */
export interface Usage {
    /**
     * Tokens read, without those from the cache.
     */
    input_tokens?: number;
    /**
     * Tokens written.
     */
    output_tokens?: number;
    /**
     * Tokens read from the cache.
     */
    cache_read_tokens?: number;
    /**
     * Tokens written to the cache.
     */
    cache_write_tokens?: number;
    /**
     * Tokens of reasoning.
     */
    reasoning_tokens?: number;
    /**
     * The price in US dollars.
     */
    cost_usd?: number;
}

/**
 * Data of `item.started` and `item.completed`.
 */
export interface ItemData {
    /**
     * The item.
     */
    item: UniversalItem;
}

/**
 * Data of `item.delta`.
 */
export interface ItemDeltaData {
    /**
     * The item that grows.
     */
    item_id: string;
    /**
     * What is added.
     */
    delta: string;
    /**
     * The agent's own identifier of the item.
     */
    native_item_id?: string;
    /**
     * Which kind of part grows; absent: text.
     */
    part_type?: DeltaPart;
    /**
     * The part's place in the item's content.
     */
    part_index?: number;
    /**
     * The part's text so far is dropped: `delta` is all of it. Never with text.
     */
    replace?: boolean;
}

/**
 * Which part of an item a delta belongs to; absent: text.
 */
export type DeltaPart = "text" | "reasoning" | "tool_call" | "tool_result";

/**
 * A discrete unit of content within a session: a message, a tool call, a tool's result, a status.
 */
export interface UniversalItem {
    /**
     * The item's identifier, derived from the native one where there is one.
     */
    item_id: string;
    /**
     * What it is.
     */
    kind: ItemKind;
    /**
     * How far it is.
     */
    status: ItemStatus;
    /**
     * What it holds, in order.
     */
    content: ContentPart[];
    /**
     * The agent's own identifier of the message, call or entry.
     */
    native_item_id?: string;
    /**
     * The item it belongs to: a call's message, a subagent's tool call.
     */
    parent_id?: string;
    /**
     * Who speaks; of a call the assistant, of a result the tool.
     */
    role?: ItemRole;
    /**
     * The turn it belongs to.
     */
    turn_id?: string;
    /**
     * The subagent it belongs to; absent: the main agent.
     */
    agent_id?: string;
}

/**
 * The category of an item.
 */
export type ItemKind = "message" | "tool_call" | "tool_result" | "system" | "status" | "unknown";

/**
 * Who speaks.
 */
export type ItemRole = "user" | "assistant" | "system" | "tool";

/**
 * How far an item is.
 */
export type ItemStatus = "in_progress" | "completed" | "failed";

/**
 * One part of an item's content. The variant is the part's `type`.
 */
export type ContentPart =
    | ({ type: "text" } & TextPart)
    | ({ type: "json" } & JsonPart)
    | ({ type: "tool_call" } & ToolCallPart)
    | ({ type: "tool_result" } & ToolResultPart)
    | ({ type: "file_ref" } & FileRefPart)
    | ({ type: "image" } & ImagePart)
    | ({ type: "reasoning" } & ReasoningPart)
    | ({ type: "status" } & StatusPart);

/**
 * Plain text.
 */
export interface TextPart {
    /**
     * The text.
     */
    text: string;
}

/**
 * Structured content.
 */
export interface JsonPart {
    /**
     * The value.
     */
    json: unknown;
}

/**
 * A tool invocation.
 */
export interface ToolCallPart {
    /**
     * The tool's name, in the agent's words.
     */
    name: string;
    /**
     * The arguments, JSON-encoded; empty while they stream.
     */
    arguments: string;
    /**
     * The identifier that the result repeats.
     */
    call_id: string;
    /**
     * What kind of tool it is, in words common to all agents.
     */
    tool_kind?: ToolKind;
    /**
     * What a person reads: the command line, the path, the query.
     */
    title?: string;
    /**
     * The directory it runs in.
     */
    cwd?: string;
    /**
     * The MCP server and tool that are called.
     */
    mcp?: McpTool;
    /**
     * The subagent that it starts.
     */
    agent?: Subagent;
}

/**
 * What kind of tool it is, in words common to all agents.
 */
export type ToolKind =
    | "other"
    | "command"
    | "file_read"
    | "file_write"
    | "file_edit"
    | "search"
    | "web_fetch"
    | "web_search"
    | "todo"
    | "task"
    | "mcp"
    | "question"
    | "plan";

/**
 * A tool of an MCP server.
 */
export interface McpTool {
    /**
     * The tool's own name.
     */
    tool: string;
    /**
     * The server's name.
     */
    server?: string;
}

/**
 * A subagent that a tool call starts.
 */
export interface Subagent {
    /**
     * Its type, as the agent calls it.
     */
    type?: string;
    /**
     * What it is for, or its name.
     */
    name?: string;
}

/**
 * A tool's result.
 */
export interface ToolResultPart {
    /**
     * The identifier of the call.
     */
    call_id: string;
    /**
     * The output, as a person would read it.
     */
    output: string;
    /**
     * The exit code of a command.
     */
    exit_code?: number;
    /**
     * How long it took.
     */
    duration_ms?: number;
    /**
     * The list of things to do after it.
     */
    todos?: Todo[];
}

/**
 * One thing to do.
 */
export interface Todo {
    /**
     * What is to be done.
     */
    text: string;
    /**
     * How far it is.
     */
    status: TodoStatus;
}

/**
 * How far a thing to do is.
 */
export type TodoStatus = "pending" | "in_progress" | "completed" | "cancelled";

/**
 * A file that was read, written or patched.
 */
export interface FileRefPart {
    /**
     * The file's path.
     */
    path: string;
    /**
     * What happened to it.
     */
    action: FileAction;
    /**
     * The change, as a unified diff.
     */
    diff?: string;
}

/**
 * What happened to a file.
 */
export type FileAction = "read" | "write" | "patch";

/**
 * An image.
 */
export interface ImagePart {
    /**
     * The image's path, or a `data:` URL where there is none.
     */
    path: string;
    /**
     * The MIME type.
     */
    mime?: string;
}

/**
 * What the model thought.
 */
export interface ReasoningPart {
    /**
     * The text; empty where the model hides it.
     */
    text: string;
    /**
     * Whether a user may read it.
     */
    visibility: Visibility;
}

/**
 * Whether a user may read it.
 */
export type Visibility = "public" | "private";

/**
 * A status.
 */
export interface StatusPart {
    /**
     * What it is about.
     */
    label: StatusLabel;
    /**
     * The agent's own words.
     */
    detail?: string;
    /**
     * The list of things to do, where no tool call shows it.
     */
    todos?: Todo[];
    /**
     * The items that are taken back (`label: retracted`).
     */
    retracts?: string[];
}

/**
 * What a status is about.
 */
export type StatusLabel =
    | "notice"
    | "session"
    | "retry"
    | "compaction"
    | "model"
    | "mode"
    | "rate_limit"
    | "hook"
    | "title"
    | "cleared"
    | "retracted"
    | "output";

/**
 * Data of `permission.requested` and `permission.resolved`.
 */
export interface PermissionData {
    /**
     * Identifier of the request, unique in the session.
     */
    permission_id: string;
    /**
     * What the agent wants to do.
     */
    action: string;
    /**
     * What became of it.
     */
    status: PermissionStatus;
    /**
     * The tool call that it is about.
     */
    tool_call_id?: string;
    /**
     * What a person reads.
     */
    title?: string;
    /**
     * The replies that the agent takes.
     */
    options?: PermissionStatus[];
    /**
     * The subagent that asks.
     */
    agent_id?: string;
    /**
     * More: the tool's input, suggestions, the reason.
     */
    metadata?: unknown;
}

/**
 * What became of a permission request.
 */
export type PermissionStatus = "requested" | "accept" | "accept_for_session" | "reject";

/**
 * Data of `question.requested` and `question.resolved`.
 */
export interface QuestionData {
    /**
     * Identifier of the request, unique in the session.
     */
    question_id: string;
    /**
     * The text of the (first) question.
     */
    prompt: string;
    /**
     * The answers offered to the (first) question.
     */
    options: string[];
    /**
     * What became of it.
     */
    status: QuestionStatus;
    /**
     * The answer to the (first) question.
     */
    response?: string;
    /**
     * What is asked: a question, a plan to be approved, a form.
     */
    kind?: QuestionKind;
    /**
     * All questions of the request.
     */
    questions?: Question[];
    /**
     * The answers to all questions, in their order.
     */
    answers?: string[][];
    /**
     * The tool call that it is about.
     */
    tool_call_id?: string;
    /**
     * The subagent that asks.
     */
    agent_id?: string;
}

/**
 * What became of a question.
 */
export type QuestionStatus = "requested" | "answered" | "rejected";

/**
 * What is asked.
 */
export type QuestionKind = "question" | "plan" | "form";

/**
 * One question of a request.
 */
export interface Question {
    /**
     * The question.
     */
    text: string;
    /**
     * The answers offered.
     */
    options: QuestionOption[];
    /**
     * A short heading.
     */
    header?: string;
    /**
     * Whether several answers may be chosen.
     */
    multi_select?: boolean;
    /**
     * Whether an answer of one's own may be given.
     */
    free_text?: boolean;
}

/**
 * One answer that is offered.
 */
export interface QuestionOption {
    /**
     * The answer.
     */
    label: string;
    /**
     * What it means.
     */
    description?: string;
}

/**
 * Data of `error`.
 */
export interface ErrorData {
    /**
     * What went wrong.
     */
    message: string;
    /**
     * The agent's word for it, or that of the core, where it is the core that says so.
     */
    code?: string;
    /**
     * More about it.
     */
    details?: unknown;
    /**
     * Whether the agent tries again by itself.
     */
    will_retry?: boolean;
    /**
     * The turn in which it happened.
     */
    turn_id?: string;
    /**
     * The subagent in which it happened.
     */
    agent_id?: string;
}

/**
 * Data of `agent.unparsed`.
 */
export interface UnparsedData {
    /**
     * Why the line could not be read.
     */
    error: string;
    /**
     * Where: agent, channel and line number.
     */
    location: string;
    /**
     * A hash of the line.
     */
    raw_hash?: string;
}

/**
 * The agents that can be read.
 */
export type Agent = "claude" | "codex" | "amp" | "pi" | "opencode";

/**
 * Where a session is read from.
 */
export type Form = "live" | "exec" | "stored";

/**
 * How to open a session, or a connection that carries several.
 */
export interface OpenOptions {
    /**
     * The agent that speaks.
     */
    agent: Agent;
    /**
     * The session's identifier; for a connection, what the identifiers of its sessions begin with.
     */
    sessionId: string;
    /**
     * Whether every event carries the native object that caused it.
     */
    includeRaw?: boolean;
    /**
     * Whether several sessions may come out. If not, a second one is refused: an error says so once, and what
     * belongs to it is ignored.
     */
    connection?: boolean;
    /**
     * What the host knows about the session: it is repeated in the metadata of `session.started`.
     */
    metadata?: Record<string, unknown>;
    /**
     * The longest line that is read, in bytes; 64 MiB if not given.
     */
    maxLine?: number;
}

/**
 * How to convert a whole transcript, live or stored.
 */
export interface ConvertOptions {
    /**
     * The agent that spoke; found out from the first lines if not given.
     */
    agent?: Agent;
    /**
     * The session's identifier; taken from the transcript if not given.
     */
    sessionId?: string;
    /**
     * Whether every event carries the native object that caused it.
     */
    includeRaw?: boolean;
    /**
     * The longest line that is read, in bytes; 64 MiB if not given.
     */
    maxLine?: number;
    /**
     * Of a stored session that is a tree: the entry with which the branch ends that is to be read. The session's
     * facts name them (`branches`); the one that was used last if not given.
     */
    branch?: string;
}

/**
 * What the host wants the agent to do. The core encodes it into the agent's own words; see `outgoing`.
 */
export type Command =
    | ({ type: "start" } & StartCommand)
    | ({ type: "resume" } & ResumeCommand)
    | ({ type: "fork" } & ResumeCommand)
    | ({ type: "prompt" } & PromptCommand)
    | ({ type: "reply_permission" } & ReplyPermissionCommand)
    | ({ type: "reply_question" } & ReplyQuestionCommand)
    | ({ type: "reject_question" } & RejectQuestionCommand)
    | { type: "interrupt" }
    | { type: "set_model"; model: string }
    | { type: "set_variant"; variant: string }
    | { type: "set_permission_mode"; mode: string }
    | { type: "set_agent"; agent: string }
    | { type: "compact"; instructions?: string }
    | { type: "terminate" };

/**
 * Shakes hands with a fresh agent.
 */
export interface StartCommand {
    /**
     * The working directory.
     */
    cwd?: string;
    /**
     * The model.
     */
    model?: string;
    /**
     * The variant (reasoning effort).
     */
    variant?: string;
    /**
     * The permission mode.
     */
    permission_mode?: string;
    /**
     * Servers of tools, by name: for an agent that takes them with the session, and not with its process.
     */
    mcp_servers?: Record<string, McpServer>;
}

/**
 * A server of tools: a program, or an address.
 */
export interface McpServer {
    /**
     * The program.
     */
    command?: string;
    /**
     * The program's arguments.
     */
    args?: string[];
    /**
     * The program's environment.
     */
    env?: Record<string, string>;
    /**
     * The address.
     */
    url?: string;
    /**
     * What each request to the address carries.
     */
    headers?: Record<string, string>;
}

/**
 * Goes on with an earlier session.
 */
export interface ResumeCommand {
    /**
     * The agent's own identifier of the session.
     */
    native_session_id: string;
    /**
     * What is to be as for a fresh session, and not as it was.
     */
    start?: StartCommand;
}

/**
 * Says something to the agent.
 */
export interface PromptCommand {
    /**
     * What is said.
     */
    parts: PromptPart[];
    /**
     * How it meets a running turn: it steers that turn, or waits for its end. The agent's own way if not given.
     */
    mode?: PromptMode;
}

/**
 * How a prompt meets a running turn.
 */
export type PromptMode = "steer" | "follow_up";

/**
 * One part of a prompt.
 */
export type PromptPart =
    | { type: "text"; text: string }
    | { type: "image"; mime: string; data: string }
    | { type: "file"; path: string; mime?: string; data?: string };

/**
 * Answers a permission request.
 */
export interface ReplyPermissionCommand {
    /**
     * The request.
     */
    permission_id: string;
    /**
     * The answer.
     */
    reply: PermissionReply;
    /**
     * What to tell the agent with a refusal.
     */
    message?: string;
    /**
     * With a refusal: also stop the turn.
     */
    interrupt?: boolean;
    /**
     * With an acceptance: the input to use in place of the tool call's own, where the agent takes one.
     */
    updated_input?: unknown;
}

/**
 * The answer to a permission request.
 */
export type PermissionReply = "accept" | "accept_for_session" | "reject";

/**
 * Answers a question.
 */
export interface ReplyQuestionCommand {
    /**
     * The request.
     */
    question_id: string;
    /**
     * For each question of the request, the chosen options or free text.
     */
    answers: string[][];
}

/**
 * Dismisses a question.
 */
export interface RejectQuestionCommand {
    /**
     * The request.
     */
    question_id: string;
    /**
     * What to tell the agent.
     */
    message?: string;
}

/**
 * What the host must do for the core: write to the agent, call it, signal it.
 */
export type Outgoing = { stdin: string } | { http: HttpRequest } | { signal: string } | { closeStdin: boolean };

/**
 * A request to the agent's server.
 */
export interface HttpRequest {
    /**
     * `GET`, `POST` …
     */
    method: string;
    /**
     * The path, with its query.
     */
    path: string;
    /**
     * The body: JSON text.
     */
    body?: string;
}

/**
 * How the agent's process ended.
 */
export interface Exit {
    /**
     * The exit code; `null` when a signal ended it.
     */
    code?: number | null;
    /**
     * The signal: `SIGKILL` …
     */
    signal?: string | null;
    /**
     * Another process goes on with the sessions: what was running is over, and they are not.
     */
    restart?: boolean;
}

/**
 * What was read so far, and what became of it.
 */
export interface Stats {
    /**
     * Lines read, in both directions.
     */
    lines: number;
    /**
     * Bytes read, in both directions.
     */
    bytes: number;
    /**
     * Events by type.
     */
    events: Record<string, number>;
    /**
     * Lines by kind.
     */
    kinds: KindStats[];
    /**
     * Lines that were cut off by the end of the process.
     */
    cut: number;
    /**
     * Lines that could not be read.
     */
    unparsed: number;
    /**
     * What this version does not know: kinds of lines, fields, values, and values of a wrong type.
     */
    drift: Drift[];
}

/**
 * What became of the lines of one kind.
 */
export interface KindStats {
    /**
     * The kind, with the direction: `out system/init`, `in user`.
     */
    kind: string;
    /**
     * How many lines.
     */
    lines: number;
    /**
     * How many of them became events.
     */
    mapped: number;
    /**
     * Why the others were ignored, and how many.
     */
    ignored: Record<string, number>;
    /**
     * The number of the first such line.
     */
    first_line: number;
}

/**
 * Something that this version does not know.
 */
export interface Drift {
    /**
     * What it is.
     */
    what: DriftKind;
    /**
     * Where: the kind of the line and the path in it.
     */
    name: string;
    /**
     * How often.
     */
    count: number;
    /**
     * The number of the first such line.
     */
    first_line: number;
}

/**
 * What is not known.
 */
export type DriftKind = "kind" | "field" | "value" | "type";

/**
 * What a transcript is, from its first lines.
 */
export interface Detection {
    /**
     * The agent.
     */
    agent: Agent;
    /**
     * Live, exec or stored.
     */
    form: Form;
    /**
     * Whether it is a recording of both directions.
     */
    recording: boolean;
    /**
     * The agent's version, where it says so.
     */
    version?: string;
}

/**
 * A place where a stream of events breaks the contract.
 */
export interface Break {
    /**
     * The rule of the contract.
     */
    rule: number;
    /**
     * The session.
     */
    session_id: string;
    /**
     * The event's number in its session.
     */
    sequence: number;
    /**
     * What is wrong.
     */
    message: string;
}

/**
 * A stretch of a file that is to be read again, in this order, because the file is not in the order of the
 * conversation.
 */
export interface Stretch {
    /**
     * Which file, in the order in which they were pushed.
     */
    file: number;
    /**
     * Where it begins, in bytes.
     */
    start: number;
    /**
     * Where it ends, in bytes.
     */
    end: number;
}

/**
 * Why something could not be opened, read back or found out. It has a code and says how to mend it.
 */
export interface Failure {
    /**
     * `unknown_format`, `bad_options`, `bad_command`, `bad_snapshot`, `snapshot_version` …
     */
    code: string;
    /**
     * What is wrong and how to mend it.
     */
    message: string;
}
