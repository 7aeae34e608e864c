// OpenCode keeps its sessions in a SQLite database; the core reads them in the form that `opencode export` prints.
import { readFile } from "node:fs/promises";
import { UsageError } from "./failure.js";

/** How the names of databases end. */
export const DATABASE = ".db";

/** A row of a table. */
type Row = Readonly<Record<string, unknown>>;

/** A database that is open for reading. */
interface Database {
  rows(query: string): Row[];
  close(): void;
}

/** One session, as `opencode export` prints it. */
export interface Export {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Every session in a database. */
export async function exportsOf(path: string): Promise<Export[]> {
  try {
    return await readSessions(path);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${path}: this database cannot be read (${why}); opencode export ID prints a session of it`, {
      cause: error,
    });
  }
}

async function readSessions(path: string): Promise<Export[]> {
  const database = await openDatabase(path);
  try {
    const tables = new Set(database.rows("SELECT name FROM sqlite_master WHERE type = 'table'").map((row) => row.name));
    if (!tables.has("session")) throw new UsageError(`${path}: this database holds no sessions of OpenCode`);
    const read = (table: string, order: string) =>
      tables.has(table) ? database.rows(`SELECT * FROM ${table} ORDER BY ${order}`) : [];
    const parts = grouped(read("part", "id"), "message_id");
    const messages = grouped(read("message", "id"), "session_id");
    const newer = grouped(read("session_message", "seq"), "session_id");
    return read("session", "id").map((session) => {
      const id = text(session.id);
      const older = (messages.get(id) ?? []).map((message) => withParts(message, parts));
      const lines = [...older, ...(newer.get(id) ?? []).map((row) => withIds(row, { id: row.id, type: row.type }))];
      const json = `{"info":${info(session)},"messages":[${lines.join(",")}]}`;
      return { name: `${id}.export.json`, bytes: new TextEncoder().encode(json) };
    });
  } finally {
    database.close();
  }
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

function grouped(rows: readonly Row[], column: string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = text(row[column]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}

function withParts(message: Row, parts: ReadonlyMap<string, readonly Row[]>): string {
  const { id, session_id: sessionID } = message;
  const own = (parts.get(text(id)) ?? []).map((part) => withIds(part, { id: part.id, messageID: id, sessionID }));
  return `{"info":${withIds(message, { id, sessionID })},"parts":[${own.join(",")}]}`;
}

/** The object of a row, with what stands in the row's columns put first. The text of the object stays as it is. */
function withIds(row: Row, ids: Readonly<Record<string, unknown>>): string {
  const data = text(row.data).trim();
  const inside = data.startsWith("{") && data.endsWith("}") ? data.slice(1, -1).trim() : "";
  return `${JSON.stringify(ids).slice(0, -1)}${inside === "" ? "" : ","}${inside}}`;
}

/** Columns of a session that hold text, under the names that an export gives them. */
const WORDS = { id: "id", slug: "slug", project_id: "projectID", parent_id: "parentID", directory: "directory" };
const MORE_WORDS = { path: "path", title: "title", agent: "agent", version: "version" };

/** Columns of a session that hold JSON. */
const OBJECTS = ["model", "revert", "permission", "metadata"];

/** What is known of a session. */
function info(session: Row): string {
  const members: string[] = [];
  for (const [column, name] of Object.entries({ ...WORDS, ...MORE_WORDS })) {
    const value = session[column];
    if (typeof value === "string") members.push(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
  }
  for (const column of OBJECTS) {
    const value = session[column];
    if (typeof value === "string") members.push(`${JSON.stringify(column)}:${value}`);
  }
  const { time_created: created, time_updated: updated } = session;
  members.push(`"time":${JSON.stringify({ created: Number(created), updated: Number(updated) })}`);
  return `{${members.join(",")}}`;
}

/** By what Node brings along since 22.5; before that, by the package sql.js where it is installed. */
async function openDatabase(path: string): Promise<Database> {
  return (await withNode(path)) ?? (await withSqlJs(path));
}

async function withNode(path: string): Promise<Database | undefined> {
  const sqlite = await import("node:sqlite" as string).catch(() => undefined);
  if (sqlite === undefined) return undefined;
  const database = new sqlite.DatabaseSync(path, { readOnly: true });
  return { rows: (query) => database.prepare(query).all(), close: () => database.close() };
}

async function withSqlJs(path: string): Promise<Database> {
  const load = await import("sql.js" as string).then(
    (module) => module.default,
    () => undefined,
  );
  if (load === undefined) {
    throw new UsageError(
      `${path}: reading a SQLite database takes Node 22.5 or newer, or the package sql.js beside this`,
    );
  }
  const sql = await load();
  const database = new sql.Database(await readFile(path));
  const rows = (query: string) => {
    const statement = database.prepare(query);
    const found: Row[] = [];
    while (statement.step()) found.push(statement.getAsObject());
    statement.free();
    return found;
  };
  return { rows, close: () => database.close() };
}
