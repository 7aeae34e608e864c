import { setMaxListeners } from "node:events";
import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { HttpRequest } from "../../types/index.js";
import type { Link } from "./link.js";
import type { AgentProcess } from "./process.js";
import type { Redactor } from "./redact.js";

/** How a server says where it is. */
const LISTENING = /listening on (http:\/\/\S+)/;
/** How often it is asked whether it is well, and how long it may take to say so. */
const HEALTH_MS = 30_000;
const HEALTH_TIMEOUT_MS = 30_000;
const UNWELL = 2;
/** A stream that breaks is opened again after this. */
const AGAIN_MS = 250;
/** Something that every version answers. */
const HEALTH_PATH = "/path";

/** The way to an agent that is reached by HTTP: requests, and streams of events for each folder. */
export class HttpWay {
  readonly #redactor: Redactor;
  readonly #password: string;
  readonly #sockets = new Agent({ keepAlive: true });
  #link: Link | undefined;
  #base: string | undefined;
  /** The streams that are open, by folder. */
  readonly #streams = new Map<string, Promise<void>>();
  #open: AbortController = new AbortController();

  constructor(redactor: Redactor, password: string) {
    this.#redactor = redactor;
    this.#password = password;
  }

  /** Where what comes in goes. */
  set link(link: Link) {
    this.#link = link;
  }

  /** Waits until the server listens and is well. */
  async connect(process: AgentProcess): Promise<void> {
    this.close();
    this.#open = new AbortController();
    const { signal } = this.#open;
    // Everything that is open listens to it.
    setMaxListeners(0, signal);
    void process.exited.finally(() => this.close());
    this.#base = await this.#announced();
    const { status } = await this.#ask("GET", HEALTH_PATH, undefined, signal);
    if (status >= 500) throw new Error(`the server answered ${status}`);
    void this.#watch(process, signal);
  }

  /** Hears what happens in a folder; resolves when it does. */
  listen(cwd: string): Promise<void> {
    const known = this.#streams.get(cwd);
    if (known !== undefined) return known;
    const { signal } = this.#open;
    const heard = new Promise<void>((resolve) => void this.#follow(cwd, signal, resolve));
    this.#streams.set(cwd, heard);
    return heard;
  }

  /** Sends what the core asks for, and hands it the answer. */
  async send({ method, path, body }: HttpRequest, cwd: string): Promise<void> {
    const http = `${method} ${path}`;
    const { signal } = this.#open;
    const answer = await this.#ask(method, inFolder(path, cwd), body, signal).catch((error: Error) => {
      const message = `the server did not answer: ${error.message}`;
      return { status: 503, body: Buffer.from(JSON.stringify({ name: "no_answer", message })) };
    });
    // Its end says all there is to say.
    if (signal.aborted) return;
    const hidden = this.#redactor.stream();
    const seen = Buffer.concat([hidden.push(answer.body), hidden.end()]);
    this.#link?.receive(answer.body, { http, status: answer.status }, seen);
  }

  /** Drops everything that is open. */
  close(): void {
    this.#open.abort();
    this.#streams.clear();
    this.#sockets.destroy();
  }

  /** The address, from the line that says it. */
  #announced(): Promise<string> {
    const link = this.#link;
    return new Promise((resolve) => {
      let said = "";
      if (link === undefined) return;
      link.onOutput = (chunk) => {
        said += chunk.toString("utf8");
        const [, address] = LISTENING.exec(said) ?? [];
        if (address === undefined) return;
        link.onOutput = undefined;
        resolve(address);
      };
    });
  }

  /** Reads a folder's events, and begins again when the stream breaks. */
  async #follow(cwd: string, signal: AbortSignal, heard: () => void): Promise<void> {
    const path = inFolder("/event", cwd);
    while (!signal.aborted) {
      const hidden = this.#redactor.stream();
      try {
        const response = await this.#call("GET", path, undefined, signal);
        for await (const chunk of response as AsyncIterable<Buffer>) {
          heard();
          this.#link?.receive(chunk, `sse ${path}`, hidden.push(chunk));
          await this.#link?.settled();
        }
      } catch {
        // Broken off: by the server's end, or by ours.
      }
      if (!signal.aborted) await sleep(AGAIN_MS);
    }
  }

  /** A server that does not answer is ended: it is started again as if it had crashed. */
  async #watch(process: AgentProcess, signal: AbortSignal): Promise<void> {
    let unwell = 0;
    while (!signal.aborted) {
      await sleep(HEALTH_MS, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      const patience = AbortSignal.any([signal, AbortSignal.timeout(HEALTH_TIMEOUT_MS)]);
      const well = await this.#ask("GET", HEALTH_PATH, undefined, patience).then(
        ({ status }) => status < 500,
        () => false,
      );
      unwell = well ? 0 : unwell + 1;
      if (unwell >= UNWELL && !signal.aborted) process.signal("SIGKILL");
    }
  }

  async #ask(method: string, path: string, body: string | undefined, signal: AbortSignal) {
    const response = await this.#call(method, path, body, signal);
    const chunks: Buffer[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
    return { status: response.statusCode ?? 500, body: Buffer.concat(chunks) };
  }

  #call(method: string, path: string, body: string | undefined, signal: AbortSignal): Promise<IncomingMessage> {
    const authorization = `Basic ${Buffer.from(`opencode:${this.#password}`).toString("base64")}`;
    const headers = { authorization, ...(body !== undefined && { "content-type": "application/json" }) };
    return new Promise((resolve, reject) => {
      const options = { method, headers, signal, agent: this.#sockets };
      const call: ClientRequest = request(new URL(path, this.#base), options, resolve);
      call.on("error", reject);
      call.end(body);
    });
  }
}

/** A path with the folder that it is about. */
function inFolder(path: string, cwd: string): string {
  if (/[?&]directory=/.test(path)) return path;
  return `${path}${path.includes("?") ? "&" : "?"}directory=${encodeURIComponent(cwd)}`;
}
