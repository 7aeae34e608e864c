// What is special about a store of files: crashes, other processes, and what lies on the disk.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { JsonlStore, prune } from "interlinear/store";
import { bare, events, pause, range, readAll, refused, same, sequences, take } from "./story.mjs";

let folder;
let store;
const stores = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "interlinear-files-"));
  store = another();
});

afterEach(async () => {
  await Promise.all(stores.splice(0).map((opened) => opened.close()));
  await rm(folder, { recursive: true, force: true });
});

function another() {
  stores.push(new JsonlStore(folder, { sync: "never" }));
  return stores.at(-1);
}

const at = (...names) => join(folder, ...names);

async function keep(from, to) {
  const writer = await store.open("s");
  for (let first = from; first <= to; first += 100) await writer.append(events("s", first, Math.min(first + 99, to)));
  await writer.close();
}

/** A program over the same folder; its first line of output says that it is ready. */
async function program(source) {
  const head = `import { JsonlStore } from "interlinear/store"; import { events } from ${JSON.stringify(new URL("story.mjs", import.meta.url).href)};
    const store = new JsonlStore(process.argv[1]);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", head + source, folder], {
    stdio: ["pipe", "pipe", "inherit"],
    cwd: import.meta.dirname,
  });
  await once(child.stdout, "data");
  return child;
}

test("a transcript is a file of events, one a line, and only its owner may read it", async () => {
  const list = events("my-session", 1, 5);
  const writer = await store.open("my-session");
  await writer.append(list);
  const lines = bare(list).map((event) => `${JSON.stringify(event)}\n`);
  assert.equal(readFileSync(at("my-session.jsonl"), "utf8"), lines.join(""));
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const mode = statSync(join(entry.parentPath ?? entry.path, entry.name)).mode & 0o777;
    assert.equal(mode, entry.isDirectory() ? 0o700 : 0o600, entry.name);
  }
});

test("a native object that caused several events is written once", async () => {
  await keep(1, 10);
  assert.equal(readFileSync(at("s.d", "raw.jsonl"), "utf8").match(/\n/g).length, 5);
});

test("wherever the last write was torn, the rest is kept and the session goes on", async () => {
  await keep(1, 12);
  const files = ["s.jsonl", join("s.d", "raw.jsonl")].map((name) => ({ name, whole: readFileSync(at(name)) }));
  const [transcript] = files;
  const ends = [...transcript.whole.entries()].filter(([, byte]) => byte === 10).map(([index]) => index + 1);
  for (let size = ends[9] - 3; size < transcript.whole.length; size += 7) {
    for (const { name, whole } of files) writeFileSync(at(name), whole);
    rmSync(at("s.d", "torn"), { force: true });
    truncateSync(at("s.jsonl"), size);
    const left = ends.filter((end) => end <= size).length;
    assert.deepEqual(sequences(await readAll(another(), "s")), range(1, left), `${size} bytes, before it is opened`);
    const writer = await another().open("s");
    assert.equal(writer.lastSequence, left);
    await writer.append(events("s", left + 1, 14));
    await writer.close();
    assert.deepEqual(await readAll(store, "s", { includeRaw: true }), events("s", 1, 14), `${size} bytes`);
    const torn = transcript.whole.subarray(ends[left - 1], size).toString();
    if (torn !== "") assert.equal(readFileSync(at("s.d", "torn"), "utf8"), `${torn}\n`);
  }
});

test("native objects of events that were never written are forgotten", async () => {
  await keep(1, 10);
  appendFileSync(at("s.d", "raw.jsonl"), '{"from":11,"to":12,"raw":"lost"}\n{"from":13,"to":1');
  await keep(11, 20);
  assert.deepEqual(await readAll(store, "s", { includeRaw: true }), events("s", 1, 20));
});

test("zeros at the end, as a file system may leave them, are a torn line", async () => {
  await keep(1, 10);
  appendFileSync(at("s.jsonl"), Buffer.alloc(5000));
  assert.equal((await store.info("s")).lastSequence, 10);
  await keep(11, 12);
  assert.deepEqual(sequences(await readAll(store, "s")), range(1, 12));
});

test("a missing, torn or lying index changes nothing of what is read", async () => {
  await keep(1, 3000);
  const index = readFileSync(at("s.d", "index"));
  assert.ok(index.length >= 24 * 5, `${index.length} bytes of index`);
  const lies = Buffer.alloc(index.length);
  for (let place = 0; place < lies.length; place += 24) {
    lies.writeDoubleLE(place * 5 + 2, place);
    lies.writeDoubleLE(place * 1000 + 77, place + 8);
  }
  for (const bytes of [Buffer.alloc(0), index.subarray(0, 100), lies]) {
    writeFileSync(at("s.d", "index"), bytes);
    for (const offset of [0, 700, 2990]) {
      const read = await readAll(store, "s", { offset, includeRaw: true });
      assert.deepEqual(read, events("s", offset + 1, 3000));
    }
  }
  const last = (await store.info("s")).lastSequence;
  await keep(last + 1, last + 100);
  const mended = readFileSync(at("s.d", "index"));
  assert.deepEqual(mended.subarray(0, 8), index.subarray(0, 8), "the index is made anew when the session is opened");
  assert.deepEqual(await readAll(store, "s", { offset: 2500, includeRaw: true }), events("s", 2501, last + 100));
});

test("a damaged line is named, and what is before it is read", async () => {
  await keep(1, 10);
  const lines = readFileSync(at("s.jsonl"), "utf8").split("\n");
  lines[6] = lines[6].replace("sequence", "sequins");
  writeFileSync(at("s.jsonl"), lines.join("\n"));
  await refused("damaged_transcript", () => readAll(store, "s"));
  assert.deepEqual(sequences(await readAll(store, "s", { limit: 6 })), range(1, 6));
});

test("a transcript that is damaged before its last line is refused at opening, and left as it is", async () => {
  await keep(1, 3000);
  const whole = readFileSync(at("s.jsonl"), "utf8").split("\n");
  const index = readFileSync(at("s.d", "index"));
  for (const [damaged, line] of [
    [7, ""],
    [1500, "x"],
    [2998, '{"sequence":2997}'],
    [2999, "\0".repeat(90)],
  ]) {
    const text = whole.with(damaged - 1, line).join("\n");
    // The end is looked for from the last place of the index; without it, from the beginning.
    writeFileSync(at("s.d", "index"), damaged < 2000 ? "" : index);
    writeFileSync(at("s.jsonl"), text);
    await assert.rejects(another().open("s", { metadata: { title: "new" } }), (error) => {
      assert.equal(error.code, "damaged_transcript");
      assert.match(error.message, new RegExp(`s\\.jsonl: line ${damaged} `));
      assert.match(error.cure, /Restore/);
      return true;
    });
    assert.equal(readFileSync(at("s.jsonl"), "utf8"), text);
    assert.ok(!existsSync(at("s.d", "torn")));
    const [{ sessionId, metadata }] = await store.list();
    assert.deepEqual({ sessionId, metadata }, { sessionId: "s", metadata: {} });
  }
});

test("a damaged last line is cut off and kept aside", async () => {
  await keep(1, 10);
  const lines = readFileSync(at("s.jsonl"), "utf8").split("\n");
  const damaged = lines[9].replace("sequence", "sequins");
  writeFileSync(at("s.jsonl"), lines.with(9, damaged).join("\n"));
  await keep(10, 12);
  assert.deepEqual(sequences(await readAll(store, "s")), range(1, 12));
  assert.equal(readFileSync(at("s.d", "torn"), "utf8"), `${damaged}\n\n`);
});

test("files that are no transcripts of the store are no sessions, and are left as they are", async () => {
  const copied = bare(events("s", 1, 3)).map((event) => `${JSON.stringify(event)}\n`);
  const others = {
    agent: '{"type":"user","sessionId":"agent","message":{"role":"user","content":"hi"}}\n{"type":"assistant"}\n',
    one: '{"type":"summary"}',
    copy: copied.join(""),
    later: copied.slice(1).join("").replaceAll('"s"', '"later"'),
    "My Notes": "a\nb\n",
  };
  for (const [name, text] of Object.entries(others)) writeFileSync(at(`${name}.jsonl`), text);
  writeFileSync(at("nothing.jsonl"), "");
  await keep(1, 3);
  assert.deepEqual(
    (await store.list()).map(({ sessionId }) => sessionId),
    ["s"],
  );
  const names = [...Object.keys(others), "nothing"];
  assert.deepEqual((await store.strangers()).sort(), names.map((name) => at(`${name}.jsonl`)).sort());
  for (const name of ["agent", "one", "copy", "later"]) {
    assert.equal(await store.info(name), undefined);
    await refused("unknown_session", () => store.delete(name));
    await assert.rejects(store.open(name), (error) => {
      assert.equal(error.code, "not_a_transcript");
      assert.ok(error.message.includes(`${at(`${name}.jsonl`)}: line 1 `), error.message);
      assert.match(error.cure, /Move the file/);
      return true;
    });
    assert.ok(!existsSync(at(`${name}.d`)), "nothing is put beside it");
  }
  assert.deepEqual(await prune(store, { maxSessions: 0 }), ["s"]);
  for (const [name, text] of Object.entries(others)) assert.equal(readFileSync(at(`${name}.jsonl`), "utf8"), text);
});

test("what is odd in the folder does not keep the sessions from being listed", async () => {
  await keep(1, 3);
  mkdirSync(at("folder.jsonl"));
  symlinkSync("loop.jsonl", at("loop.jsonl"));
  execFileSync("mkfifo", [at("pipe.jsonl")]);
  for (const about of ["null", "7", "[]", '"x"', '{"sessionId":7}', "{"]) {
    writeFileSync(at("s.d", "about.json"), about);
    const [{ sessionId, lastSequence }, ...others] = await store.list();
    assert.deepEqual({ sessionId, lastSequence, others }, { sessionId: "s", lastSequence: 3, others: [] }, about);
  }
  assert.equal(await store.info("folder"), undefined);
  await refused("not_a_transcript", () => store.open("folder"));
  await keep(4, 5);
  assert.deepEqual(sequences(await readAll(store, "s")), range(1, 5));
});

test("a page of the list has sessions only, however many other files are newer", async () => {
  for (let index = 0; index < 200; index += 1) {
    const id = `s${index}`;
    writeFileSync(at(`${id}.jsonl`), `${JSON.stringify(bare(events(index % 2 === 0 ? id : "x", 1, 1))[0])}\n`);
    utimesSync(at(`${id}.jsonl`), 1000 + index, 1000 + index);
  }
  const page = await store.list({ offset: 70, limit: 3 });
  assert.deepEqual(
    page.map(({ sessionId }) => sessionId),
    ["s58", "s56", "s54"],
  );
});

test("more sessions than a process may have files open are listed", async () => {
  for (let index = 0; index < 400; index += 1) {
    writeFileSync(at(`s${index}.jsonl`), `${JSON.stringify(bare(events(`s${index}`, 1, 1))[0])}\n`);
  }
  const source = `import { JsonlStore } from "interlinear/store";
    console.log((await new JsonlStore(process.argv[1]).list()).length);`;
  const limited = 'ulimit -n 200; exec "$0" --input-type=module --eval "$1" "$2"';
  const args = ["-c", limited, process.execPath, source, folder];
  assert.equal(execFileSync("sh", args, { encoding: "utf8", cwd: import.meta.dirname }), "400\n");
});

test("a transcript that somebody put there is listed, read and written on", async () => {
  const lines = bare(events("s", 1, 3)).map((event) => `${JSON.stringify(event)}\n`);
  writeFileSync(at("s.jsonl"), lines.join(""));
  const { sessionId, agent, lastSequence } = await store.info("s");
  assert.deepEqual({ sessionId, agent, lastSequence }, { sessionId: "s", agent: "claude", lastSequence: 3 });
  await keep(4, 5);
  assert.deepEqual(sequences(await readAll(store, "s")), range(1, 5));
});

test("the end of a long transcript is found, and it is listed, without reading it", async () => {
  // Linux counts what a process reads.
  const read = () => Number(/^rchar: (\d+)/m.exec(readFileSync("/proc/self/io", "utf8"))[1]);
  await keep(1, 40_000);
  const { size } = statSync(at("s.jsonl"));
  assert.ok(size > 8_000_000, `${size} bytes`);
  const before = read();
  assert.deepEqual(sequences(await readAll(store, "s", { offset: 39_990 })), range(39_991, 40_000));
  const [info] = await store.list();
  assert.equal(info.lastSequence, 40_000);
  assert.ok(read() - before < 600_000, `${read() - before} bytes were read`);
});

test("who died with a session in hand does not keep it", async () => {
  const child = await program(`const writer = await store.open("s");
    await writer.append(events("s", 1, 100)); console.log("ready"); setInterval(() => {}, 1000);`);
  try {
    await refused("session_busy", () => store.open("s"));
    await refused("session_busy", () => store.delete("s"));
  } finally {
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  }
  const writer = await store.open("s");
  assert.equal(writer.lastSequence, 100);
  await writer.append(events("s", 101, 102));
  assert.deepEqual(sequences(await readAll(store, "s")), range(1, 102));
});

test("who cannot be seen, in another container, holds a session while it gives signs of life", async () => {
  await keep(1, 3);
  const elsewhere = at("s.d", "writer-0123456789ab-1-1-abcdef");
  writeFileSync(elsewhere, "");
  await refused("session_busy", () => store.open("s"));
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(elsewhere, longAgo, longAgo);
  await keep(4, 5);
  assert.ok(!existsSync(elsewhere));
});

test("a writer that slept while another took its session over writes no more", async () => {
  const writer = await store.open("s");
  await writer.append(events("s", 1, 3));
  const followed = take(store.subscribe("s"), ({ sequence }) => sequence === 8);
  const claims = () => readdirSync(at("s.d")).filter((name) => name.startsWith("writer-"));
  rmSync(at("s.d", claims()[0]));
  const next = await another().open("s");
  await next.append(events("s", 4, 5));
  const { now } = Date;
  Date.now = () => now() + 60_000;
  try {
    await refused("session_lost", () => writer.append(events("s", 4, 9)));
  } finally {
    Date.now = now;
  }
  await next.append(events("s", 6, 7));
  assert.deepEqual(sequences(await readAll(store, "s")), range(1, 7));
  await next.close();
  const again = await store.open("s");
  // It has nothing to do with the one that took its place.
  await writer.close();
  await again.append(events("s", 8, 8));
  assert.deepEqual(sequences(await followed), range(1, 8));
  await store.close();
  assert.deepEqual(claims(), []);
});

test("sessions that need not be kept are let go when another is opened", async () => {
  await keep(1, 3);
  const keeping = new JsonlStore(folder, { retention: { maxSessions: 1 } });
  stores.push(keeping);
  await keeping.open("t");
  for (let attempt = 0; attempt < 100 && existsSync(at("s.jsonl")); attempt += 1) await pause(10);
  assert.deepEqual(
    (await store.list()).map(({ sessionId }) => sessionId),
    ["t"],
  );
});

test("what another process writes is followed as it comes", async () => {
  const child = await program(`const writer = await store.open("s"); await writer.append(events("s", 1, 10));
    console.log("ready"); process.stdin.once("data", async () => {
      for (let from = 11; from <= 5000; from += 10) await writer.append(events("s", from, from + 9));
      await writer.close();
    });`);
  const following = [
    take(store.subscribe("s"), ({ sequence }) => sequence === 5000),
    take(store.subscribe("s", { offset: 7, includeRaw: true, buffer: 4 }), ({ sequence }) => sequence === 5000),
  ];
  const gone = once(child, "exit");
  child.stdin.end("go\n");
  const [all, some] = await Promise.all(following);
  await gone;
  assert.deepEqual(sequences(all), range(1, 5000));
  assert.deepEqual(some, events("s", 8, 5000));
});

test("nobody here sees events of a write that fails, and another write may take their place", async (t) => {
  const writer = await store.open("s");
  await writer.append(events("s", 1, 10));
  const probe = await open(at("s.jsonl"));
  t.mock.method(Object.getPrototypeOf(probe), "write", async (bytes) => {
    // The disk takes most of it.
    appendFileSync(at("s.jsonl"), bytes.subarray(0, bytes.length - 9));
    same(sequences(await readAll(store, "s")), range(1, 10));
    same(sequences(await readAll(store, "s", { offset: 12 })), []);
    throw Object.assign(new Error("no space"), { code: "ENOSPC" });
  });
  const list = events("s", 11, 20, { raw: false });
  await refused("store_full", () => writer.append(list));
  t.mock.restoreAll();
  await probe.close();
  await writer.append([...list].reverse().map((event, index) => ({ ...event, sequence: 11 + index })));
  same(sequences(await readAll(store, "s")), range(1, 20));
});

test("who writes a session whose files are removed is told", async () => {
  const writer = await store.open("s");
  await writer.append(events("s", 1, 2));
  rmSync(folder, { recursive: true });
  await pause(600);
  await assert.rejects(writer.append(events("s", 3, 3)), (error) => {
    assert.equal(error.code, "session_lost");
    return error.message.includes(at("s.jsonl"));
  });
  assert.equal(writer.lastSequence, 2);
  await writer.close();
  const again = await store.open("s");
  await again.append(events("s", 1, 1));
  assert.deepEqual(sequences(await readAll(store, "s")), [1]);
});

test("what the system refuses is told with its path and a cure", async () => {
  writeFileSync(at("file"), "");
  for (const place of [at("file"), at("x".repeat(300))]) {
    const none = new JsonlStore(place);
    const calls = [
      () => none.open("s"),
      () => none.info("s"),
      () => readAll(none, "s"),
      () => take(none.subscribe("s"), () => true),
      () => none.delete("s"),
    ];
    for (const call of calls) {
      await assert.rejects(call, (error) => {
        assert.equal(error.code, "store_failed");
        assert.ok(error.message.startsWith(place), error.message);
        assert.match(error.cure, /disk/);
        return true;
      });
    }
    assert.deepEqual(await none.list(), []);
    await none.close();
  }
});

test("a store that closes ends its subscriptions, also where a disk fails at the end, and tells of that", async (t) => {
  const failing = new JsonlStore(folder, { sync: 60_000 });
  const writer = await failing.open("s");
  await writer.append(events("s", 1, 3));
  const followed = take(failing.subscribe("s"), () => false);
  const probe = await open(at("s.jsonl"));
  t.mock.method(Object.getPrototypeOf(probe), "datasync", async () => {
    throw Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" });
  });
  await pause(50);
  await refused("store_failed", () => failing.close());
  t.mock.restoreAll();
  await probe.close();
  assert.deepEqual(sequences(await followed), range(1, 3));
  assert.deepEqual(sequences(await readAll(store, "s")), range(1, 3));
  await (await store.open("s")).close();
});

test("a store without a folder is refused at once", () => {
  for (const place of [undefined, null, 5]) assert.throws(() => new JsonlStore(place), { code: "bad_options" });
});

test("a store is not opened with a limit that is no number", () => {
  const retention = { maxAge: Number(undefined) };
  assert.throws(() => new JsonlStore(folder, { retention }), { code: "bad_options", message: /maxAge is NaN/ });
});
