import type { Command, ConvertOptions, Exit, OpenOptions } from "../types/index.js";
import type { InterlinearError } from "./errors.js";

/** How output is written. */
export type Encoding = "packed" | "sealed" | "ndjson" | "trace" | "sealed-trace";

/** How a connection's output is written: events, or native lines with their events. */
export type MachineEncoding = Extract<Encoding, "packed" | "trace">;

/** A connection in the core. Events come as the text that `decode.ts` reads: `packed`, or `trace`. */
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
  sequence(): number;
  stats(): string;
  snapshot(): Uint8Array;
  free(): void;
}

/** What a call gave: text that `decode.ts` reads (`packed`, `trace`), or bytes to be handed on (the others). */
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
  free?(): void;
}

/** What both builds of the core export, under the same names. */
export interface RawModule {
  Machine: {
    new (options: OpenOptions, encoding: MachineEncoding): RawMachine;
    restore(bytes: Uint8Array, encoding: MachineEncoding): RawMachine;
  };
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
  /** Something lives in the build's memory from here on; gives the number of the instance that it lives in. */
  hold(): number;
  /** It does no more: frees it, unless its instance is gone. */
  release(instance: number, free: () => void): void;
  /** Whether the memory is much larger than it need be, and only one thing lives in it, which should move. */
  isCrowded(): boolean;
  /** Gives the memory back, with all that lives in it. */
  renew(): void;
}

/** Calls the core; whatever it throws comes out as an `InterlinearError`. */
export function call<T>(core: Core, run: () => T): T {
  try {
    return run();
  } catch (thrown) {
    throw core.failure(thrown);
  }
}
