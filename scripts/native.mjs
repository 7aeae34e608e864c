// How the core is compiled for Node: by a profile, which tells the compiler the ways that real sessions take through it.
// A line runs through so much code that it matters where it lies.
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { ask, at, Problem, run, say } from "./shell.mjs";

/** The compiler's version and this platform, as it names it. */
function compiler() {
  const told = ask("rustc", ["-vV"]) ?? "";
  const [, release] = /^release: (.+)$/m.exec(told) ?? [];
  const [, host] = /^host: (.+)$/m.exec(told) ?? [];
  if (release === undefined || host === undefined) throw new Problem("`rustc -vV` does not tell its version.");
  return { release, host };
}

/** The profile for this compiler: another one gives the functions other names. */
export function profileFile() {
  return at("bindings", "node", "profiles", `rustc-${compiler().release}.profdata`);
}

/** What the compiler is told to use the profile; nothing if there is none. */
function use() {
  const file = profileFile();
  if (!existsSync(file)) {
    say(`Node: there is no profile for rustc ${compiler().release}: what is built is slower (\`npm run profile\`)`);
    return [];
  }
  // Cargo compiles anew when its arguments change, not when this file does.
  const hash = createHash("sha256").update(readFileSync(file)).digest("hex").slice(0, 16);
  const named = at("target", `${hash}.profdata`);
  mkdirSync(at("target"), { recursive: true });
  cpSync(file, named);
  return [`-Cprofile-use=${named}`];
}

/** Compiles the module for Node. Gives the folder with what was made. */
export async function compileNative({ flags = use(), target = "target" } = {}) {
  const { host } = compiler();
  // Where a platform is named, the flags are not for what runs during the build.
  const args = [
    "build",
    "--profile",
    "node",
    "--package",
    "interlinear-node",
    "--target",
    host,
    "--target-dir",
    target,
  ];
  // Between spaces a path with a space would be two.
  await run("cargo", args, {
    echo: false,
    name: "compiling for Node",
    env: { CARGO_ENCODED_RUSTFLAGS: flags.join("\x1f") },
  });
  return at(target, host, "node");
}

/** The library that was made for Node in this folder. */
export function libraryIn(folder) {
  const names = ["libinterlinear_node.so", "libinterlinear_node.dylib", "interlinear_node.dll"];
  const library = names.map((name) => `${folder}/${name}`).find(existsSync);
  if (library === undefined) throw new Problem("cargo built no library for Node");
  return library;
}
