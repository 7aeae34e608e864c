import { createInterface } from "node:readline/promises";
import type { PermissionData, PermissionReply, Question, QuestionData } from "../../../types/index.js";
import type { AgentSession } from "../../host/index.js";
import type { Style } from "../show/style.js";
import { clean } from "../show/text.js";

/** Who answers what the agent asks. */
export interface Answers {
  permission(session: AgentSession, data: PermissionData, signal: AbortSignal): Promise<void>;
  question(session: AgentSession, data: QuestionData, signal: AbortSignal): Promise<void>;
}

/** Nobody is there: what may be accepted is decided beforehand, and questions are dismissed. */
export class Nobody implements Answers {
  readonly #reply: PermissionReply;

  constructor(reply: PermissionReply) {
    this.#reply = reply;
  }

  permission(session: AgentSession, { permission_id }: PermissionData): Promise<void> {
    return session.replyPermission(permission_id, this.#reply);
  }

  question(session: AgentSession, { question_id }: QuestionData): Promise<void> {
    return session.rejectQuestion(question_id);
  }
}

/** Asks the person at the terminal. */
export class Person implements Answers {
  readonly #style: Style;
  readonly #onInterrupt: () => void;
  /** One request is asked after the other: a line must answer the one that it was typed for, and no other. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #terminal: { input: NodeJS.ReadableStream; output: NodeJS.WritableStream };

  constructor(
    style: Style,
    onInterrupt: () => void,
    input: NodeJS.ReadableStream = process.stdin,
    output: NodeJS.WritableStream = process.stderr,
  ) {
    this.#style = style;
    this.#onInterrupt = onInterrupt;
    this.#terminal = { input, output };
  }

  permission(session: AgentSession, data: PermissionData, signal: AbortSignal): Promise<void> {
    return this.#inTurn(signal, () => this.#permission(session, data, signal));
  }

  question(session: AgentSession, data: QuestionData, signal: AbortSignal): Promise<void> {
    return this.#inTurn(signal, () => this.#question(session, data, signal));
  }

  #inTurn(signal: AbortSignal, ask: () => Promise<void>): Promise<void> {
    const asked = this.#last.then(() => {
      signal.throwIfAborted();
      return ask();
    });
    this.#last = asked.catch(() => {});
    return asked;
  }

  async #permission(session: AgentSession, data: PermissionData, signal: AbortSignal): Promise<void> {
    const { permission_id, action, title = "", options = ["accept", "reject"] } = data;
    const canLast = options.includes("accept_for_session");
    const lasting = canLast ? ", a(lways) for the whole session" : "";
    this.#say(`${this.#style.yellow("?")} ${this.#style.bold(clean(action))} ${clean(title)}`);
    const answer = await this.ask(`  allow it? y(es), n(o)${lasting} `, signal);
    const { reply, message } = permissionReply(answer, canLast);
    await session.replyPermission(permission_id, reply, message);
  }

  async #question(session: AgentSession, data: QuestionData, signal: AbortSignal): Promise<void> {
    const plain = { text: data.prompt, options: data.options.map((label) => ({ label })) };
    const answers: string[][] = [];
    for (const question of data.questions ?? [plain]) answers.push(await this.#choose(question, signal));
    if (answers.every((list) => list.length === 0)) await session.rejectQuestion(data.question_id);
    else await session.replyQuestion(data.question_id, answers);
  }

  /** Asks for one line, which is empty where the input ends; rejects when the signal fires. */
  async ask(text: string, signal?: AbortSignal): Promise<string> {
    const reader = createInterface(this.#terminal);
    reader.on("SIGINT", this.#onInterrupt);
    const ended = new Promise<string>((resolve) => reader.once("close", () => resolve("")));
    try {
      const answer = reader.question(text, signal === undefined ? {} : { signal }).catch((error: unknown) => {
        // By newer versions of Node the end of the input is told so, too.
        if (signal?.aborted) throw error;
        return "";
      });
      return await Promise.race([answer, ended]);
    } finally {
      reader.close();
    }
  }

  /** An option by its number, several by theirs, or words of one's own; nothing dismisses the question. */
  async #choose({ text, options, multi_select }: Question, signal: AbortSignal): Promise<string[]> {
    this.#say(`${this.#style.yellow("?")} ${text.split("\n").map(clean).join("\n")}`);
    for (const [index, { label, description }] of options.entries()) {
      const more = description === undefined ? "" : this.#style.dim(` ${clean(description)}`);
      this.#say(`  ${index + 1}. ${clean(label)}${more}`);
    }
    const how = options.length === 0 ? "" : multi_select === true ? " (numbers, or words)" : " (a number, or words)";
    const answer = (await this.ask(`  answer${how}: `, signal)).trim();
    const numbers = answer.split(/[\s,]+/).map((word) => options[Number(word) - 1]?.label);
    const chosen = numbers.flatMap((label) => label ?? []);
    if (answer === "") return [];
    return chosen.length === numbers.length ? (multi_select === true ? chosen : chosen.slice(0, 1)) : [answer];
  }

  #say(text: string): void {
    this.#terminal.output.write(`${text}\n`);
  }
}

/** Only whole words allow: "you must not" and "abort" begin with the letters that do. Other words say why not. */
function permissionReply(answer: string, canLast: boolean): { reply: PermissionReply; message: string | undefined } {
  if (/^\s*y(?:es)?\s*$/i.test(answer)) return { reply: "accept", message: undefined };
  if (canLast && /^\s*a(?:lways)?\s*$/i.test(answer)) return { reply: "accept_for_session", message: undefined };
  const message = answer.replace(/^\s*no?(?![^\s,.:;!])[,.:;!]*/i, "").trim();
  return { reply: "reject", message: message === "" ? undefined : message };
}
