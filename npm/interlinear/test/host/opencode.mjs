#!/usr/bin/env node
// Speaks as OpenCode's server does: requests, and a stream of events for each folder. For the tests of shared servers.
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";

if (process.argv.includes("--version")) {
  console.log("1.18.33");
  process.exit(0);
}
const log = (what) => appendFileSync(process.env.FAKE_LOG, `${what}\n`);
log("started");

const streams = new Set();
let sessions = 0;
let messages = 0;
let told = 0;

function tell(directory, type, properties) {
  told += 1;
  const frame = `data: ${JSON.stringify({ id: `evt_${process.pid}_${told}`, type, properties })}\n\n`;
  for (const stream of streams) if (stream.directory === directory) stream.response.write(frame);
}

function turn(directory, sessionID, words) {
  messages += 1;
  const time = { created: Date.now() };
  const user = { id: `msg_${process.pid}_${messages}a`, sessionID, role: "user", time, agent: "build" };
  tell(directory, "message.updated", { sessionID, info: user });
  tell(directory, "message.part.updated", {
    sessionID,
    part: { id: `prt_${user.id}`, sessionID, messageID: user.id, type: "text", text: words },
  });
  tell(directory, "session.status", { sessionID, status: { type: "busy" } });
  if (words === "crash") process.kill(process.pid, "SIGKILL");
  const info = {
    ...user,
    id: `msg_${process.pid}_${messages}b`,
    role: "assistant",
    parentID: user.id,
    modelID: "m",
    providerID: "p",
  };
  tell(directory, "message.updated", { sessionID, info });
  const part = {
    id: `prt_${info.id}`,
    sessionID,
    messageID: info.id,
    type: "text",
    text: `${sessionID} heard ${words}`,
  };
  tell(directory, "message.part.updated", { sessionID, part: { ...part, time: { start: 1, end: 2 } } });
  tell(directory, "message.updated", {
    sessionID,
    info: { ...info, time: { ...time, completed: Date.now() }, finish: "stop" },
  });
  tell(directory, "session.status", { sessionID, status: { type: "idle" } });
  tell(directory, "session.idle", { sessionID });
}

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://server");
  const directory = searchParams.get("directory");
  const password = Buffer.from(`opencode:${process.env.OPENCODE_SERVER_PASSWORD}`).toString("base64");
  if (request.headers.authorization !== `Basic ${password}`) return response.writeHead(401).end();
  let body = "";
  for await (const chunk of request) body += chunk;
  const send = (status, value) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(value === undefined ? undefined : JSON.stringify(value));
  };
  if (pathname !== "/path") log(`${request.method} ${pathname.replace(/ses_\w+/, "ID")}`);
  if (pathname === "/event") {
    if (process.env.FAKE_SILENT === "events") return;
    response.writeHead(200, { "content-type": "text/event-stream" });
    streams.add({ directory, response });
    response.write(`data: ${JSON.stringify({ type: "server.connected", properties: {} })}\n\n`);
    return;
  }
  if (pathname === "/session" && request.method === "POST") {
    sessions += 1;
    const info = { id: `ses_${process.pid}x${sessions}`, title: "", directory, time: { created: Date.now() } };
    tell(directory, "session.created", { sessionID: info.id, info });
    return send(200, info);
  }
  const [, , id, verb] = pathname.split("/");
  if (verb === "prompt_async") {
    send(204);
    return turn(directory, id, JSON.parse(body).parts[0].text);
  }
  if (pathname.startsWith("/session/")) return send(200, { id, title: "", directory });
  send(200, {});
});
server.listen(0, "127.0.0.1", () => {
  if (process.env.FAKE_SILENT === "start") return;
  console.log(`opencode server listening on http://127.0.0.1:${server.address().port}`);
});
