// The client against servers that misbehave.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { Client, ClientError } from "interlinear/client";
import { bare, ending, events, nasty, range, sequences } from "../store/story.mjs";
import { until } from "./running.mjs";

/** A server that answers the n-th request with the n-th function; the last one stays. */
async function serve(answers, run) {
  const asked = [];
  const server = createServer((request, response) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)];
    asked.push(request);
    answer(response, request);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await run(new Client({ baseUrl: `http://127.0.0.1:${server.address().port}/`, token: "t" }), asked);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const frame = (event) => `id: ${event.sequence}\ndata: ${JSON.stringify(event)}\n\n`;
const frames = (from, to) =>
  bare(events("s", from, to))
    .map(frame)
    .join("");
const stream = (text) => (response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(text);
};
/** Sends, then cuts the connection. */
const cut = (text) => (response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(text, () => response.destroy());
};
const status =
  (code, body = "") =>
  (response) =>
    response.writeHead(code).end(body);
const end = frame(ending("s", 10));

test("connections that break, anywhere, are made anew, and nothing is missing or double", async () => {
  const whole = frames(1, 9) + end;
  const answers = [
    cut(frames(1, 2) + frame(events("s", 3, 3)[0]).slice(0, 60)),
    status(503),
    (response) => response.destroy(),
    stream(frames(2, 4)),
    stream(frames(6, 7)),
    cut(frames(5, 5)),
    stream(whole),
  ];
  await serve(answers, async (client, asked) => {
    const got = await until(client.streamEvents("s"), () => false);
    assert.deepEqual(sequences(got), range(1, 10));
    const offsets = asked.map(({ headers }) => Number(headers["last-event-id"]));
    assert.deepEqual(offsets, [0, 2, 2, 2, 4, 4, 5]);
    assert.ok(asked.every(({ headers }) => headers.authorization === "Bearer t"));
  });
});

test("a stream may be cut into any pieces, with any line ends", async () => {
  const list = bare(events("s", 1, 9, { text: () => nasty }));
  const text = `\ufeff: hello\r\n\r\n${list.map(frame).join("").replaceAll("\n", "\r\n")}${end}`;
  const bytes = Buffer.from(text);
  for (const size of [1, 7, 64]) {
    const drip = async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (let at = 0; at < bytes.length; at += size) {
        response.write(bytes.subarray(at, at + size));
        if (at % 350 < size) await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    };
    await serve([drip], async (client) => {
      assert.deepEqual(await until(client.streamEvents("s"), () => false), [...list, ending("s", 10)]);
    });
  }
});

test("an event of megabytes costs no more for coming in small pieces", async () => {
  const long = (length) => {
    const event = { ...ending("s", 1), data: { reason: "error", terminated_by: "agent", message: "x".repeat(length) } };
    return new TextEncoder().encode(frame(event));
  };
  const read = async (bytes) => {
    const pieces = function* () {
      for (let at = 0; at < bytes.length; at += 4096) yield bytes.subarray(at, at + 4096);
    };
    const headers = { "content-type": "text/event-stream" };
    const client = new Client({
      baseUrl: "http://127.0.0.1:1",
      fetch: async () => new Response(ReadableStream.from(pieces()), { headers }),
    });
    const began = process.cpuUsage().user;
    const [event] = await until(client.streamEvents("s"), () => false);
    return { took: process.cpuUsage().user - began, length: event.data.message.length };
  };
  await read(long(1e6));
  const [one, eight] = [await read(long(1e6)), await read(long(8e6))];
  assert.equal(eight.length, 8e6);
  assert.ok(
    eight.took < Math.max(one.took, 50_000) * 24,
    `${one.took} µs for one megabyte, ${eight.took} µs for eight`,
  );
});

test("one signal stops any number of streams, and Node warns of nothing", async (t) => {
  const warnings = [];
  const listen = (warning) => warnings.push(warning);
  process.on("warning", listen);
  t.after(() => process.off("warning", listen));
  await serve([cut(frames(1, 2)), status(503)], async (client) => {
    const stop = new AbortController();
    const streams = Array.from({ length: 12 }, () =>
      until(client.streamEvents("s", { signal: stop.signal }), () => false),
    );
    await new Promise((resolve) => setTimeout(resolve, 200));
    stop.abort(new Error("enough"));
    for (const stream of streams) await assert.rejects(stream, /enough/);
  });
  assert.deepEqual(warnings, []);
});

test("gaps are told, and not taken for events", async () => {
  const gap = { type: "gap", session_id: "s", from: 3, to: 8, dropped: 6 };
  const text = `${frames(1, 2)}event: gap\nid: 8\ndata: ${JSON.stringify(gap)}\n\n${frames(9, 9)}${end}`;
  await serve([stream(text)], async (client, asked) => {
    const gaps = [];
    const options = { overflow: "drop", onGap: (told) => gaps.push(told) };
    assert.deepEqual(sequences(await until(client.streamEvents("s", options), () => false)), [1, 2, 9, 10]);
    assert.deepEqual(gaps, [gap]);
    assert.match(asked[0].url, /overflow=drop/);
  });
});

test("a session that has ended meanwhile ends the stream", async () => {
  await serve([stream(frames(1, 9) + end), status(204)], async (client) => {
    assert.deepEqual(await until(client.streamEvents("s", { offset: 10 }), () => false), []);
  });
});

