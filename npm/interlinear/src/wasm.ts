import * as wasm from "@interlinear/wasm";
import type { Core, RawModule } from "./core.js";
import { codeOf, InterlinearError } from "./errors.js";

/** The core as WebAssembly, from a compiled module. */
export function wasmCore(module: WebAssembly.Module): Core {
  wasm.initSync({ module });
  return { kind: "wasm", raw: wasm satisfies RawModule, failure };
}

function failure(thrown: unknown): InterlinearError {
  if (thrown instanceof InterlinearError) return thrown;
  const { message } = thrown as Error;
  const code = codeOf(thrown);
  if (code !== undefined) return new InterlinearError(code, message, undefined, { cause: thrown });
  // A trap leaves the instance in an unknown state: a fresh one is made for all that follows. Sessions of the old one
  // are lost, and say so. `RangeError` is a stack that ran over.
  const trapped = thrown instanceof WebAssembly.RuntimeError || thrown instanceof RangeError;
  const reason = trapped ? (panicText() ?? message) : message;
  if (trapped) wasm.reset();
  return new InterlinearError("crashed", `the core crashed: ${reason}`, undefined, { cause: thrown });
}

/** What the core said as it died, if its memory can still be read. */
function panicText(): string | undefined {
  try {
    return wasm.panicText();
  } catch {
    return undefined;
  }
}
