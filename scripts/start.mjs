// The main job: builds what is missing, shows a recording line by line, and opens the inspector.
//
//   npm start              until Ctrl-C
//   npm start -- --once    looks whether the inspector answers, and ends
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { build } from "./build.mjs";
import { at, heading, main, Problem, root, say } from "./shell.mjs";

const recording = "tests/fixtures/claude/recordings/hello.jsonl";
const cli = at("npm", "interlinear", "dist", "cli", "main.js");
/** The same each time, so that links stay good. */
const usualPort = 2468;

function show() {
  heading(`interlinear show ${recording}`);
  const { status } = spawnSync(process.execPath, [cli, "show", recording], { cwd: root, stdio: "inherit" });
  if (status !== 0) throw new Problem("interlinear show failed");
}

/** Whether nobody listens on a port yet. */
async function isFree(port) {
  const server = createServer();
  server.listen(port, "127.0.0.1");
  // An error rejects what waits for another event.
  const free = await once(server, "listening").then(
    () => true,
    () => false,
  );
  if (free) await new Promise((resolve) => server.close(resolve));
  return free;
}

/** Starts `interlinear serve`; gives the process and the inspector's address. */
async function serve() {
  const port = (await isFree(usualPort)) ? usualPort : 0;
  const server = spawn(process.execPath, [cli, "serve", "--port", `${port}`], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: server.stdout })) {
    const [, address] = /^inspector: (.*)$/.exec(line) ?? [];
    if (address !== undefined) return { server, address };
  }
  throw new Problem("interlinear serve ended before it began");
}

/** Opens the page where there is somebody to look at it. */
function openBrowser(address) {
  const { env, platform, stdout } = process;
  const screen = platform !== "linux" || env.DISPLAY || env.WAYLAND_DISPLAY;
  if (!stdout.isTTY || env.CI || !screen) return;
  const [program, ...args] = { darwin: ["open"], win32: ["cmd", "/c", "start", ""] }[platform] ?? ["xdg-open"];
  spawn(program, [...args, address], { stdio: "ignore", detached: true })
    .on("error", () => say("There is no program to open it with: open the address yourself."))
    .unref();
}

/** What a person would find: the page, a session of each agent, the server behind it. */
async function check(address) {
  const { origin } = new URL(address);
  const page = await (await fetch(origin)).text();
  const demos = [
    "claude-plan.jsonl",
    "codex-everything.jsonl",
    "opencode-files.jsonl",
    "amp-edit.json",
    "pi-plan.jsonl",
  ];
  const answers = await Promise.all(
    ["/v1/health", ...demos.map((name) => `/demo/${name}`)].map((path) => fetch(`${origin}${path}`)),
  );
  const failed = answers.filter(({ ok }) => !ok).map(({ url, status }) => `${url}: ${status}`);
  if (!page.includes("<title>Interlinear</title>") || failed.length > 0) {
    throw new Problem(`the inspector does not answer as it should ${failed.join(", ")}`);
  }
  say("The inspector answers, with real sessions of five agents in it.");
}

main(async () => {
  await build();
  show();
  const { server, address } = await serve();
  const ended = once(server, "exit");
  const stop = () => server.kill("SIGTERM");
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  heading("Inspector");
  say(address);
  say("Real sessions of five agents are in it; drop your own on the page. Ctrl-C ends it.");
  if (process.argv.includes("--once")) await check(address).finally(stop);
  else openBrowser(address);
  await ended;
});
