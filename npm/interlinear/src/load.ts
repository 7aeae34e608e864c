import { moduleUrl } from "@interlinear/wasm";
import type { Core } from "./core.js";
import { InterlinearError } from "./errors.js";
import { isNode, nativeCore, readModule } from "./node.js";
import { wasmCore } from "./wasm.js";

/** `WebAssembly.Module`; programs for Node alone do not declare it. */
export type WasmModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } }
  ? Module
  : object;

/** Where the WebAssembly module comes from: compiled, its bytes, a response, or its address. */
export type WasmSource = WasmModule | ArrayBuffer | ArrayBufferView | Response | URL | string;

let loaded: Core | undefined;
let loading: Promise<void> | undefined;
let compiled: Promise<WasmModule> | undefined;

/**
 * Loads the core. In a browser it must be awaited before anything else is called; in Node it is optional, and loads the
 * native build or, where there is none, WebAssembly. Further calls return the first one's promise.
 *
 * @param source The WebAssembly module, where the runtime must be handed it (Cloudflare Workers) or where it is served
 * from another place.
 */
export function init(source?: WasmSource): Promise<void> {
  loading ??= load(source).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(source: WasmSource | undefined): Promise<void> {
  if (source === undefined && isNode()) loaded ??= nodeCore();
  else loaded ??= wasmCore(await compile(source));
}

/** The loaded core. Node loads it by itself. */
export function core(): Core {
  if (loaded === undefined && isNode()) loaded = nodeCore();
  if (loaded === undefined) throw new InterlinearError("not_initialized", "the core is not loaded yet");
  return loaded;
}

/** Which build of the core is in use; `undefined` until it is loaded. */
export function backend(): "native" | "wasm" | undefined {
  return loaded?.kind;
}

/** The compiled WebAssembly module: the same one each time. */
export function compile(source?: WasmSource): Promise<WasmModule> {
  compiled ??= compileFrom(source ?? moduleUrl()).catch((cause: unknown) => {
    compiled = undefined;
    const cure =
      "Serve the file `@interlinear/wasm/interlinear.wasm`, or hand the module to `init(module)`; a content security policy must allow 'wasm-unsafe-eval'.";
    throw new InterlinearError(
      "wasm_unavailable",
      `the WebAssembly module cannot be loaded: ${(cause as Error).message}`,
      cure,
      { cause },
    );
  });
  return compiled;
}

async function compileFrom(source: WasmSource): Promise<WasmModule> {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source as BufferSource);
  const response = source instanceof Response ? source : await fetch(source);
  if (!response.ok) throw new Error(`${response.url}: status ${response.status}`);
  // Streaming refuses a server that does not say `application/wasm`.
  const streamed = response.headers.get("content-type")?.startsWith("application/wasm") === true;
  return streamed ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** In Node: the native build, or WebAssembly; `INTERLINEAR_BACKEND` forces one. */
function nodeCore(): Core {
  const forced = process.env["INTERLINEAR_BACKEND"] ?? "";
  switch (forced) {
    case "native":
      return nativeCore();
    case "wasm":
      return wasmCore(readModule());
    case "":
      return nativeOrWasm();
    default:
      throw new InterlinearError(
        "bad_backend",
        `INTERLINEAR_BACKEND is \`${forced}\``,
        "Set it to `native` or `wasm`, or leave it out.",
      );
  }
}

function nativeOrWasm(): Core {
  try {
    return nativeCore();
  } catch (error) {
    const wasm = wasmCore(readModule());
    process.emitWarning(`interlinear uses WebAssembly: ${(error as Error).message}`, { code: "INTERLINEAR_WASM" });
    return wasm;
  }
}
