import { agents } from "../convert.js";
import { codeOf, InterlinearError } from "../errors.js";

/** What the process returns. */
export const EXIT = {
  /** All went well. */
  ok: 0,
  /** Events break the contract. */
  breaks: 1,
  /** The agent failed. */
  failed: 1,
  /** The command line is wrong, or the input cannot be read. */
  usage: 2,
  /** Interlinear itself failed. */
  internal: 3,
  /** Ended by Ctrl-C. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Something that the person at the command line can mend: shown without a stack, and ends with exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** An error of any origin as one that says which input it is about, and the cure where there is one. */
export function aboutInput(error: unknown, input: string): unknown {
  if (!(error instanceof Error) || error instanceof UsageError) return error;
  const cause = { cause: error };
  switch ((error as { code?: unknown }).code) {
    case "unknown_format":
      return new UsageError(
        `${input}: not the transcript of a known agent. If you know whose it is, name it: --agent ${agents().join("|")}`,
        cause,
      );
    case "ENOENT":
    case "ENOTDIR":
      return new UsageError(`${input}: there is no such file or folder`, cause);
    case "EISDIR":
      return new UsageError(`${input}: it is a folder. Name a file`, cause);
    case "ELOOP":
      return new UsageError(`${input}: it is a link that leads back to itself. Name the file that is meant`, cause);
    case "EACCES":
    case "EPERM":
      return new UsageError(`${input}: it may not be read by you (check its permissions)`, cause);
    default:
      return isOfSystem(error) ? new UsageError(`${input}: it cannot be read (${error.message})`, cause) : error;
  }
}

/** Why a server cannot listen there, with the cure where there is one. */
export function aboutAddress(error: unknown, host: string, port: number): unknown {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} is taken. Choose another: --port P, or --port 0 for any`,
    EADDRNOTAVAIL: `${host} is no address of this machine`,
    ENOTFOUND: `${host} is no address`,
    EACCES: `port ${port} may not be used by you. Choose one above 1023: --port P`,
  };
  const reason = reasons[codeOf(error) ?? ""];
  return reason === undefined ? error : new UsageError(reason, { cause: error });
}

/** Whether the operating system refused something: no program is to blame. */
function isOfSystem(error: Error): boolean {
  return "syscall" in error && "errno" in error;
}

/** What to print about an error, and the exit code that it ends with. */
export function explain(error: unknown): { message: string; code: ExitCode } {
  if (error instanceof UsageError) return { message: error.message, code: EXIT.usage };
  if (error instanceof InterlinearError && error.code !== "crashed") {
    return { message: `${error.message}\n${error.cure}`, code: EXIT.usage };
  }
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { message: `this is a bug, please report it\n${trace}`, code: EXIT.internal };
}
