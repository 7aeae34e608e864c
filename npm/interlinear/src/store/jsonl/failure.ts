// What the system refuses, in the words of the store.
import { codeOf, InterlinearError } from "../../errors.js";

/** Why a file could not be read or written, where it is the system that says so; any other error is left as it is. */
export function storeFailure(error: unknown, path: string, done: "read" | "written"): unknown {
  const code = codeOf(error) ?? "";
  if (error instanceof InterlinearError || !/^E[A-Z0-9]+$/.test(code)) return error;
  const full = ["ENOSPC", "EDQUOT", "EFBIG"].includes(code);
  const message = full ? `${path}: there is no room left` : `${path} cannot be ${done}: ${(error as Error).message}`;
  return new InterlinearError(full ? "store_full" : "store_failed", message, undefined, { cause: error });
}
