// A real agent, a scripted model and a host between them: what every test of a real agent starts from.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AgentHost } from "../../npm/interlinear/dist/host/index.js";
import { check } from "../../npm/interlinear/dist/index.js";
import { startModel } from "./model/server.mjs";
import { MARK, running } from "./processes.mjs";
import { recipes } from "./recipes.mjs";

/** The agent that is tested, and its program. */
export const agent = process.env.INTERLINEAR_AGENT;
const program = process.env.INTERLINEAR_AGENT_PROGRAM;
/** Whether it is another version than the one that must be able to do everything. */
export const isOther = process.env.INTERLINEAR_AGENT_VERSION !== recipes[agent].version;
/** Where the tests may write. */
const folder = process.env.INTERLINEAR_AGENT_FOLDER;

/**
 * Sets the stage, plays, and clears everything away.
 *
 * @param {(cwd: string) => Record<string, import("./model/script.mjs").Step[]>} scripts what the model says
 * @param {(stage: Stage) => Promise<void>} play
 * @param {AbortSignal} signal the test took too long: nothing that it started keeps the run from ending
 */
export async function onStage(scripts, play, signal) {
  const stage = await Stage.set(scripts);
  const tooLong = new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  try {
    await Promise.race([play(stage), tooLong]);
  } finally {
    await stage.clear();
  }
  assert.deepEqual(stage.model.strange, [], "requests that the model did not know");
  assert.deepEqual(running(stage.mark), [], "processes that are left");
}

class Stage {
  #own = mkdtempSync(join(folder, "run-"));
  #hosts = [];
  home = join(this.#own, "home");
  cwd = join(this.#own, "work");
  /** What every process carries in its environment that is started here. */
  mark = randomUUID();

  static async set(scripts) {
    const stage = new Stage();
    for (const path of [stage.home, stage.cwd]) mkdirSync(path);
    stage.model = await startModel(scripts(stage.cwd), recipes[agent].thinkMs);
    const env = { HOME: stage.home, [MARK]: stage.mark, ...recipes[agent].configure(stage.home, stage.model.url) };
    /** What a host is made with. */
    stage.settings = { env, agents: { [agent]: { command: program } }, graceMs: 3000 };
    stage.host = stage.newHost();
    return stage;
  }

  newHost() {
    const host = new AgentHost(this.settings);
    this.#hosts.push(host);
    return host;
  }

  async clear() {
    for (const host of this.#hosts) await host.close();
    await this.model.close();
    rmSync(this.#own, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Starts a session of the agent that is tested. */
  async begin(options = {}, host = this.host) {
    return new Talk(await host.start({ ...this.start, ...options }));
  }

  /** How a session is started. */
  get start() {
    return { agent, cwd: this.cwd, ...recipes[agent].start };
  }

  /** What the model was told, as text: every request for an answer. */
  get asked() {
    return this.model.asked.map((body) => JSON.stringify(body));
  }
}

/** A session, with all that it has said. */
export class Talk {
  constructor(session) {
    this.session = session;
    /** Every event since the start. */
    this.events = [];
    this.over = this.#follow();
  }

  async #follow() {
    for await (const event of this.session.events()) this.events.push(event);
  }

  /**
   * Says something and waits for the end of the turn. Permissions are accepted and questions answered with their first
   * option, unless it is told otherwise.
   */
  async prompt(text, { permission = "accept", answer, on } = {}) {
    const events = [];
    for await (const event of this.session.prompt(text)) {
      events.push(event);
      if (event.type === "permission.requested") {
        await this.session.replyPermission(event.data.permission_id, permission, "Not today.");
      } else if (event.type === "question.requested") {
        await this.session.replyQuestion(event.data.question_id, answer ?? event.data.options[0]);
      }
      await on?.(event);
    }
    return new Turn(events);
  }

  /** Ends the session, and holds all that it has said against the contract. */
  async end() {
    await this.session.terminate();
    await this.over;
    keepsTheContract(this.events);
    assert.equal(this.events.at(-1).type, "session.ended");
    return this.events.at(-1).data;
  }
}

/** The contract is kept, and every line was understood. */
export function keepsTheContract(events) {
  assert.deepEqual(check(events), [], "the contract is broken");
  assert.deepEqual(
    events.filter(({ type }) => type === "agent.unparsed"),
    [],
  );
  assert.deepEqual(
    events.filter(({ type, data }) => type === "item.started" && data.item.kind === "unknown").map(({ data }) => data),
    [],
    "lines of a kind that is not known",
  );
}

/** The events of one turn, and what they say. */
class Turn {
  constructor(events) {
    this.events = events;
  }

  /** Items that were completed, of one kind. */
  items(kind) {
    return this.events
      .filter(({ type, data }) => type === "item.completed" && data.item.kind === kind)
      .map(({ data }) => data.item);
  }

  /** The parts of these items. */
  parts(kind, type) {
    return this.items(kind).flatMap((item) => item.content.filter((part) => part.type === type));
  }

  /** What one side has said. */
  said(role) {
    const messages = this.items("message").filter((item) => item.role === role);
    return messages.map((item) => textOf(item.content)).filter((text) => text !== "");
  }

  of(type) {
    return this.events.filter((event) => event.type === type).map(({ data }) => data);
  }

  /** How it ended. */
  get status() {
    const last = this.events.at(-1);
    return last?.type === "turn.ended" ? last.data.metadata?.status : last?.type;
  }
}

function textOf(content) {
  return content
    .filter(({ type }) => type === "text")
    .map(({ text }) => text)
    .join("");
}
