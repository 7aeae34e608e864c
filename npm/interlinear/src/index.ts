export type * from "../types/index.js";
export {
  agents,
  check,
  convert,
  detect,
  openTranscript,
  relay,
  type TranscriptFile,
  type TranscriptInput,
  trace,
  version,
} from "./convert.js";
export { InterlinearError } from "./errors.js";
export * from "./fold.js";
export { backend, init, type WasmSource } from "./load.js";
export { eventTypes } from "./packed/objects.js";
export {
  type Channel,
  Connection,
  type ConnectionOptions,
  openConnection,
  openSession,
  restore,
  Session,
  type SessionOptions,
} from "./session.js";
export { type EventWithSilent, type SilentLine, silentLines, type TraceLine } from "./trace.js";
export { type ConvertOptions, type Outputs, Transcript } from "./transcript.js";
