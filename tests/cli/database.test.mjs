// OpenCode's database gives what the exports of the same sessions give, and tells what their recordings tell.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { root } from "../fixtures.mjs";
import { outlines } from "../outline.mjs";
import { eventsOf, interlinear } from "./run.mjs";

const databases = "tests/fixtures/opencode/databases";
const names = readdirSync(join(root, databases)).map((file) => file.replace(/\.db$/, ""));
const scratch = mkdtempSync(join(tmpdir(), "interlinear-test-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

const eventsIn = async (path) => eventsOf((await interlinear(["convert", "--quiet", path])).stdout);

describe("a database of OpenCode", () => {
  for (const name of names) {
    test(`${name} keeps the contract`, async () => {
      const { code, stdout } = await interlinear(["check", `${databases}/${name}.db`]);
      assert.equal(code, 0, stdout);
      assert.match(stdout, /the contract is kept/);
    });
  }

  for (const name of names) {
    test(`${name} has the outline of its recording`, async () => {
      const live = outlines(await eventsIn(`tests/fixtures/opencode/recordings/${name}.jsonl`));
      assert.ok(live.length > 2);
      assert.deepEqual(outlines(await eventsIn(`${databases}/${name}.db`)), live);
    });
  }

  const both = names.filter((name) => existsSync(join(root, "tests/fixtures/opencode/stored", name)));
  for (const name of both) {
    test(`${name} gives the events of its export`, async () => {
      const expected = await eventsIn(`tests/fixtures/opencode/stored/${name}`);
      assert.ok(expected.length > 10);
      assert.deepEqual(await eventsIn(`${databases}/${name}.db`), expected);
    });
  }

  test("all are found in their folder", async () => {
    const { stdout } = await interlinear(["detect", databases]);
    assert.equal(stdout.match(/opencode .*stored/g)?.length, names.length);
  });

  test("what is no database of sessions is exit code 2 and says so", async () => {
    const path = join(scratch, "other.db");
    writeFileSync(path, "not a database");
    const { code, stderr } = await interlinear(["convert", path]);
    assert.equal(code, 2);
    assert.match(stderr, /other\.db/);
  });
});
