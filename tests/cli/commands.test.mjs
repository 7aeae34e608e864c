import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, test } from "node:test";
import { interlinear, recording, stored, streamOf } from "./run.mjs";

const COMMANDS = ["convert", "show", "check", "detect", "doctor", "agents", "run"];

describe("help", () => {
  test("--help lists the commands and the exit codes", async () => {
    const { code, stdout } = await interlinear(["--help"]);
    assert.equal(code, 0);
    for (const name of COMMANDS) assert.match(stdout, new RegExp(`^  ${name} `, "m"));
    assert.match(stdout, /Exit codes: 0 .* 1 .* 2 /);
  });

  test("every command has its own, no wider than 120 columns", async () => {
    for (const name of COMMANDS) {
      const { code, stdout } = await interlinear([name, "--help"]);
      assert.equal(code, 0);
      assert.match(stdout, new RegExp(`Usage: interlinear ${name}`));
      assert.deepEqual(
        stdout.split("\n").filter((line) => line.length > 120),
        [],
      );
    }
  });

  test("--version is the package's", async () => {
    const { version } = JSON.parse(
      readFileSync(new URL("../../npm/interlinear/package.json", import.meta.url), "utf8"),
    );
    assert.equal((await interlinear(["--version"])).stdout, `${version}\n`);
  });
});

const scratch = mkdtempSync(join(tmpdir(), "interlinear-test-"));
after(() => rmSync(scratch, { recursive: true, force: true }));
/** A file to make a mistake with. */
const made = (name, text) => {
  writeFileSync(join(scratch, name), text);
  return join(scratch, name);
};
symlinkSync("loop.jsonl", join(scratch, "loop.jsonl"));

describe("a wrong command line is exit code 2 and says what is wrong", () => {
  const wrong = {
    "no command": [[], /which command\?/],
    "an unknown command": [["translate"], /translate: there is no such command/],
    "a name that every object has": [["constructor"], /no such command/],
    "an unknown option": [["convert", "--fast"], /--fast/],
    "an unknown agent": [
      ["convert", "--agent", "hal", recording("hello")],
      /--agent hal: it takes auto, claude, codex, opencode, amp or pi/,
    ],
    "an unknown format": [["convert", "--to", "pdf", recording("hello")], /--to pdf: it takes universal/],
    "a width that is none": [["show", "--width", "wide", recording("hello")], /--width wide/],
    "servers that are not JSON": [
      ["run", "claude", "--mcp-config", made("bad.json", "{"), "hi"],
      /bad\.json: this is not JSON\. Mend it: /,
    ],
    "servers that are nothing": [
      ["run", "claude", "--mcp-config", made("null.json", "null"), "hi"],
      /null\.json: there are no mcpServers in it\. It takes/,
    ],
    "servers that are a number": [
      ["run", "claude", "--mcp-config", made("seven.json", '{"mcpServers":7}'), "hi"],
      /seven\.json: there are no mcpServers in it/,
    ],
    "servers that are a folder": [
      ["run", "claude", "--mcp-config", scratch, "hi"],
      /interlinear-test-\w+: it is a folder\. Name a file/,
    ],
    "a file in the place of a folder": [
      ["convert", "--to", "exchange", "--out", made("file", ""), recording("hello")],
      /--out .*file: it cannot be made a folder .* Name another/,
    ],
    "a recording that is a folder": [["replay-agent", scratch], /interlinear-test-\w+: it is a folder\. Name a file/],
    "a link to itself": [
      ["convert", join(scratch, "loop.jsonl")],
      /loop\.jsonl: it is a link that leads back to itself/,
    ],
    "a name that is too long": [["convert", "x".repeat(300)], /x: it cannot be read \(ENAMETOOLONG.*\)/],
    "a file that gives no bytes": [["check", "/proc/self/mem"], /\/proc\/self\/mem: it cannot be read \(EIO.*\)/],
    "a recording that gives no bytes": [["replay-agent", "/proc/self/mem"], /self\/mem: it cannot be read \(EIO.*\)/],
    "a file below a file": [["convert", join(scratch, "file", "x.jsonl")], /x\.jsonl: there is no such file/],
    "a folder for a document": [
      ["convert", "--to", "markdown", "--out", scratch, recording("hello")],
      /--out goes with --to exchange only/,
    ],
    "a folder that serve was not asked for": [
      ["serve", scratch, "--port", "0"],
      /interlinear-test-\w+: serve takes options only/,
    ],
    "a word that agents does not take": [["agents", "claude"], /claude: agents takes options only/],
    "a port that is none": [["serve", "--port", "99999"], /--port 99999: it takes a number from 0 to 65535/],
    "to keep nothing": [["serve", "--keep", "0"], /--keep 0: it takes a number of days, from 1 on/],
    "a choice that is none": [["show", "--lines", "some", recording("hello")], /--lines some: it takes all or mapped/],
  };
  for (const [name, [args, message]] of Object.entries(wrong)) {
    test(name, async () => {
      const { code, stdout, stderr } = await interlinear(args);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /at .*\.js:/);
    });
  }
});

