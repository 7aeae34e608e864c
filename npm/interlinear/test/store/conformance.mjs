// What every store promises, as sentences. Each case gets a fresh store, and `again()`: another one over the same place
// (another process, tab or server), where there can be one. Runs in Node and in browsers.
import { bare, ending, events, nasty, pause, range, readAll, refused, same, sequences, take } from "./story.mjs";

/** Opens a session, appends, and closes its writer. */
async function keep(store, sessionId, list, meta) {
  const writer = await store.open(sessionId, meta);
  await writer.append(list);
  await writer.close();
}

export const cases = {
  async "what is appended is read: all of it, in order, to the last half of a surrogate pair"({ store }) {
    const list = events("s", 1, 700, { text: (sequence) => `${sequence} ${nasty}` });
    await keep(store, "s", list);
    same(await readAll(store, "s"), bare(list));
    same(await readAll(store, "s", { includeRaw: true }), list);
  },

  async "lines of events are kept like the events, and what is none is refused whole"({ store }) {
    const list = events("s", 1, 300, { text: (sequence) => `${sequence} ${nasty}` });
    const lines = (...texts) => new TextEncoder().encode(texts.join("\n"));
    const [first, ...others] = list.map((event) => JSON.stringify(event));
    const writer = await store.open("s");
    const subscription = store.subscribe("s", { includeRaw: true });
    const followed = take(subscription, ({ sequence }) => sequence === list.length);
    await refused("bad_input", () => writer.append(lines(first, "{}", ...others)));
    await refused("bad_input", () => writer.append(lines(first, others[0].slice(0, -9))));
    await refused("bad_input", () => writer.append(new Uint8Array([...lines(first), 10, 0xff])));
    await refused("bad_input", () => writer.append(new ArrayBuffer(1)));
    await refused("wrong_sequence", () => writer.append(lines(...others)));
    await writer.append(new Uint8Array());
    await writer.append(lines(first, ""));
    await writer.append(lines(...others));
    await writer.close();
    same(await readAll(store, "s", { includeRaw: true }), list);
    same(await followed, list);
  },

  async "reading begins after the offset and ends at the limit"({ store }) {
    const list = events("s", 1, 1000);
    await keep(store, "s", list);
    for (const [offset, limit] of [
      [0, 1],
      [1, 10],
      [255, 2],
      [256, 600],
      [999, 10],
      [1000, 10],
      [5000, 10],
      [10, 0],
    ]) {
      const expected = list.slice(offset, offset + limit);
      same(await readAll(store, "s", { offset, limit }), bare(expected), `after ${offset}, ${limit} at most`);
      same(await readAll(store, "s", { offset, limit, includeRaw: true }), expected, `after ${offset}, with raw`);
    }
    same(sequences(await readAll(store, "s", { offset: 990 })), range(991, 1000));
  },

  async "an offset or a limit that is no number of events is refused"({ store }) {
    await keep(store, "s", events("s", 1, 10));
    for (const where of [{ offset: "3" }, { offset: -5 }, { offset: Number.NaN }, { offset: 1.5 }]) {
      await refused("bad_options", () => readAll(store, "s", where));
      await refused("bad_options", () => store.subscribe("s", where).next());
    }
    for (const limit of ["3", -1, Number.NaN]) await refused("bad_options", () => readAll(store, "s", { limit }));
    same(sequences(await readAll(store, "s", { limit: Number.POSITIVE_INFINITY })), range(1, 10));
  },

  async "lines that gave no event come with the event after them, to those who want them"({ store, again }) {
    const list = events("s", 1, 600);
    const silent = [{ line: 7, dir: "out", kind: "ping", text: nasty, outcome: "ignored", reason: "heartbeat" }];
    for (const at of [0, 3, 4, 300, 301, 302]) list[at].silent = silent;
    for (const at of [7, 301]) list[at].dir = "in";
    list[3].raw = null;
    // What an agent writes comes back as it is, whatever it looks like.
    list[5].raw = { "interlinear:silent": silent, raw: 1 };
    list[6].raw = { "interlinear:silent": 1 };
    const wishes = [
      [{}, bare(list)],
      [{ includeSilent: true }, list.map((event) => ({ ...event, raw: null }))],
      [{ includeRaw: true }, list.map(({ silent: _, dir: __, ...event }) => event)],
      [{ includeRaw: true, includeSilent: true }, list],
    ];
    const writer = await store.open("s");
    const stores = [store, (await again?.()) ?? store];
    const following = wishes.flatMap(([wish, expected]) =>
      stores.map(async (from) => {
        const taken = await take(from.subscribe("s", wish), ({ sequence }) => sequence === 600);
        same(taken, expected, `followed with ${JSON.stringify(wish)}`);
      }),
    );
    await writer.append(list.slice(0, 4));
    await writer.append(list.slice(4));
    await Promise.all(following);
    await writer.close();
    for (const [wish, expected] of wishes) same(await readAll(store, "s", wish), expected, JSON.stringify(wish));
    same(await readAll(store, "s", { offset: 301, limit: 2, includeSilent: true }), wishes[1][1].slice(301, 303));
  },

  async "big events and big batches are kept"({ store }) {
    const list = events("s", 1, 3000);
    list[1500].data.delta = "x".repeat(3_000_000);
    list[1500].raw = { big: "y".repeat(3_000_000) };
    await keep(store, "s", list);
    same(await readAll(store, "s", { includeRaw: true }), list);
    same(await readAll(store, "s", { offset: 1501, limit: 2 }), bare(list.slice(1501, 1503)));
  },

  async "calls that do not wait for each other are written in their order"({ store }) {
    const writer = await store.open("s");
    await Promise.all(events("s", 1, 500).map((event) => writer.append([event])));
    same(writer.lastSequence, 500);
    same(sequences(await readAll(store, "s")), range(1, 500));
  },

  async "a list may be used again as soon as it was appended"({ store }) {
    const writer = await store.open("s");
    await writer.append(events("s", 1, 1));
    const followed = take(store.subscribe("s"), () => false);
    await pause(50);
    const buffer = [];
    const written = [];
    for (const event of [...events("s", 2, 9), ending("s", 10)]) {
      buffer.push(event);
      written.push(writer.append(buffer));
      buffer.length = 0;
    }
    await Promise.all(written);
    same(sequences(await followed), range(1, 10));
  },

  async "a session goes on where its last writer stopped"({ store }) {
    await keep(store, "s", events("s", 1, 10));
    const writer = await store.open("s");
    same(writer.lastSequence, 10);
    await writer.append(events("s", 11, 20));
    same(await readAll(store, "s", { includeRaw: true }), events("s", 1, 20));
  },

  async "a session has one writer at a time"({ store, again }) {
    const writer = await store.open("s");
    await refused("session_busy", () => store.open("s"));
    const other = await again?.();
    if (other !== undefined) await refused("session_busy", () => other.open("s"));
    await writer.append(events("s", 1, 2));
    await writer.close();
    await writer.close();
    await refused("writer_closed", () => writer.append(events("s", 3, 3)));
    await refused("writer_closed", () => writer.describe({}));
    const next = await (other ?? store).open("s");
    same(next.lastSequence, 2);
    await next.close();
  },

  async "of many that want to write a session, one at most gets it"({ store, again }) {
    const stores = [store, (await again?.()) ?? store];
    const attempts = range(1, 10).map((index) => stores[index % 2].open("s"));
    const results = await Promise.allSettled(attempts);
    const writers = results.filter(({ status }) => status === "fulfilled");
    if (writers.length > 1) throw new Error(`${writers.length} writers`);
    for (const { reason } of results.filter(({ status }) => status === "rejected")) same(reason.code, "session_busy");
    for (const { value } of writers) await value.close();
    await (await store.open("s")).close();
  },

  async "a hole, a repetition and another session's event are refused, and cost nothing"({ store }) {
    const writer = await store.open("s");
    await refused("wrong_sequence", () => writer.append(events("s", 2, 3)));
    await writer.append(events("s", 1, 3));
    await refused("wrong_sequence", () => writer.append(events("s", 3, 4)));
    await refused("wrong_sequence", () => writer.append([...events("s", 4, 4), ...events("s", 6, 6)]));
    await refused("wrong_session", () => writer.append(events("t", 4, 4)));
    await writer.append([]);
    await writer.append(events("s", 4, 5));
    same(sequences(await readAll(store, "s")), range(1, 5));
  },

  async "what is known of a session needs no reading"({ store }) {
    const before = Date.now();
    const writer = await store.open("s", { agent: "claude", metadata: { cwd: "/project", title: "first" } });
    same((await store.info("s")).lastSequence, 0);
    await writer.append(events("s", 1, 3));
    await writer.describe({ title: "second", nasty });
    const { createdAt, updatedAt, bytes, ...rest } = await store.info("s");
    same(rest.metadata, { cwd: "/project", title: "second", nasty });
    same([rest.sessionId, rest.agent, rest.lastSequence, rest.ended], ["s", "claude", 3, false]);
    if (createdAt < before - 2000 || updatedAt < createdAt - 2000 || !(bytes > 0)) {
      throw new Error(`created ${createdAt}, updated ${updatedAt}, ${bytes} bytes`);
    }
    await writer.append([ending("s", 4)]);
    same((await store.info("s")).ended, true);
    await writer.close();
    await (await store.open("s", { metadata: { more: 1 } })).close();
    const later = await store.info("s");
    same(later.metadata, { cwd: "/project", title: "second", nasty, more: 1 });
    same([later.createdAt, later.agent], [createdAt, "claude"]);
    same(await store.info("t"), undefined);
  },

  async "what is kept with a session while it is written takes nothing from either"({ store }) {
    const writer = await store.open("s");
    const calls = [];
    for (const number of range(1, 20)) {
      calls.push(writer.append(events("s", number, number)));
      // Until it is being written.
      for (let turn = 0; turn < 5; turn += 1) await undefined;
      calls.push(writer.describe({ [`fact ${number}`]: number }));
    }
    calls.push(writer.close());
    await Promise.all(calls);
    const { lastSequence, metadata } = await store.info("s");
    const next = await store.open("s");
    same([lastSequence, next.lastSequence], [20, 20]);
    same(metadata, Object.fromEntries(range(1, 20).map((number) => [`fact ${number}`, number])));
  },

  async "what cannot be kept with a session is refused, and the session goes on"({ store }) {
    const writer = await store.open("s");
    await writer.describe({ first: 1 });
    const circle = {};
    circle.circle = circle;
    const unkept = Object.assign(() => {}, { toJSON: () => unkept.missing.text });
    for (const value of [circle, 1n, unkept]) await refused("bad_input", () => writer.describe({ value }));
    for (const none of [undefined, null, "text"]) await refused("bad_input", () => writer.describe(none));
    const later = { second: 2 };
    const described = writer.describe(later);
    later.second = 3;
    await described;
    await writer.append(events("s", 1, 3));
    await writer.close();
    const { lastSequence, metadata } = await store.info("s");
    same([lastSequence, metadata], [3, { first: 1, second: 2 }]);
  },

  async "sessions are listed, the last written first"({ store }) {
    same(await store.list(), []);
    for (const sessionId of ["a", "b", "c", "d"]) {
      await keep(store, sessionId, events(sessionId, 1, 2));
      await pause(15);
    }
    await keep(store, "b", events("b", 3, 3));
    const ids = async (options) => (await store.list(options)).map(({ sessionId }) => sessionId);
    same(await ids(), ["b", "d", "c", "a"]);
    same(await ids({ limit: 2 }), ["b", "d"]);
    same(await ids({ offset: 1, limit: 2 }), ["d", "c"]);
    same(await ids({ offset: 4 }), []);
    same((await store.list())[0], await store.info("b"));
  },

  async "any string is a session id"({ store }) {
    const ids = ["", ".", "..", "../../x", "/etc/passwd", "a/b", "a\\b", "A", "a", "%", "%0041", "%%", "nul\u0000byte"];
    ids.push("half \ud800", "'; drop table x; --", "long".repeat(300), "long".repeat(301), "\u00e9", "e\u0301", "con");
    for (const [index, id] of ids.entries()) await keep(store, id, events(id, 1, index + 1, { raw: false }));
    for (const [index, id] of ids.entries()) {
      same((await readAll(store, id)).length, index + 1, JSON.stringify(id));
      same((await store.info(id)).sessionId, id);
    }
    same((await store.list()).map(({ sessionId }) => sessionId).sort(), [...ids].sort());
    for (const id of ids) await store.delete(id);
    same(await store.list(), []);
  },

  async "a session that is not there is refused"({ store }) {
    await refused("unknown_session", () => readAll(store, "s"));
    await refused("unknown_session", () => take(store.subscribe("s"), () => true));
    await refused("unknown_session", () => store.delete("s"));
  },

  async "a session is deleted once nobody writes it; its subscribers hear of it"({ store }) {
    const writer = await store.open("s");
    await writer.append(events("s", 1, 3));
    await refused("session_busy", () => store.delete("s"));
    await writer.close();
    const following = take(store.subscribe("s"), () => false);
    await pause(50);
    await Promise.all([refused("unknown_session", () => following), store.delete("s")]);
    await refused("unknown_session", () => readAll(store, "s"));
    const fresh = await store.open("s");
    same(fresh.lastSequence, 0);
    await fresh.close();
  },

  async "who joins late gets what was, then what comes, with no hole and no double"({ store, again }) {
    const writer = await store.open("s");
    const readers = [store, (await again?.()) ?? store];
    const following = [];
    for (let from = 1; from <= 4000; from += 40) {
      await writer.append(events("s", from, from + 39));
      if (from % 400 === 1) {
        const offset = from % 800 === 1 ? 0 : from - 20;
        const done = ({ sequence }) => sequence === 4000;
        const subscription = readers[following.length % 2].subscribe("s", { offset, buffer: 16 });
        following.push(take(subscription, done).then((taken) => same(sequences(taken), range(offset + 1, 4000))));
      }
      if (from % 120 === 1) await pause(1);
    }
    await Promise.all(following);
  },

  async "who follows misses nothing when the writer changes hands"({ store, again }) {
    const other = await again?.();
    if (other === undefined) return;
    for (let round = 0; round < 5; round += 1) {
      const id = `s${round}`;
      const writer = await other.open(id);
      await writer.append(events(id, 1, 5));
      const taken = [];
      const following = take(store.subscribe(id), ({ sequence }) => taken.push(sequence) === 12);
      while (taken.length < 5) await pause(5);
      await writer.append(events(id, 6, 10));
      await writer.close();
      const next = await store.open(id);
      if (round % 2 === 0) while (taken.length < 10) await pause(5);
      await next.append(events(id, 11, 12));
      same(sequences(await following), range(1, 12));
      await next.close();
    }
  },

  async "live events have their native objects if asked for"({ store, again }) {
    const writer = await store.open("s");
    await writer.append(events("s", 1, 5));
    const readers = [store, (await again?.()) ?? store];
    const end = ({ sequence }) => sequence === 40;
    const following = readers.flatMap((reader) => [
      take(reader.subscribe("s", { includeRaw: true }), end),
      take(reader.subscribe("s"), end),
    ]);
    await pause(100);
    for (let from = 6; from <= 40; from += 5) await writer.append(events("s", from, from + 4));
    const list = events("s", 1, 40);
    const [raw, plain, rawThere, plainThere] = await Promise.all(following);
    same(raw, list);
    same(plain, bare(list));
    same(rawThere, list);
    same(plainThere, bare(list));
  },

  async "a subscription ends with its session"({ store, again }) {
    const writer = await store.open("s");
    await writer.append(events("s", 1, 2));
    const readers = [store, (await again?.()) ?? store];
    const following = readers.map((reader) => take(reader.subscribe("s"), () => false));
    await pause(50);
    await writer.append([ending("s", 3)]);
    for (const taken of await Promise.all(following)) same(sequences(taken), [1, 2, 3]);
    same(sequences(await take(store.subscribe("s", { offset: 1 }), () => false)), [2, 3]);
    same(await take(store.subscribe("s", { offset: 3 }), () => false), []);
  },

  async "a subscriber that never reads holds nobody up"({ store }) {
    const writer = await store.open("s");
    await writer.append(events("s", 1, 1));
    const idle = ["wait", "coalesce", "drop"].map((overflow) => store.subscribe("s", { overflow }));
    for (const subscription of idle) await subscription.next();
    const waiting = idle.map((subscription) => subscription.next());
    const eager = take(store.subscribe("s"), ({ sequence }) => sequence === 3001);
    for (let from = 2; from <= 3001; from += 100) await writer.append(events("s", from, from + 99));
    same(sequences(await eager), range(1, 3001));
    same(
      (await Promise.all(waiting)).map(({ value }) => value.sequence),
      [2, 2, 2],
    );
    for (const subscription of idle) await subscription.return();
  },

  async "who is too slow and waits misses nothing"({ store }) {
    const writer = await store.open("s");
    await writer.append(events("s", 1, 1));
    const subscription = store.subscribe("s", { buffer: 8, includeRaw: true });
    const taken = [(await subscription.next()).value];
    for (let from = 2; from <= 1001; from += 10) {
      await writer.append(events("s", from, from + 9));
      if (from % 50 === 2) taken.push((await subscription.next()).value);
    }
    taken.push(...(await take(subscription, ({ sequence }) => sequence === 1001)));
    same(taken, events("s", 1, 1001));
  },

  async "who is too slow and drops sees where, how much, and finds it in the store"({ store }) {
    const writer = await store.open("s");
    await writer.append(events("s", 1, 1));
    const subscription = store.subscribe("s", { buffer: 8, overflow: "drop" });
    await subscription.next();
    const next = subscription.next();
    await pause(50);
    await writer.append(events("s", 2, 2));
    await next;
    await writer.append(events("s", 3, 20));
    const taken = await Promise.all(range(1, 9).map(() => subscription.next()));
    const gap = { type: "gap", session_id: "s", from: 11, to: 20, dropped: 10 };
    same(
      taken.map(({ value }) => value),
      [...bare(events("s", 3, 10)), gap],
    );
    same(await readAll(store, "s", { offset: gap.from - 1, limit: gap.to - gap.from + 1 }), bare(events("s", 11, 20)));
    await writer.append([...events("s", 21, 39), ending("s", 40)]);
    const rest = await take(subscription, () => false);
    same(rest.slice(0, 8), bare(events("s", 21, 28)));
    same(rest.slice(8), [{ type: "gap", session_id: "s", from: 29, to: 39, dropped: 21 }, ending("s", 40)]);
  },

  async "who is too slow and coalesces gets every letter in fewer events"({ store }) {
    const writer = await store.open("s");
    await writer.append(events("s", 1, 1));
    const subscription = store.subscribe("s", { buffer: 8, overflow: "coalesce" });
    const taken = [(await subscription.next()).value];
    const list = events("s", 2, 2001);
    for (let from = 0; from < list.length; from += 20) await writer.append(list.slice(from, from + 20));
    await writer.append([ending("s", 2002)]);
    taken.push(...(await take(subscription, () => false)));
    const text = (all) => all.map(({ data }) => data.delta ?? "").join("");
    same(text(taken), text(list));
    if (taken.length > 200) throw new Error(`${taken.length} events`);
    same(taken.at(-1).type, "session.ended");
    if (taken.some(({ sequence }, index) => index > 0 && sequence <= taken[index - 1].sequence)) {
      throw new Error("sequences go back");
    }
  },

  async "a subscription can be stopped at any time"({ store }) {
    const writer = await store.open("s");
    await writer.append(events("s", 1, 300));
    const stop = new AbortController();
    const taken = [];
    const following = (async () => {
      for await (const event of store.subscribe("s", { signal: stop.signal })) taken.push(event);
    })();
    while (taken.length < 300) await pause(5);
    stop.abort();
    const error = await following.catch((thrown) => thrown);
    same(error?.name, "AbortError");
    await writer.append(events("s", 301, 301));
    same(taken.length, 300);
    const aborted = AbortSignal.abort();
    same(
      (await take(store.subscribe("s", { signal: aborted }), () => true).catch((thrown) => thrown)).name,
      "AbortError",
    );
    same((await readAll(store, "s", { signal: aborted }).catch((thrown) => thrown)).name, "AbortError");
  },

  async "closing the store closes its writers and ends its subscriptions"({ store, again }) {
    const writer = await store.open("s");
    await writer.append(events("s", 1, 3));
    const following = take(store.subscribe("s"), () => false);
    await pause(50);
    const pending = writer.append(events("s", 4, 9));
    await store.close();
    await pending;
    same(sequences(await following), range(1, 9));
    const other = await again?.();
    if (other === undefined) return;
    const next = await other.open("s");
    same(next.lastSequence, 9);
    await next.close();
  },

  async "a limit that is no number removes nothing, and is refused"({ store, prune }) {
    await keep(store, "a", events("a", 1, 3));
    for (const limit of [Number.NaN, null, "7", -1]) {
      for (const name of ["maxAge", "maxSessions", "maxBytes"]) {
        await refused("bad_options", () => prune(store, { [name]: limit }));
      }
    }
    same(await prune(store, { maxAge: undefined, maxSessions: Number.POSITIVE_INFINITY }), []);
    same((await store.info("a")).lastSequence, 3);
  },

  async "old sessions are let go, those that are written are kept"({ store, prune }) {
    for (const sessionId of ["a", "b", "c", "d"]) {
      await keep(store, sessionId, events(sessionId, 1, 2));
      await pause(15);
    }
    const writer = await store.open("a");
    same(await prune(store, { maxSessions: 10, maxAge: 60_000, maxBytes: 1_000_000 }), []);
    same(await prune(store, { maxSessions: 2 }), ["b"]);
    same(await prune(store, { maxBytes: (await store.info("d")).bytes + 10 }), ["c"]);
    same((await prune(store, { maxAge: 1000 }, Date.now() + 60_000)).includes("d"), true);
    same(
      (await store.list()).map(({ sessionId }) => sessionId),
      ["a"],
    );
    await writer.close();
  },
};
