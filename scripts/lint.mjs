// Formats and checks the sources; `--fix` mends what can be mended.
import { at, attempt, heading, main, Problem } from "./shell.mjs";

const biome = at("node_modules", ".bin", "biome");

/** The checks, in the order of how soon they fail. */
export const checks = [
  { name: "Rust is formatted", program: "cargo", args: ["fmt", "--all", "--check"] },
  { name: "JavaScript and TypeScript are formatted and clean", program: biome, args: ["check", "--error-on-warnings"] },
  {
    name: "clippy has nothing to say",
    program: "cargo",
    args: ["clippy", "--quiet", "--workspace", "--all-targets", "--", "--deny", "warnings"],
  },
];

const fixes = [
  { name: "Rust", program: "cargo", args: ["fmt", "--all"] },
  { name: "JavaScript and TypeScript", program: biome, args: ["check", "--write"] },
];

if (process.argv[1] === at("scripts", "lint.mjs")) {
  main(async () => {
    const failed = [];
    for (const { name, program, args } of process.argv.includes("--fix") ? fixes : checks) {
      heading(name);
      if (!(await attempt(program, args)).ok) failed.push(name);
    }
    if (failed.length > 0) throw new Problem(`not so: ${failed.join("; ")}`);
  });
}
