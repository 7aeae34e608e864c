/// <reference lib="esnext.disposable" preserve="true" />
import { setTimeout as sleep } from "node:timers/promises";
import type { Agent, Command, PermissionReply, PromptMode, PromptPart, UniversalEvent } from "../../types/index.js";
import { onAbort } from "../abort.js";
import type { Store } from "../store/store.js";
import type { Recipe } from "./agents.js";
import type { Journal, Pending, SessionStatus } from "./journal.js";
import { checkMode, checkName } from "./options.js";
import type { Runtime } from "./runtime.js";
import { sessionEnded } from "./runtime.js";
import { REFUSED_MS, type Turn, untilTurnEnds } from "./turn.js";

/** So long after its prompt a turn is waited for that is to be interrupted. */
const SOON_MS = 5000;

/** What a session is made of; the host puts it together. */
export interface SessionParts {
  readonly id: string;
  readonly cwd: string;
  readonly recipe: Recipe;
  readonly runtime: Runtime;
  readonly journal: Journal;
  readonly store: Store;
}

/** How to follow a session. */
export interface EventsOptions {
  /** The last sequence that the reader has; 0 if not given: from the beginning. */
  from?: number;
  /** Whether events carry the native object that caused them. */
  includeRaw?: boolean;
  /** Whether events carry the native lines before them that gave none, as `silent`. */
  includeSilent?: boolean;
  signal?: AbortSignal;
}

/** How to say something to the agent. */
export interface PromptOptions {
  /** How it meets a running turn: it steers that turn, or waits for its end. The agent's own way if not given. */
  mode?: PromptMode;
  /** Whether events carry the native object that caused them. */
  includeRaw?: boolean;
  /** Interrupts the turn. */
  signal?: AbortSignal;
}

/** One conversation with an agent that runs. */
export class AgentSession implements AsyncDisposable {
  /** Its identifier: the `session_id` of its events. */
  readonly id: string;
  readonly agent: Agent;
  /** The folder that the agent works in. */
  readonly cwd: string;
  readonly #parts: SessionParts;
  /** Commands go one after the other, in the order in which they were called. */
  #last: Promise<void> = Promise.resolve();
  /** The turns that were asked for, and may begin yet. */
  readonly #coming = new Set<Promise<void>>();

  /** Use `AgentHost.start`. */
  constructor(parts: SessionParts) {
    this.id = parts.id;
    this.agent = parts.recipe.id;
    this.cwd = parts.cwd;
    this.#parts = parts;
  }

  /** Whether a turn is running, or the session is over. */
  get status(): SessionStatus {
    return this.#parts.journal.status;
  }

  /** The agent's own identifier of the session, by which it can be resumed; it may come with the first turn only. */
  get nativeSessionId(): string | undefined {
    return this.#parts.journal.nativeSessionId;
  }

  /** The sequence of the last event. */
  get lastSequence(): number {
    return this.#parts.journal.lastSequence;
  }

  /** The permissions and questions that wait for an answer. */
  get pending(): Pending {
    return this.#parts.journal.pending;
  }

  /** The process that the agent runs in; shared by several sessions where the agent serves them together. */
  get pid(): number | undefined {
    return this.#parts.runtime.pid;
  }

