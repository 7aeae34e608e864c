import {
  agents,
  ContractChecker,
  detect,
  initSync,
  panicText as lastWords,
  Machine,
  reset,
  Transcript,
  version,
} from "@interlinear/wasm";
import type { Core, RawModule } from "./core.js";
import { codeOf, InterlinearError } from "./errors.js";

// The memory of an instance grows with the largest thing that was ever in it, and never shrinks. What is larger than
// this is given back, by a fresh instance, as soon as nothing or one session alone lives in it.
const ample = 32 * 1024 * 1024;

// Named one by one: all of the package's names would bring the module's address into the Worker's file, beside which there
// is none, and bundlers (webpack) refuse an address that leads nowhere.
const raw: RawModule = { agents, ContractChecker, detect, Machine, Transcript, version };

/** The instance in use, how many things live in it, and for how many calls a session is not asked to move out of it. */
const current = { instance: 0, holders: 0, calls: 0, wait: 1 };

/** The core as WebAssembly, from a compiled module. */
export function wasmCore(module: WebAssembly.Module): Core {
  initSync({ module });
  const size = () => initSync({ module }).memory.buffer.byteLength;
  return {
    kind: "wasm",
    raw,
    failure,
    hold() {
      current.holders++;
      return current.instance;
    },
    release(instance, free) {
      // What lived in an instance that is gone went with it; its address means nothing in another.
      if (instance !== current.instance) return;
      free();
      current.holders--;
      if (current.holders === 0 && size() > ample) renew();
    },
    isCrowded() {
      if (current.holders > 1 || size() <= ample) return false;
      current.calls++;
      if (current.calls < current.wait) return false;
      // Who cannot move out now, because what made it large is still in use, is asked again later and later.
      current.calls = 0;
      current.wait *= 2;
      return true;
    },
    renew,
  };
}

function renew(): void {
  reset();
  current.instance++;
  current.holders = 0;
  current.calls = 0;
  current.wait = 1;
}

function failure(thrown: unknown): InterlinearError {
  if (thrown instanceof InterlinearError) return thrown;
  const { message } = thrown as Error;
  const code = codeOf(thrown);
  if (code !== undefined) return new InterlinearError(code, message, undefined, { cause: thrown });
  // A trap leaves the instance in an unknown state: a fresh one is made for all that follows. Sessions of the old one
  // are lost, and say so. `RangeError` is a stack that ran over.
  const trapped = thrown instanceof WebAssembly.RuntimeError || thrown instanceof RangeError;
  // What cannot be handed over (an object in a circle) is refused before the core sees it.
  if (thrown instanceof TypeError) return new InterlinearError("bad_input", message, undefined, { cause: thrown });
  const reason = trapped ? (panicText() ?? message) : message;
  if (trapped) renew();
  return new InterlinearError("crashed", `the core crashed: ${reason}`, undefined, { cause: thrown });
}

/** What the core said as it died, if its memory can still be read. */
function panicText(): string | undefined {
  try {
    return lastWords();
  } catch {
    return undefined;
  }
}