describe("detect", () => {
  test("says agent, version and form", async () => {
    const { code, stdout } = await interlinear(["detect", recording("hello"), stored("hello")]);
    assert.equal(code, 0);
    assert.match(stdout, /^.*hello\.jsonl: claude 2\.1\.197, live, recording\n.*: claude 2\.1\.197, stored\n$/);
  });

  test("reads a stream from a pipe", async () => {
    const { stdout } = await interlinear(["detect"], { input: streamOf(recording("hello")).join("") });
    assert.equal(stdout, "stdin: claude 2.1.197, live\n");
  });

  test("--json is for programs", async () => {
    const { stdout } = await interlinear(["detect", "--json", recording("hello")]);
    assert.deepEqual(JSON.parse(stdout), {
      file: recording("hello"),
      agent: "claude",
      form: "live",
      recording: true,
      version: "2.1.197",
    });
  });

  test("what nobody knows is exit code 2 and names --agent", async () => {
    const { code, stderr } = await interlinear(["detect"], { input: "once upon a time\n" });
    assert.equal(code, 2);
    assert.match(stderr, /--agent/);
  });
});

describe("doctor", () => {
  const strange = streamOf(recording("hello"))
    .flatMap((line) =>
      line.includes('"subtype":"init"')
        ? [
            line.replace('{"type"', '{"mood":"sunny","type"'),
            '{"type":"dream","of":"sheep","uuid":"u","session_id":"s"}\n',
          ]
        : [line],
    )
    .join("");

  test("says for each kind of line what became of it", async () => {
    const { code, stdout } = await interlinear(["doctor", recording("thinking")]);
    assert.equal(code, 0);
    assert.match(stdout, /kind of line +lines +events +ignored +first +why/);
    assert.match(stdout, /out assistant/);
    assert.match(stdout, /Unparsed: 0\./);
    assert.match(stdout, /Unknown to this version: nothing\./);
  });

  test("lists unknown kinds and fields with their first line", async () => {
    const { stdout } = await interlinear(["doctor"], { input: strange });
    assert.match(stdout, /Unknown to this version:\n +where +what +times +first\n/);
    assert.match(stdout, /mood +field +1 +1\n/);
    assert.match(stdout, /dream +kind +1 +2\n/);
  });

  test("--json has every number, and the lines add up", async () => {
    const { stdout } = await interlinear(["doctor", "--json", recording("subagent")]);
    const { detection, stats } = JSON.parse(stdout);
    assert.equal(detection.agent, "claude");
    const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
    assert.equal(sum(stats.kinds.map((kind) => kind.lines)), stats.lines);
    for (const kind of stats.kinds) assert.equal(kind.mapped + sum(Object.values(kind.ignored)), kind.lines, kind.kind);
  });
});

test("agents lists every agent, and how to install those that are not there", async () => {
  const nowhere = { env: { PATH: dirname(process.execPath) } };
  const { stdout } = await interlinear(["agents"], nowhere);
  assert.match(stdout, /^claude .*not installed\. npm install -g @anthropic-ai\/claude-code$/m);
  const listed = JSON.parse((await interlinear(["agents", "--json"], nowhere)).stdout);
  assert.deepEqual(
    listed.map(({ id, installed }) => [id, installed]),
    ["claude", "codex", "opencode", "amp", "pi"].map((id) => [id, false]),
  );
});
