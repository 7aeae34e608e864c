// What a session relays goes into a store as it is: bytes of an agent in, lines of a transcript out, and nothing in between.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openSession } from "interlinear";
import { JsonlStore, MemoryStore } from "interlinear/store";
import { pause, range, readAll, refused, same, sequences, take } from "./story.mjs";

const fixtures = new URL("../../../../tests/fixtures/", import.meta.url);

/** What an agent printed, in the recordings that a session can be made of. */
function printed(agent) {
  const folder = new URL(`${agent}/recordings/`, fixtures);
  return readdirSync(folder).map((name) => {
    const records = readFileSync(new URL(name, folder), "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    const lines = records.filter(({ dir, ch = "stdout" }) => dir === "out" && ch === "stdout").map(({ line }) => line);
    return { name, lines };
  });
}

/** The same session twice: one gives events, the other lines. */
function twins(agent, includeRaw) {
  const open = () => openSession({ agent, sessionId: "s", includeRaw, now: () => 0 });
  return [open(), open()];
}

async function inFolder(run) {
  const folder = mkdtempSync(join(tmpdir(), "interlinear-relay-"));
  const store = new JsonlStore(folder);
  try {
    return await run(store, folder);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
}

for (const agent of ["claude", "amp", "pi"]) {
  for (const includeRaw of [false, true]) {
    test(`${agent}: what is relayed is kept like its events${includeRaw ? ", with native objects" : ""}`, async () => {
      for (const { name, lines } of printed(agent)) {
        const [one, other] = twins(agent, includeRaw);
        const [events, bytes] = [new MemoryStore(), new MemoryStore()];
        const [writer, relayed] = [await events.open("s"), await bytes.open("s")];
        for (let at = 0; at < lines.length; at += 5) {
          const chunk = `${lines.slice(at, at + 5).join("\n")}\n`;
          await writer.append(one.receive(chunk));
          await relayed.append(other.relay(chunk));
        }
        const last = one.end();
        await writer.append(last);
        await relayed.append(other.end());
        assert.equal(relayed.lastSequence, one.lastSequence, name);
        same(await readAll(bytes, "s", { includeRaw: true }), await readAll(events, "s", { includeRaw: true }), name);
        assert.equal((await bytes.info("s")).ended, true, name);
      }
    });
  }
}

test("numbers stay as they were written, in what is relayed and in native objects", async () => {
  const line = `{"type":"hologram","z":[1.0,12345678901234567890,"\\ud800 \\"},raw\\":{ "],"raw":null,"interlinear:silent":[]}\n`;
  const kept = [];
  for (const relays of [false, true]) {
    const session = openSession({ agent: "claude", sessionId: "s", includeRaw: true, now: () => 0 });
    await inFolder(async (store, folder) => {
      const writer = await store.open("s");
      await writer.append(relays ? session.relay(line) : session.receive(line));
      await writer.close();
      kept.push(["s.jsonl", "s.d/raw.jsonl"].map((name) => readFileSync(join(folder, name), "utf8")));
    });
  }
  const [[, raw], relayed] = kept;
  assert.equal(relayed[1], raw);
  for (const file of relayed) assert.ok(file.includes("[1.0,12345678901234567890,"), file);
});

test("who follows the session gets events, with their native objects", async () => {
  await inFolder(async (store) => {
    const [one, other] = twins("claude", true);
    const writer = await store.open("s");
    const [{ lines }] = printed("claude").filter(({ name }) => name === "edit_file.jsonl");
    const expected = [...one.receive(`${lines.join("\n")}\n`)];
    const all = ({ sequence }) => sequence === expected.length;
    const followed = [take(store.subscribe("s", { includeRaw: true }), all), take(store.subscribe("s"), all)];
    await pause(20);
    for (const line of lines) await writer.append(other.relay(`${line}\n`));
    const [withRaw, without] = await Promise.all(followed);
    same(withRaw, expected);
    same(sequences(without), sequences(expected));
    assert.ok(without.every(({ raw }) => raw === null));
  });
});

test("the end of a session that was relayed is its end", async () => {
  const store = new MemoryStore();
  const writer = await store.open("s");
  const session = openSession({ agent: "claude", sessionId: "s", now: () => 0 });
  await writer.append(session.relay('{"type":"result","result":"\\"type\\":\\"session.ended\\""}\n'));
  assert.equal((await store.info("s")).ended, false);
  await writer.append(session.exited({ code: 0, signal: null }));
  assert.equal((await store.info("s")).ended, true);
});

test("relayed lines of another session, or not in their order, are refused, and the writer goes on", async () => {
  const line = '{"type":"hologram"}\n';
  const store = new MemoryStore();
  const writer = await store.open("s");
  const other = openSession({ agent: "claude", sessionId: "other" });
  await refused("wrong_session", () => writer.append(other.relay(line)));
  const session = openSession({ agent: "claude", sessionId: "s" });
  const [first, second] = [session.relay(line), session.relay(line)];
  await refused("wrong_sequence", () => writer.append(second));
  await writer.append(first);
  await refused("wrong_sequence", () => writer.append(first));
  await Promise.all([writer.append(second), writer.append(session.relay("")), writer.append(session.relay(line))]);
  assert.equal((await store.info("s")).lastSequence, session.lastSequence);
});

for (const includeRaw of [false, true]) {
  const withNative = includeRaw ? ", with native objects" : "";

  test(`lines that were changed after they were relayed are refused${withNative}, and the writer goes on`, async () => {
    const line = '{"type":"hologram"}\n';
    const changes = [
      (lines) => lines.fill(0x22),
      (lines) => lines.fill(0x22, 0, lines.length - 1),
      (lines) => lines.fill(0x20, lines.indexOf(10), lines.indexOf(10) + 1),
      (lines) => structuredClone(lines, { transfer: [lines.buffer] }),
    ];
    await inFolder(async (store) => {
      const [one, other] = twins("claude", includeRaw);
      const writer = await store.open("s");
      const followed = take(store.subscribe("s"), ({ type }) => type === "session.ended");
      await writer.append(one.receive(line));
      other.receive(line);
      for (const change of changes) {
        const lines = other.relay(line);
        change(lines);
        await refused("bad_input", () => writer.append(lines));
        await writer.append(one.receive(line));
      }
      await writer.append(one.end());
      same(sequences(await readAll(store, "s")), range(1, one.lastSequence));
      same(sequences(await followed), range(1, one.lastSequence));
    });
  });
}

test("what was changed within its lines ends who follows it with an error, and holds the writer up in nothing", async () => {
  await inFolder(async (store) => {
    const [one] = twins("claude", false);
    const writer = await store.open("s");
    await writer.append(one.relay('{"type":"hologram"}\n'));
    const followed = take(store.subscribe("s"), () => false);
    await pause(50);
    const lines = one.relay('{"type":"hologram"}\n');
    lines.fill(0x22, 1, lines.indexOf(10) - 1);
    const told = refused("damaged_transcript", () => followed);
    await writer.append(lines);
    await told;
    await writer.append(one.end());
  });
});

test("lines and events may be mixed, and the bytes may be given away before they are written", async () => {
  await inFolder(async (store, folder) => {
    const [one, other] = twins("claude", false);
    const writer = await store.open("s");
    const expected = [];
    const written = [];
    for (let count = 0; count < 600; count += 1) {
      const line = `{"type":"hologram","number":${count},"text":"${"é".repeat(count)}"}\n`;
      const events = one.receive(line);
      expected.push(...events);
      const lines = other.relay(line);
      written.push(writer.append(count % 7 === 0 ? events : lines));
      structuredClone(lines, { transfer: [lines.buffer] });
    }
    await Promise.all(written);
    await writer.close();
    same(await readAll(store, "s"), expected);
    same(await readAll(store, "s", { offset: 1000 }), expected.slice(1000));
    // Opening makes the index anew, by what it reads.
    const index = () => readFileSync(join(folder, "s.d", "index"), "hex");
    const before = index();
    rmSync(join(folder, "s.d", "index"));
    await (await store.open("s")).close();
    assert.ok(before.length > 24 * 2 * 5, `${before.length / 2} bytes of index`);
    assert.equal(index(), before);
  });
});
