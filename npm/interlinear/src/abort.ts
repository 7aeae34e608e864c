/** Calls back when a signal fires; gives what takes that back. */
export function onAbort(signal: AbortSignal | undefined, stop: () => void): () => void {
  if (signal === undefined) return () => {};
  allowMany(signal);
  signal.addEventListener("abort", stop);
  return () => signal.removeEventListener("abort", stop);
}

/** One signal may stop any number of readers and sessions: Node takes more than ten for a leak, and warns. */
function allowMany(signal: AbortSignal): void {
  if (typeof process === "undefined") return;
  try {
    process.getBuiltinModule?.("node:events").setMaxListeners(0, signal);
  } catch {
    // A signal that is none of Node's (a polyfill's) has no such limit.
  }
}
