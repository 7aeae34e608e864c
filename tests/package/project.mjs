// An empty project into which the packages are installed as a stranger would: from their tarballs, without a network.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { root } from "../fixtures.mjs";

/** The folders of the packages that are published. */
export const packages = readdirSync(join(root, "npm"))
  .map((name) => join(root, "npm", name))
  .filter((folder) => !manifest(folder).private);

/** What they depend on: taken from here, because there is no network. */
const dependencies = packages
  .flatMap((folder) => Object.keys(manifest(folder).dependencies ?? {}))
  .map((name) => join(root, "node_modules", name))
  .filter((folder) => !packages.some((own) => manifest(own).name === manifest(folder).name));

function manifest(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

/** Packs every package and installs the tarballs into a new folder. */
export function installedProject() {
  const folder = mkdtempSync(join(tmpdir(), "interlinear-package-"));
  const tarballs = join(folder, "tarballs");
  mkdirSync(tarballs);
  npm(root, "pack", "--ignore-scripts", "--pack-destination", tarballs, ...packages, ...dependencies);
  const project = join(folder, "project");
  write(project, "package.json", JSON.stringify({ name: "project", private: true, type: "module" }));
  npm(
    project,
    "install",
    "--offline",
    "--no-audit",
    "--no-fund",
    ...readdirSync(tarballs).map((name) => join(tarballs, name)),
  );
  return { project, tarballs, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Writes a file of the project. */
export function write(project, name, content) {
  mkdirSync(dirname(join(project, name)), { recursive: true });
  writeFileSync(join(project, name), content);
}

function npm(cwd, ...args) {
  // What npm tells its scripts would make this npm believe that it is still in the workspace.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("npm_")));
  execFileSync("npm", args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
}