  /**
   * Says something to the agent; gives the events of the turn, the last of which is `turn.ended`. Where no turn comes
   * of it, the last one is the error that says why.
   */
  prompt(input: string | readonly PromptPart[], options: PromptOptions = {}): Turn {
    const parts: PromptPart[] = typeof input === "string" ? [{ type: "text", text: input }] : copyOf(input);
    const { mode, includeRaw = false, signal } = options;
    const { journal } = this.#parts;
    let from = 0;
    let before = { turns: 0, failures: 0 };
    let isRunning = false;
    const first = () => {
      signal?.throwIfAborted();
      from = this.lastSequence;
      before = { turns: journal.turns, failures: journal.failures };
      isRunning = this.status === "running";
    };
    const sent = this.#say({ type: "prompt", parts, ...(mode && { mode }) }, first, signal);
    const isOver = () => journal.turns > before.turns || journal.status === "ended" || journal.failure !== undefined;
    const hasBegun = () => this.status === "running" || isOver();
    const isAnswered = () => hasBegun() || journal.failures > before.failures;
    const begun = sent
      .then(() => journal.until(isAnswered).promise)
      .then(() => Promise.race([journal.until(hasBegun).promise, sleep(REFUSED_MS, undefined, { ref: false })]));
    this.#expect(sent.then(() => Promise.race([begun, sleep(SOON_MS, undefined, { ref: false })])));
    const interrupt = () => void begun.then(() => this.#interrupt()).catch(() => {});
    const release = onAbort(signal, interrupt);
    // Whether or not anyone reads the turn, what comes after it is not interrupted; nor need its failure be heard twice.
    const over = () => (this.status === "running" ? journal.until(isOver).promise : undefined);
    begun.then(over).then(release, release);
    const events = async function* (this: AgentSession): AsyncGenerator<UniversalEvent> {
      await sent;
      const signals = signal === undefined ? [] : [signal];
      const follow = (enough: AbortSignal) =>
        this.events({ from, includeRaw, signal: AbortSignal.any([enough, ...signals]) });
      yield* untilTurnEnds(isRunning, follow);
      signal?.throwIfAborted();
    };
    return { sent, [Symbol.asyncIterator]: () => events.call(this) };
  }

  /**
   * What has happened since an event, then what happens; ends with `session.ended`, or with the error of a store that
   * takes no more. Each reader has its own pace.
   */
  async *events(options: EventsOptions = {}): AsyncGenerator<UniversalEvent> {
    const { from = 0, signal, ...rest } = options;
    const { journal, store } = this.#parts;
    // Nothing more would come, and no end either.
    const broken = new AbortController();
    const failed = journal.until(() => journal.failure !== undefined);
    void failed.promise.then(() => broken.abort(journal.failure));
    const signals = [broken.signal, ...(signal === undefined ? [] : [signal])];
    try {
      const where = { offset: from, ...rest, signal: AbortSignal.any(signals) };
      for await (const event of store.subscribe(this.id, where)) if (event.type !== "gap") yield event;
    } finally {
      failed.cancel();
    }
  }

  /** Answers a permission request. The message is what the agent is told with a refusal. */
  replyPermission(permissionId: string, reply: PermissionReply, message?: string): Promise<void> {
    return this.#say({
      type: "reply_permission",
      permission_id: permissionId,
      reply,
      ...(message !== undefined && { message }),
    });
  }

  /**
   * Answers a question: one text; or, where one question was asked, the options chosen; or one answer for each
   * question; or for each question the options chosen.
   */
  replyQuestion(
    questionId: string,
    answers: string | readonly string[] | readonly (readonly string[])[],
  ): Promise<void> {
    const asked = this.#parts.journal.questionsOf(questionId);
    return this.#say({ type: "reply_question", question_id: questionId, answers: answerLists(answers, asked) });
  }

  /** Dismisses a question. */
  rejectQuestion(questionId: string, message?: string): Promise<void> {
    return this.#say({
      type: "reject_question",
      question_id: questionId,
      ...(message !== undefined && { message }),
    });
  }

  /**
   * Stops the running turn, or the one that was just asked for, if there is one; resolves when it is over. The session
   * stays usable.
   */
  async interrupt(): Promise<void> {
    if (this.status === "idle") await Promise.all(this.#coming);
    await this.#interrupt();
  }

  async #interrupt(): Promise<void> {
    const { journal, runtime } = this.#parts;
    if (journal.status !== "running") return;
    // Not behind the commands that wait: they may wait for this.
    const over = journal.until(() => journal.status !== "running");
    try {
      await runtime.command({ type: "interrupt" });
      await over.promise;
    } finally {
      over.cancel();
    }
  }

  /** Remembers a turn until it begins, or is not waited for any more. */
  #expect(turn: Promise<void>): void {
    const coming = turn
      .catch(() => {})
      .then(() => {
        this.#coming.delete(coming);
      });
    this.#coming.add(coming);
  }

  /** Chooses the model for what follows. */
  setModel(model: string): Promise<void> {
    return this.#say({ type: "set_model", model }, () => checkName("model", model));
  }

  /** Chooses the variant (reasoning effort) for what follows. */
  setVariant(variant: string): Promise<void> {
    return this.#say({ type: "set_variant", variant }, () => checkName("variant", variant));
  }

  /** Chooses what the agent may do without asking. */
  setPermissionMode(mode: string): Promise<void> {
    return this.#say({ type: "set_permission_mode", mode }, () => {
      checkName("permissionMode", mode);
      checkMode(this.#parts.recipe, mode);
    });
  }

  /** Asks the agent to summarise the conversation, to make room. */
  compact(instructions?: string): Promise<void> {
    return this.#say({ type: "compact", ...(instructions !== undefined && { instructions }) });
  }

  /** Ends the session, and everything that runs for it alone; resolves when all of it is gone. */
  async terminate(): Promise<void> {
    this.#parts.journal.hurry();
    await this.#parts.runtime.terminate();
    await this.#parts.journal.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.terminate();
  }

  /** Hands a command over when those before it are. */
  #say(command: Command, first?: () => void, signal?: AbortSignal): Promise<void> {
    const { journal, recipe, runtime } = this.#parts;
    const said = this.#last.then(async () => {
      if (journal.failure !== undefined) throw journal.failure;
      if (journal.status === "ended") throw sessionEnded(recipe);
      first?.();
      await runtime.command(command, signal);
    });
    this.#last = said.catch(() => {});
    return said;
  }
}

function answerLists(answers: string | readonly string[] | readonly (readonly string[])[], asked: number): string[][] {
  if (typeof answers === "string") return [[answers]];
  const given = copyOf<string | readonly string[]>(answers);
  if (!Array.isArray(given)) return given;
  const texts = given.filter((answer) => typeof answer === "string");
  if (texts.length !== given.length)
    return given.map((answer) => (typeof answer === "string" ? [answer] : copyOf(answer)));
  return asked > 1 ? texts.map((text) => [text]) : [texts];
}

/** A list as it is now: its owner may change it before it is said. What is none is for the core to refuse. */
function copyOf<T>(list: readonly T[]): T[] {
  return Array.isArray(list) ? [...list] : (list as T[]);
}
