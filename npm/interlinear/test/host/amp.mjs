#!/usr/bin/env node
// Speaks as Amp does: it shows what it was told, but for what it is told to be quick about, and takes every end well.
import { createInterface } from "node:readline";

if (process.argv.includes("--version")) {
  console.log("0.0.1776788459-gfad969");
  process.exit(0);
}
process.on("SIGTERM", () => process.exit(0));
const print = (line) => process.stdout.write(`${JSON.stringify({ ...line, session_id: "T-1" })}\n`);
print({ type: "system", subtype: "init", cwd: process.cwd(), tools: [], mcp_servers: [] });
for await (const line of createInterface({ input: process.stdin })) {
  const { message } = JSON.parse(line);
  if (message.content[0].text !== "quick") print({ type: "user", message });
  const content = [{ type: "text", text: "Good day." }];
  print({ type: "assistant", message: { role: "assistant", content, stop_reason: "end_turn" } });
}
