/** How to mend what went wrong, by the error's code. */
const cures: Record<string, string> = {
  bad_command: "Hand in one of the commands of the type `Command`.",
  bad_exit: "Hand in `{ code, signal }`, as Node's `exit` event gives them.",
  bad_input:
    "Hand in a string, a Uint8Array (of an ArrayBuffer: `new Uint8Array(buffer)`) or a list of `{ name, bytes }`.",
  bad_options: "Check the options against their TypeScript types.",
  bad_snapshot: "Hand in the bytes that `snapshot()` gave, unchanged.",
  crashed: "Open the session again, or `restore` its last snapshot. Please report the input that did this.",
  disposed: "Do not use what was disposed of: open it again.",
  not_initialized: "Call `await init()` first: the WebAssembly module must be loaded.",
  session_busy: "Close its writer, or wait until the process that holds it has ended.",
  session_lost: "Open the session again, if nobody else is to write it.",
  snapshot_version: "Read the session again from its lines: only the version that wrote a snapshot reads it.",
  store_closed: "Open a new store.",
  store_failed: "See to the disk or the database, then append the same events again.",
  store_full: "Make room, then append the same events again.",
  unknown_format: 'Name the agent: `{ agent: "claude" }`.',
  unknown_session: "List the sessions to see which there are.",
  writer_closed: "Open the session again.",
  wrong_sequence: "Append the events of a session in their order, each once.",
  wrong_session: "Open a writer for each session.",
};

/** What this package throws: an error with a code to decide by and a cure to read. */
export class InterlinearError extends Error {
  /** What went wrong, for programs. */
  readonly code: string;
  /** How to mend it, for people. */
  readonly cure: string;

  constructor(code: string, message: string, cure?: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "InterlinearError";
    this.code = code;
    this.cure = cure ?? cures[code] ?? "Check what was handed in.";
  }
}

/** The code to decide by: of this package's errors, and of Node's and the database's. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as Error & { code?: unknown };
  return typeof code === "string" ? code : undefined;
}
