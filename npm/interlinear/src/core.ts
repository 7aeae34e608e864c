import type { Command, ConvertOptions, Exit, OpenOptions } from "../types/index.js";
import type { InterlinearError } from "./errors.js";

/** How a transcript's output is written. */
export type Encoding = "packed" | "sealed" | "ndjson" | "trace";

/** A connection in the core. Events come as the text that `decodeEvents` reads. */
export interface RawMachine {
  receive(chunk: Uint8Array, channel: string, now: number): string;
  sent(chunk: Uint8Array, channel: string, now: number): string;
  command(command: Command, sessionId: string | undefined, now: number): string;
  relay(chunk: Uint8Array, channel: string, now: number): Uint8Array;
  outgoing(): string;
  deadline(): number | null | undefined;
  tick(now: number): string;
  exited(exit: Exit, now: number): string;
  end(now: number): string;
  stats(): string;
  snapshot(): Uint8Array;
  free(): void;
}

/** What a call gave: text that `decode.ts` reads (`packed`, `trace`), or bytes to be handed on (`sealed`, `ndjson`). */
export type Output = string | Uint8Array;

/** A transcript in the core. */
export interface RawTranscript {
  push(file: string, chunk: Uint8Array): Output;
  plan(): Output;
  stretches(): string;
  feed(chunk: Uint8Array): Output;
  end(): Output;
  detection(): string | null | undefined;
  stats(): string;
  free(): void;
}

/** The contract's checker in the core. */
export interface RawChecker {
  json(event: string): void;
  breaks(): string;
  finish(): string;
  free?(): void;
}

/** What both builds of the core export, under the same names. */
export interface RawModule {
  Machine: { new (options: OpenOptions): RawMachine; restore(bytes: Uint8Array): RawMachine };
  Transcript: new (options: ConvertOptions, encoding: Encoding) => RawTranscript;
  ContractChecker: new () => RawChecker;
  detect(name: string, head: Uint8Array): string;
  agents(): string;
  version(): string;
}

/** A loaded build of the core. */
export interface Core {
  readonly kind: "native" | "wasm";
  readonly raw: RawModule;
  /** Turns what a call threw into an error of ours, and mends the build if the call broke it. */
  failure(thrown: unknown): InterlinearError;
}

/** Calls the core; whatever it throws comes out as an `InterlinearError`. */
export function call<T>(core: Core, run: () => T): T {
  try {
    return run();
  } catch (thrown) {
    throw core.failure(thrown);
  }
}
