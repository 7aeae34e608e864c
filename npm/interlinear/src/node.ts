// What is special in Node. Its modules are reached at run time, so that bundlers for browsers find nothing to resolve.
import { moduleUrl } from "@interlinear/wasm";
import type { Core, RawModule } from "./core.js";
import { codeOf, InterlinearError } from "./errors.js";

/** Whether this is Node, or a runtime that has its modules (Bun, Deno). */
export function isNode(): boolean {
  return typeof process !== "undefined" && typeof process.getBuiltinModule === "function";
}

/** The platforms for which there is a package with the native build. */
const platforms = ["linux-x64-gnu"];

/** The core as a native module, from the package for this platform. */
export function nativeCore(): Core {
  const platform = platformName();
  if (!platforms.includes(platform)) {
    throw new InterlinearError(
      "native_unavailable",
      `there is no native build for ${platform}`,
      "Use WebAssembly: it is the default where no native build is.",
    );
  }
  const name = `@interlinear/native-${platform}`;
  try {
    const raw = process.getBuiltinModule("node:module").createRequire(import.meta.url)(name) as RawModule;
    return { kind: "native", raw, failure, ...memory };
  } catch (cause) {
    const reason = (cause as Error).message.split("\n", 1)[0];
    throw new InterlinearError(
      "native_unavailable",
      `${name} cannot be loaded: ${reason}`,
      `Install it: \`npm install ${name}\`.`,
      { cause },
    );
  }
}

/** Native memory is given back by itself. */
const memory = {
  hold: () => 0,
  release: (_: number, free: () => void) => free(),
  isCrowded: () => false,
  renew: () => {},
};

function failure(thrown: unknown): InterlinearError {
  if (thrown instanceof InterlinearError) return thrown;
  const { message } = thrown as Error;
  const code = codeOf(thrown);
  // napi's own code for a panic that it caught.
  if (code === undefined || code === "GenericFailure") {
    return new InterlinearError("crashed", `the core crashed: ${message}`, undefined, { cause: thrown });
  }
  return new InterlinearError(code, message, undefined, { cause: thrown });
}

/** The WebAssembly module, read from its package. */
export function readModule(): WebAssembly.Module {
  const bytes = process.getBuiltinModule("node:fs").readFileSync(moduleUrl());
  return withHints(() => new WebAssembly.Module(bytes));
}

/**
 * Compiles a module that says which of its branches are taken. From version 14 on V8 listens to that by itself; those
 * before must be told to (Node 20 to 24), and are told for this module only.
 */
function withHints(compile: () => WebAssembly.Module): WebAssembly.Module {
  const flag = "experimental-wasm-branch-hinting";
  const listens = Number.parseInt(process.versions.v8 ?? "", 10) >= 14 || process.execArgv.includes(`--${flag}`);
  if (listens) return compile();
  try {
    setFlag(`--${flag}`);
    return compile();
  } finally {
    setFlag(`--no-${flag}`);
  }
}

function setFlag(flag: string): void {
  try {
    process.getBuiltinModule("node:v8").setFlagsFromString(flag);
  } catch {
    // Another engine, which has no such flags.
  }
}

/** Node's names, with the C library on Linux: `linux-x64-gnu`, `darwin-arm64`. */
function platformName(): string {
  const { platform, arch } = process;
  if (platform !== "linux") return `${platform}-${arch}`;
  const report = process.report?.getReport() as { header?: { glibcVersionRuntime?: string } } | undefined;
  return `${platform}-${arch}-${report?.header?.glibcVersionRuntime === undefined ? "musl" : "gnu"}`;
}
