import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { interlinear, recording, shell, start, streamOf } from "./run.mjs";

const ESCAPE = "\u001b";

describe("show", () => {
  test("each native line stands above its events", async () => {
    const { code, stdout } = await interlinear(["show", recording("hello")]);
    const rows = stdout.split("\n");
    const at = rows.findIndex((row) => /^ +3 ◀ assistant/.test(row));
    assert.equal(code, 0);
    assert.ok(at > 0, stdout);
    assert.match(rows[at], /\{"type":"assistant"/);
    assert.deepEqual(rows.slice(at + 1, at + 3), [
      "     │ item.started         #3 assistant message",
      "     │ item.delta           #3 +text  Hello! I am ready to help with the demo project.",
    ]);
    assert.match(rows[at + 3], /^ +4 ◀ result/);
  });

  test("no row is wider than asked for", async () => {
    for (const width of [40, 100]) {
      const { stdout } = await interlinear(["show", "--width", `${width}`, recording("unicode")]);
      const wide = stdout.split("\n").filter((row) => columns(row) > width);
      assert.deepEqual(wide, []);
    }
  });

  test("ignored lines say why, and --lines mapped leaves them out", async () => {
    const all = await interlinear(["show", recording("thinking")]);
    const mapped = await interlinear(["show", "--lines", "mapped", recording("thinking")]);
    assert.match(all.stdout, /ignored: \w+/);
    assert.doesNotMatch(mapped.stdout, /ignored: /);
    assert.match(mapped.stdout, /item\.completed/);
  });

  test("--events-only leaves the native lines out", async () => {
    const { stdout } = await interlinear(["show", "--events-only", recording("hello")]);
    assert.doesNotMatch(stdout, /◀|▶|│/);
    assert.match(stdout, /^session\.started/);
  });

  test("events appear as their lines arrive", { timeout: 30_000 }, async () => {
    const child = start(["show"]);
    let seen = "";
    child.stdout.on("data", (chunk) => {
      seen += chunk;
    });
    const until = async (pattern) => {
      while (!pattern.test(seen)) await new Promise((resolve) => child.stdout.once("data", resolve));
    };
    const lines = streamOf(recording("multi_turn"));
    child.stdin.write(lines[0]);
    await until(/1 ◀ system\/init/);
    child.stdin.write(lines[1]);
    await until(/2 ◀ .*item\.delta/s);
    assert.doesNotMatch(seen, /session\.ended/);
    child.stdin.end();
    await until(/session\.ended/);
    assert.equal(await new Promise((resolve) => child.on("close", resolve)), 0);
  });

  test("what an agent prints cannot steer the terminal", async () => {
    const line = streamOf(recording("hello")).find((text) => text.startsWith('{"type":"assistant"'));
    const evil = line.replace("Hello!", "\\u001b]0;owned\\u0007\\u001b[2J\\u202ehi\\r");
    assert.notEqual(evil, line);
    const { stdout } = await interlinear(["show", "--agent", "claude"], { input: evil });
    assert.match(stdout, /owned/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
    assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });
});

describe("colour", () => {
  const file = recording("hello");

  test("there is none in a pipe", async () => {
    const { stdout } = await interlinear(["show", file]);
    assert.ok(!stdout.includes(ESCAPE));
  });

  test("FORCE_COLOR asks for it, FORCE_COLOR=0 does not", async () => {
    const [on, off] = await Promise.all(
      ["1", "0"].map((FORCE_COLOR) => interlinear(["show", file], { env: { FORCE_COLOR } })),
    );
    assert.ok(on.stdout.includes(`${ESCAPE}[`));
    assert.ok(!off.stdout.includes(ESCAPE));
  });

  test("a terminal gets it, unless NO_COLOR is set", async () => {
    const terminal = (env) =>
      shell(`script -qec "$interlinear show ${file}" /dev/null`, { env: { TERM: "xterm", ...env } });
    const [coloured, plain] = await Promise.all([terminal({}), terminal({ NO_COLOR: "1" })]);
    assert.ok(coloured.stdout.includes(`${ESCAPE}[`));
    assert.ok(!plain.stdout.includes(ESCAPE));
    assert.match(plain.stdout, /session\.started/);
  });
});

/** How many columns a row takes, for the characters that the recordings have. */
function columns(row) {
  return [...row].reduce(
    (sum, character) =>
      sum +
      (/\p{Mn}|\p{Me}|\p{Cf}/u.test(character)
        ? 0
        : /\p{Emoji_Presentation}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}/u.test(
              character,
            )
          ? 2
          : 1),
    0,
  );
}
