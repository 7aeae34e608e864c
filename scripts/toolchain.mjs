// Finds, and where asked installs, what the build needs: a compiler for WebAssembly and a browser for the tests.
import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { ask, attempt, has, Problem, run, say } from "./shell.mjs";

const target = "wasm32-unknown-unknown";

// Every engine since 2023 has these, and most since 2021; the last was Safari 16.4, with vectors.
const features = [
  "-Ctarget-cpu=mvp",
  "-Ctarget-feature=+bulk-memory,+mutable-globals,+nontrapping-fptoint,+sign-ext,+simd128",
];

// Debian's compiler comes with the source of the standard library, which it builds along.
const debian = { rustc: "/usr/bin/rustc", cargo: "/usr/bin/cargo", source: "/usr/lib/rustlib/src/rust/library/std" };
const debianPackages = ["rustc-web", "cargo-web", "rust-web-src", "lld-19"];

/** What the compiler is told: where the sources of others lie on this machine is nobody's business. */
function flags(library) {
  const home = process.env.CARGO_HOME ?? join(homedir(), ".cargo");
  const moved = [`--remap-path-prefix=${join(home, "registry", "src")}=`, `--remap-path-prefix=${library}=rust`];
  // Between spaces a path with a space would be two.
  return { CARGO_ENCODED_RUSTFLAGS: [...features, ...moved].join("\x1f") };
}

/** How to compile for WebAssembly on this machine, or `undefined`. */
export function wasmToolchain() {
  return installedTarget() ?? debianTarget();
}

/** The compiler on the path has the target. */
function installedTarget() {
  const folder = ask("rustc", ["--print", "target-libdir", "--target", target]);
  if (folder === undefined || !existsSync(folder) || !readdirSync(folder).some((file) => file.startsWith("libstd-"))) {
    return undefined;
  }
  return { name: `rustc with ${target}`, cargo: "cargo", args: [], env: flags(ask("rustc", ["--print", "sysroot"])) };
}

/** Debian's compiler is there, with the library's source and a linker. */
function debianTarget() {
  const linker = linkers().find(has);
  if (!existsSync(debian.rustc) || !existsSync(debian.cargo) || !existsSync(debian.source) || linker === undefined) {
    return undefined;
  }
  return {
    name: "Debian's rustc-web",
    cargo: debian.cargo,
    args: ["-Z", "build-std=std,panic_abort"],
    env: {
      RUSTC: debian.rustc,
      RUSTC_BOOTSTRAP: "1", // building the standard library is not a stable feature
      ...flags(dirname(debian.source)),
      CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER: linker,
    },
  };
}

function linkers() {
  const versions = Array.from({ length: 12 }, (_, index) => `wasm-ld-${25 - index}`);
  return ["wasm-ld", ...versions];
}

/** Installs a compiler for WebAssembly: by rustup, else from Debian's packages. */
export async function installWasmToolchain() {
  if (has("rustup")) {
    say(`rustup target add ${target}`);
    const added = await attempt("rustup", ["target", "add", target], { echo: false, timeout: 120_000 });
    if (added.ok && installedTarget() !== undefined) return;
    say("rustup could not fetch it; trying Debian's packages");
  }
  await installPackages(debianPackages, "a compiler for WebAssembly");
  if (wasmToolchain() === undefined) {
    throw new Problem(
      `There is still no compiler for ${target}.\nInstall one: \`rustup target add ${target}\`, or on Debian \`apt-get install ${debianPackages.join(" ")}\`.`,
    );
  }
}

/** Installs Debian packages, if that can be done here. */
export async function installPackages(packages, purpose) {
  const command = `apt-get install ${packages.join(" ")}`;
  if (!has("apt-get") || process.getuid?.() !== 0) {
    throw new Problem(
      `The project needs ${purpose}, and only root on Debian can install it from here.\nInstall it yourself (Debian: \`${command}\`), then run this again.`,
    );
  }
  say(`${command} (${purpose})`);
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  await attempt("apt-get", ["update", "-qq"], { env, echo: false, name: "apt-get update" });
  await run("apt-get", ["install", "-y", "-q", "--no-install-recommends", ...packages], {
    env,
    echo: false,
    name: "apt-get install",
  });
}

/** The browser that the tests drive, or `undefined`. `CHROMIUM` names another one. */
export function chromium() {
  return programAt(process.env.CHROMIUM, ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]);
}

/** The other browser, for what must work in both. `FIREFOX` names another one. */
export function firefox() {
  return programAt(process.env.FIREFOX, ["firefox-esr", "firefox"]);
}

function programAt(given, names) {
  const folders = (process.env.PATH ?? "").split(":");
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [given, ...found].find((path) => path !== undefined && path !== "" && existsSync(path));
}

/** The folder with the programs of Postgres, or `undefined`. Debian keeps them off the path. */
export function postgres() {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...(process.env.PATH ?? "").split(":"), ...versions.map((version) => join(debian, version, "bin"))];
  return folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")));
}
