// The main job: builds what is missing, shows a recording line by line, and says how to go on.
import { spawnSync } from "node:child_process";
import { build } from "./build.mjs";
import { at, heading, main, Problem, root, say } from "./shell.mjs";

const recording = "tests/fixtures/claude/recordings/edit_file.jsonl";

main(async () => {
  await build();
  heading(`interlinear show ${recording}`);
  // Its own terminal: what it writes is coloured where ours is.
  const cli = at("npm", "interlinear", "dist", "cli", "main.js");
  const { status } = spawnSync(process.execPath, [cli, "show", recording], { cwd: root, stdio: "inherit" });
  if (status !== 0) throw new Problem("interlinear show failed");
  heading("How to go on");
  say("npx interlinear show FILE        the same for a session of yours (~/.claude/projects/*/*.jsonl), or a stream:");
  say("claude -p --output-format stream-json --verbose 'hello' | npx interlinear show");
  say("npx interlinear convert FILE     the events, one a line");
  say("npx interlinear doctor FILE      what was read, ignored, unknown");
  say("npm test                         everything that holds this together");
});
