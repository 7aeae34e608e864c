// The real agents, each through the host, against a scripted model: on loopback, with no way to any other network.
//
//   npm run test:agents                                       all of them, in the versions that are known to work
//   npm run test:agents -- --agent claude --version 2.1.325   another version of one
//   npm run test:agents -- --only interrupt                   the tests whose names say so
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { recipes } from "../tests/agents/recipes.mjs";
import { build } from "./build.mjs";
import { at, attempt, heading, main, Problem, run, say, sum } from "./shell.mjs";

const cache = at(".cache", "agents");
const INSIDE = "INTERLINEAR_NO_NETWORK";

const { values } = parseArgs({
  options: {
    agent: { type: "string", multiple: true },
    version: { type: "string" },
    only: { type: "string" },
  },
});
const agents = values.agent ?? Object.keys(recipes);

function checkOptions() {
  const strange = agents.find((agent) => !(agent in recipes));
  if (strange !== undefined) throw new Problem(`--agent ${strange}: there are ${Object.keys(recipes).join(", ")}`);
  if (values.version !== undefined && agents.length !== 1) throw new Problem("--version needs one --agent");
}

const versionOf = (agent) => values.version ?? recipes[agent].version;
const folderOf = (agent) => join(cache, agent, versionOf(agent));
const programOf = (agent) => join(folderOf(agent), "node_modules", ".bin", agent);

/** Brings an agent from npm into the project's cache, once. */
async function install(agent) {
  const name = `${packageOf(agent)}@${versionOf(agent)}`;
  if (existsSync(programOf(agent))) return say(`${name}: in the cache`);
  say(`${name}: from npm into .cache/agents`);
  const folder = folderOf(agent);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  await run("npm", ["install", "--no-audit", "--no-fund", name], { cwd: folder, echo: false, name: "npm" });
}

/** Pi has moved. */
function packageOf(agent) {
  const [major, minor] = versionOf(agent).split(".").map(Number);
  const moved = agent === "pi" && (major > 0 || minor > 73);
  return moved ? "@earendil-works/pi-coding-agent" : recipes[agent].package;
}

/** Runs this script again where there is no network but loopback. */
function withoutNetwork() {
  const rights = process.getuid() === 0 ? [] : ["--map-root-user"];
  const shell = (script) => ["unshare", [...rights, "--net", "sh", "-c", `ip link set lo up && ${script}`, "sh"]];
  const [program, args] = shell('exec "$@"');
  const probe = spawnSync(program, [...args, "true"], { encoding: "utf8" });
  if (probe.status !== 0) {
    throw new Problem(
      `The agents are only started where they can reach nothing but this machine: in a network namespace of their own.
That is not permitted here: ${(probe.stderr ?? probe.error?.message ?? "").trim()}
Run this on Linux with util-linux and iproute2 as root, or where user namespaces are enabled.`,
    );
  }
  const { PATH, LANG = "C.UTF-8", TERM = "dumb" } = process.env;
  const env = { PATH, LANG, TERM, HOME: cache, [INSIDE]: "1" };
  const { status } = spawnSync(program, [...args, process.execPath, ...process.argv.slice(1)], {
    env,
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
}

/** Every test of one agent. */
async function play(agent) {
  heading(`${agent} ${versionOf(agent)}`);
  const folder = mkdtempSync(join(cache, "run-"));
  try {
    return await attempt(
      process.execPath,
      [
        "--test",
        "--test-reporter=spec",
        ...(values.only === undefined ? [] : [`--test-name-pattern=${values.only}`]),
        at("tests", "agents", "scenarios.mjs"),
      ],
      {
        env: {
          INTERLINEAR_AGENT: agent,
          INTERLINEAR_AGENT_PROGRAM: programOf(agent),
          INTERLINEAR_AGENT_VERSION: versionOf(agent),
          INTERLINEAR_AGENT_FOLDER: folder,
        },
      },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

main(async () => {
  checkOptions();
  if (process.env[INSIDE] === undefined) {
    await build();
    heading("Agents");
    for (const agent of agents) await install(agent);
    return withoutNetwork();
  }
  const results = [];
  for (const agent of agents) results.push({ agent, ...(await play(agent)) });
  const failed = results.filter(({ ok }) => !ok).map(({ agent }) => agent);
  heading(failed.length === 0 ? "All is well" : `Failed: ${failed.join(", ")}`);
  for (const { agent, output, seconds } of results) {
    say(`${agent}: ${sum(output, /^ℹ pass (\d+)/gm)} passed, ${sum(output, /^ℹ fail (\d+)/gm)} failed (${seconds} s)`);
  }
  process.exitCode = failed.length === 0 ? 0 : 1;
});
