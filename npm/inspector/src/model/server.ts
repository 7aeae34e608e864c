// The server that serves the page, if it is one that runs agents.
import type { PermissionReply, UniversalEvent } from "interlinear";
import { Client } from "interlinear/client";
import { useSyncExternalStore } from "react";
import { Document, linesOf, type Problem, problemOf } from "./document.js";

export type AgentDescription = Awaited<ReturnType<Client["agents"]>>[number];
export type SessionDescription = Awaited<ReturnType<Client["listSessions"]>>[number];
export type NewSession = Parameters<Client["createSession"]>[1];

/** What is known of the server. */
export interface ServerState {
  /** `none` where the page is served without one; `locked` where it wants a token. */
  readonly status: "looking" | "none" | "locked" | "connected" | "lost";
  readonly agents: readonly AgentDescription[];
  readonly sessions: readonly SessionDescription[];
  readonly problem?: Problem;
}

const TOKEN = "interlinear-token";
/** How often the list of sessions is looked at. */
const POLL_MS = 3000;

/** Agents that run elsewhere, and their sessions. */
export class Server {
  readonly #listeners = new Set<() => void>();
  readonly #documents = new Map<string, Document>();
  #client: Client;
  #state: ServerState = { status: "looking", agents: [], sessions: [] };
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.#client = clientFor(takeToken());
  }

  readonly current = (): ServerState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Finds out whether there is a server, and what it has. */
  async connect(token?: string): Promise<void> {
    if (token !== undefined) {
      sessionStorage.setItem(TOKEN, token);
      this.#client = clientFor(token);
    }
    // A server that runs agents says so in the page; other servers are not asked.
    if (document.documentElement.dataset["server"] === undefined) return this.#set({ status: "none" });
    try {
      const agents = await this.#client.agents();
      this.#set({ status: "connected", agents });
      await this.refresh();
    } catch (error) {
      const locked = (error as { code?: string }).code === "token_invalid";
      this.#set({ status: locked ? "locked" : "lost", problem: problemOf(error) });
    }
  }

  /** Looks at the list of sessions, now and again and again. */
  async refresh(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      this.#set({ status: "connected", sessions: await this.#client.listSessions({ limit: 100 }) });
    } catch (error) {
      this.#set({ status: "lost", problem: problemOf(error) });
    }
    this.#timer = setTimeout(() => void this.refresh(), POLL_MS);
  }

  /** Starts an agent; gives the session's identifier. */
  async create(session: NewSession): Promise<string> {
    const id = `inspector-${Date.now().toString(36)}`;
    await this.#client.createSession(id, session);
    await this.refresh();
    return id;
  }

  /** The document of a session, which follows it. */
  open(id: string): Document {
    const known = this.#documents.get(id);
    if (known !== undefined && known.current().status !== "failed") return known;
    const document = new Document();
    this.#documents.set(id, document);
    void follow(document, this.#client.streamEvents(id, { includeRaw: true, includeSilent: true }));
    // The list looks at it too; not now, because this is called while the page is drawn.
    queueMicrotask(() => this.#set({}));
    return document;
  }

  /** The document of a session that was looked at. */
  opened(id: string): Document | undefined {
    return this.#documents.get(id);
  }

  /** What can be said to a session. */
  controls(id: string) {
    const client = this.#client;
    return {
      send: (text: string) => client.sendMessage(id, text),
      interrupt: () => client.interrupt(id),
      terminate: () => client.terminate(id),
      replyPermission: (permission: string, reply: PermissionReply) => client.replyPermission(id, permission, reply),
      replyQuestion: (question: string, answers: string[][]) => client.replyQuestion(id, question, answers),
      rejectQuestion: (question: string) => client.rejectQuestion(id, question),
    };
  }

  models(agent: string) {
    return this.#client.models(agent).catch(() => []);
  }

  modes(agent: string) {
    return this.#client.modes(agent).catch(() => ({ modes: [], permissionModes: [] as string[] }));
  }

  #set(change: Partial<ServerState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

export type Controls = ReturnType<Server["controls"]>;

function clientFor(token: string | undefined): Client {
  return new Client({ baseUrl: location.origin, ...(token !== undefined && { token }) });
}

/** The token comes in the address once, and is taken out of it, so that it is not passed on with a link. */
function takeToken(): string | undefined {
  const given = /[#&]token=([^&]+)/.exec(location.hash)?.[1];
  if (given !== undefined) {
    sessionStorage.setItem(TOKEN, decodeURIComponent(given));
    history.replaceState(null, "", "#/");
  }
  return sessionStorage.getItem(TOKEN) ?? undefined;
}

/** For how long events are gathered before they are shown. */
const GATHER_MS = 30;

/** Events as they come: those that came together are shown together. */
async function follow(document: Document, events: AsyncIterable<UniversalEvent>): Promise<void> {
  let waiting: UniversalEvent[] = [];
  const take = () => {
    if (waiting.length > 0) document.add(linesOf(waiting, document.log.counts.lines));
    waiting = [];
  };
  try {
    for await (const event of events) {
      if (waiting.length === 0) setTimeout(take, GATHER_MS);
      waiting.push(event);
    }
    take();
    document.set({ status: "done" });
  } catch (error) {
    take();
    document.fail(error);
  }
}

export const server = new Server();

export function useServer(): ServerState {
  return useSyncExternalStore(server.subscribe, server.current);
}