test("what a server refuses for good is thrown, with its problem", async () => {
  const body = JSON.stringify({ code: "unknown_session", detail: "no such session", cure: "Look.", status: 404 });
  await serve([status(404, body)], async (client, asked) => {
    const expected = {
      name: "ClientError",
      code: "unknown_session",
      cure: "Look.",
      status: 404,
      message: "no such session",
    };
    await assert.rejects(
      until(client.streamEvents("s"), () => false),
      expected,
    );
    await assert.rejects(client.getSession("s"), expected);
    assert.equal(asked.length, 2);
  });
  await serve([status(502, "<html>")], async (client) => {
    await assert.rejects(client.health(), { code: "refused", status: 502 });
  });
});

test("a server that is not there is named", async () => {
  const client = new Client({ baseUrl: "http://127.0.0.1:1" });
  await assert.rejects(client.health(), (error) => error instanceof ClientError && error.code === "unreachable");
  const stop = AbortSignal.timeout(300);
  await assert.rejects(
    until(client.streamEvents("s", { signal: stop }), () => false),
    { name: "TimeoutError" },
  );
});

test("an answer that is none of this server's is an error with a code, and no stream waits for another", async () => {
  const page = (response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>");
  const wrong = { name: "ClientError", code: "refused", status: 200, cure: /address/ };
  await serve([page], async (client, asked) => {
    await assert.rejects(client.agents(), wrong);
    await assert.rejects(client.createSession("s", { agent: "claude" }), wrong);
    await assert.rejects(
      until(client.streamTurn("s", "hello"), () => false),
      wrong,
    );
    await assert.rejects(
      until(client.streamEvents("s", { signal: AbortSignal.timeout(2000) }), () => false),
      wrong,
    );
    assert.equal(asked.length, 4);
  });
});

test("a server that is none of ours is not taken for one that has done what was asked", async () => {
  const page = (response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>");
  const wrong = { name: "ClientError", code: "refused", status: 200, cure: /address/ };
  await serve([page], async (client) => {
    await assert.rejects(client.sendMessage("s", "hello"), wrong);
    await assert.rejects(client.replyPermission("s", "p", "accept"), wrong);
    await assert.rejects(client.replyQuestion("s", "q", [["red"]]), wrong);
    await assert.rejects(client.rejectQuestion("s", "q"), wrong);
    await assert.rejects(client.interrupt("s"), wrong);
    await assert.rejects(client.terminate("s"), wrong);
    await assert.rejects(client.deleteSession("s"), wrong);
  });
  await serve([status(200, "null")], (client) => assert.rejects(client.getEvents("s"), wrong));
});

test("the problem of another server, a proxy for one, is told by its status", async () => {
  const told = { code: "refused", status: 403, message: "the server answered with status 403", cure: /address/ };
  for (const body of ["{}", '{"message":"Forbidden"}', "null", "5", '"no"', "<html>"]) {
    await serve([status(403, body)], (client) => assert.rejects(client.health(), told, body));
  }
});

test("an answer that breaks off is an error with a code", async () => {
  const half = (response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": 100 });
    response.write("{", () => response.destroy());
  };
  const broken = { name: "ClientError", code: "unreachable", message: /broke off/ };
  await serve([half, cut(frames(1, 2))], async (client) => {
    await assert.rejects(client.agents(), broken);
    const got = [];
    const reading = async () => {
      for await (const event of client.streamTurn("s", "hello")) got.push(event);
    };
    await assert.rejects(reading(), broken);
    assert.deepEqual(sequences(got), [1, 2]);
  });
});

test("what can be no address is refused before it is called", async () => {
  for (const baseUrl of ["localhost:2468", "ftp://127.0.0.1", undefined]) {
    assert.throws(() => new Client({ baseUrl }), { code: "bad_options", cure: /http:\/\// });
  }
  for (const baseUrl of ["127.0.0.1:2468", "", "/api"]) {
    const client = new Client({ baseUrl });
    await assert.rejects(client.health(), { code: "bad_options", cure: /http:\/\// });
    await assert.rejects(client.streamEvents("s").next(), { code: "bad_options" });
  }
  const baseUrl = "http://127.0.0.1:1";
  for (const token of ["two\nlines", "\ufefft", "…"]) {
    await assert.rejects(new Client({ baseUrl, token }).health(), { code: "bad_options", message: /token/ });
    await assert.rejects(new Client({ baseUrl, token }).streamEvents("s").next(), { code: "bad_options" });
  }
  // As a file may have it, whose last line has an end.
  await assert.rejects(new Client({ baseUrl, token: "t\n" }).health(), { code: "unreachable" });
  // Who brings a `fetch` knows what it takes.
  const own = new Client({ baseUrl: "/api", fetch: async (address) => Response.json({ address }) });
  assert.deepEqual(await own.health(), { address: "/api/v1/health" });
  await serve([status(200, "{}")], async (client, asked) => {
    for (const id of ["", ".", "..", "\ud800"]) {
      await assert.rejects(client.getSession(id), { code: "bad_options", message: /session/ });
      await assert.rejects(client.deleteSession(id), { code: "bad_options" });
      await assert.rejects(client.streamEvents(id).next(), { code: "bad_options" });
      await assert.rejects(client.replyPermission("s", id, "once"), { code: "bad_options" });
    }
    assert.equal(asked.length, 0);
  });
});

test("a call can be stopped", async () => {
  await serve([() => undefined], async (client) => {
    await assert.rejects(client.health({ signal: AbortSignal.timeout(100) }), { name: "TimeoutError" });
  });
});
