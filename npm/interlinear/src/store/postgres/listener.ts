import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Database, PgClient } from "./database.js";

/** What a notification says of a session: never longer than Postgres allows. */
export function noteOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/** Hears of what other servers write, over one connection for all sessions. */
export class Listener {
  readonly #database: Database;
  readonly #channel: string;
  readonly #watchers = new Map<string, Set<() => void>>();
  #listening: Promise<void> | undefined;
  #client: PgClient | undefined;

  constructor(database: Database, channel: string) {
    this.#database = database;
    this.#channel = channel;
  }

  /** Calls back after each write to a session; when it resolves, no further one is missed. */
  async watch(key: string, stir: () => void): Promise<() => void> {
    const note = noteOf(key);
    const watchers = this.#watchers.get(note) ?? new Set();
    this.#watchers.set(note, watchers.add(stir));
    this.#listening ??= this.#listen();
    await this.#listening;
    return () => {
      watchers.delete(stir);
      if (watchers.size === 0) this.#watchers.delete(note);
    };
  }

  close(): void {
    this.#client?.release(true);
    this.#client = undefined;
  }

  async #listen(): Promise<void> {
    for (let wait = 50; !this.#database.closed; wait = Math.min(wait * 2, 1_000)) {
      try {
        await this.#connect();
        return;
      } catch {
        await sleep(wait);
      }
    }
  }

  async #connect(): Promise<void> {
    const client = await this.#database.client();
    let lost = false;
    const lose = () => {
      lost = true;
      this.#reconnect(client);
    };
    client.on("error", lose);
    client.on("end", lose);
    client.on("notification", ({ payload }) => this.#stir(payload ?? ""));
    try {
      await client.query(`listen "${this.#channel}"`);
      // Until it is ours nobody connects anew.
      if (lost) throw new Error("the connection is lost");
    } catch (error) {
      client.release(true);
      throw error;
    }
    // Whoever closed it meanwhile waits for the connection.
    if (this.#database.closed) client.release(true);
    else this.#client = client;
  }

  /** What was written meanwhile was not heard of: everybody looks. */
  #reconnect(client: PgClient): void {
    if (this.#client !== client) return;
    this.close();
    this.#listening = this.#listen().then(() => {
      for (const note of [...this.#watchers.keys()]) this.#stir(note);
    });
  }

  #stir(note: string): void {
    for (const stir of this.#watchers.get(note) ?? []) stir();
  }
}
