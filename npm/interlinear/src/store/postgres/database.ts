import { setTimeout as sleep } from "node:timers/promises";
import { codeOf, InterlinearError } from "../../errors.js";

/** What is used of a result of the package `pg`. */
export interface PgResult {
  rows: Record<string, unknown>[];
}

/** What is used of a client of the package `pg`. */
export interface PgClient {
  query(text: string, values?: unknown[]): Promise<PgResult>;
  on(event: "notification", listener: (message: { channel: string; payload?: string | undefined }) => void): unknown;
  on(event: "error" | "end", listener: () => void): unknown;
  release(destroy?: boolean): void;
}

/** What is used of a `Pool` of the package `pg`. */
export interface PgPool {
  query(text: string, values?: unknown[]): Promise<PgResult>;
  connect(): Promise<PgClient>;
  end(): Promise<void>;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** A pool for an address, by the package `pg`. */
export async function connect(url: string): Promise<PgPool> {
  // Not known to bundlers and the compiler: only who uses Postgres has it.
  const name: string = "pg";
  const found = await import(name).catch((cause: unknown) => {
    const message = `the package \`pg\` cannot be loaded: ${(cause as Error).message}`;
    throw new InterlinearError("missing_package", message, "Install it: `npm install pg`.", { cause });
  });
  const { Pool } = (found as { default: { Pool: new (options: object) => PgPool } }).default;
  return new Pool({ connectionString: url, connectionTimeoutMillis: 5_000, keepAlive: true });
}

/** A database that may go away and come back. */
export class Database {
  readonly #pool: () => Promise<PgPool>;
  readonly #patience: number;
  #ready: Promise<PgPool> | undefined;
  #closed = false;

  /** @param patience for how long a statement is tried again while there is no connection, in milliseconds */
  constructor(pool: () => Promise<PgPool>, patience: number, create: string) {
    this.#patience = patience;
    this.#pool = async () => {
      const opened = await pool();
      // An idle connection that breaks is replaced.
      opened.on("error", () => undefined);
      await this.#retrying(() => opened.query(create));
      return opened;
    };
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Runs a statement that does no harm if it is run twice. */
  async query(text: string, values: unknown[]): Promise<PgResult> {
    const pool = await this.#connected();
    return await this.#retrying(() => pool.query(text, values));
  }

  /** A connection of its own. */
  async client(): Promise<PgClient> {
    return await (await this.#connected()).connect();
  }

  /** @param end whether the pool is ours to end */
  async close(end: boolean): Promise<void> {
    this.#closed = true;
    const pool = await this.#ready?.catch(() => undefined);
    if (end) await pool?.end();
  }

  #connected(): Promise<PgPool> {
    if (this.#closed) throw new InterlinearError("store_closed", "the store is closed");
    this.#ready ??= this.#pool().catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  async #retrying<T>(run: () => Promise<T>): Promise<T> {
    const start = Date.now();
    for (let wait = 50; ; wait = Math.min(wait * 2, 1_000)) {
      try {
        return await run();
      } catch (error) {
        if (error instanceof InterlinearError) throw error;
        if (!isAway(error) || this.#closed || Date.now() - start > this.#patience) throw failure(error);
        await sleep(wait);
      }
    }
  }
}

function failure(error: unknown): InterlinearError {
  const full = codeOf(error) === "53100";
  const message = `Postgres: ${(error as Error).message || codeOf(error)}`;
  return new InterlinearError(full ? "store_full" : "store_failed", message, undefined, { cause: error });
}

/** Whether there is no connection now, which may pass. */
function isAway(error: unknown): boolean {
  const code = codeOf(error) ?? "";
  // Connection exceptions, shutting down, starting up, too many clients; then what sockets and the driver say.
  if (/^(08...|57P0[1-3]|53300)$/.test(code)) return true;
  if (/^(ECONN|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)/.test(code)) return true;
  return (
    error instanceof Error &&
    /connection (terminated|ended|timeout)|timeout exceeded|not queryable/i.test(error.message)
  );
}
