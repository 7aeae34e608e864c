// What the page and the Worker say to each other. The page asks for one piece after the other, so that a page that
// cannot keep up is not buried in messages.
import type { Detection, Stats } from "../types/index.js";
import type { WasmModule } from "./load.js";
import type { ConvertOptions } from "./transcript.js";

/** A file of a transcript: bytes, or a file that is read piece by piece. */
export interface WorkerFile {
  name: string;
  data: Blob | Uint8Array;
}

/** What the Worker makes of the files: events, or native lines with their events. */
export type WorkerOutput = "encoded" | "encodedTrace";

/** From the page. */
export type Request =
  | { type: "open"; module: WasmModule; files: WorkerFile[]; options: ConvertOptions; to: WorkerOutput }
  | { type: "next" };

/** From the Worker. */
export type Reply =
  | { type: "piece"; output: Uint8Array[]; read: number; total: number }
  | { type: "end"; detection: Detection | undefined; stats: Stats }
  | { type: "failed"; code: string; message: string; cure: string };
