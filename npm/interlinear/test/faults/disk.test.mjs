// A disk that is full: a real one, of two megabytes, that only the program sees.
import assert from "node:assert/strict";
import { test } from "node:test";
import { here, makeFolder, start } from "./program.mjs";

test("a full disk refuses events and loses none; with room again the same events are taken, once", async () => {
  const { folder, remove } = makeFolder();
  try {
    // As somebody else than root, the program is root in a world of its own.
    const own = process.getuid() === 0 ? ["--mount"] : ["--mount", "--map-root-user"];
    const script = 'mount -t tmpfs -o size=2m none "$1" && exec "$2" "$3" "$1"';
    const args = [...own, "sh", "-c", script, "sh", folder, process.execPath, here("full.mjs")];
    const program = start("unshare", args);
    const report = await program.line();
    assert.deepEqual(await program.gone, [0, null]);
    const { refusals, codes, acknowledged, lines } = JSON.parse(report);
    assert.deepEqual(codes, ["store_full"]);
    assert.ok(refusals >= 5 && acknowledged > 1000, report);
    assert.equal(lines, acknowledged);
  } finally {
    remove();
  }
});
