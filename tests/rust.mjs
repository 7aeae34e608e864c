// Programs of the workspace, as the Rust tests have compiled them.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { testedCrates } from "../scripts/workspace.mjs";
import { root } from "./fixtures.mjs";

const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");

/**
 * Compiles what is not yet.
 *
 * @param {"bin" | "example"} kind
 * @returns the path of the program
 */
export function compiled(kind, name) {
  execFileSync("cargo", ["build", "--quiet", ...testedCrates, `--${kind}`, name], { cwd: root });
  return join(target, "debug", kind === "example" ? "examples" : "", name);
}
