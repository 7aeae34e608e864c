// `npm run profile`: measures the ways that sessions of every agent take through the core, for the compiler to build the
// module for Node by (scripts/native.mjs). To be run when the core has changed much, or for another compiler.
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { compileNative, libraryIn, profileFile } from "../scripts/native.mjs";
import { ask, at, heading, main, Problem, run, say } from "../scripts/shell.mjs";
import { installPackages } from "../scripts/toolchain.mjs";

/** The oldest that reads what the compilers of today write. */
const oldest = 19;

/** The program that puts together what was measured. Debian keeps it off the path. */
function merger() {
  const debian = readdirSync("/usr/lib", { withFileTypes: true })
    .filter(({ name }) => name.startsWith("llvm-"))
    .map(({ name }) => join("/usr/lib", name, "bin", "llvm-profdata"));
  const version = (program) => Number(/LLVM version (\d+)/.exec(ask(program, ["--version"]) ?? "")?.[1] ?? 0);
  return ["llvm-profdata", ...debian].find((program) => version(program) >= oldest);
}

main(async () => {
  heading("Profile");
  if (merger() === undefined) await installPackages([`llvm-${oldest}`], "llvm-profdata");
  const merge = merger();
  if (merge === undefined) throw new Problem(`There is no llvm-profdata of version ${oldest} or newer.`);
  const folder = at("target-profile", "measured");
  rmSync(folder, { recursive: true, force: true });
  say("compiling the module for Node so that it measures itself");
  const flags = [`-Cprofile-generate=${folder}`];
  const built = await compileNative({ flags, target: "target-profile" });
  const module = at("target-profile", "interlinear.node");
  cpSync(libraryIn(built), module);
  say("reading sessions of every agent");
  await run(process.execPath, [at("bench", "sessions.mjs"), "native", module], { echo: false, name: "reading" });
  const measured = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  mkdirSync(dirname(profileFile()), { recursive: true });
  await run(merge, ["merge", "--output", profileFile(), ...measured], { echo: false });
  say(`written: ${profileFile()}`);
});
