// What a hostile agent, or a hostile file that an agent read, may try. Each would set `pwned` if it ran.
const run = "globalThis.pwned=true";

/** HTML and addresses that have run script somewhere, sometime. */
export const attacks = [
  `<script>${run}</script>`,
  `<img src=x onerror="${run}">`,
  `<img src="x" onerror=${run} `,
  `<svg onload="${run}"></svg>`,
  `<svg><script>${run}</script></svg>`,
  `<svg><animate onbegin="${run}" attributeName="x" dur="1s"/></svg>`,
  `<math><mtext><table><mglyph><style><img src=x onerror="${run}">`,
  `<iframe srcdoc="<script>parent.${run}</script>"></iframe>`,
  `<iframe src="javascript:parent.${run}"></iframe>`,
  `<object data="javascript:${run}"></object>`,
  `<embed src="javascript:${run}">`,
  `<details open ontoggle="${run}">x</details>`,
  `<body onload="${run}">`,
  `<input autofocus onfocus="${run}">`,
  `<video><source onerror="${run}"></video>`,
  `<a href="javascript:${run}">click</a>`,
  `<form action="javascript:${run}"><button>click</button></form>`,
  `<base href="https://evil.invalid/">`,
  `<link rel="stylesheet" href="https://evil.invalid/x.css">`,
  `<meta http-equiv="refresh" content="0;url=javascript:${run}">`,
  `<style>@import "https://evil.invalid/x.css";</style>`,
  `<noscript><p title="</noscript><img src=x onerror=${run}>">`,
  `"><script>${run}</script>`,
  `'" onmouseover="${run}" x="`,
  `</pre></code></textarea><script>${run}</script>`,
  `<!--><script>${run}</script>-->`,
  `<![CDATA[<script>${run}</script>]]>`,
  `[click](javascript:${run})`,
  `[click](JaVaScRiPt:${run})`,
  `[click](java\tscript:${run})`,
  `[click](&#106;avascript:${run})`,
  `[click](javascript&colon;${run})`,
  `[click](\u0001javascript:${run})`,
  `[click](data:text/html,<script>${run}</script>)`,
  `[click](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)`,
  `[click](vbscript:msgbox(1))`,
  `[click](blob:https://x/y)`,
  `[click](file:///etc/passwd)`,
  `[click](//evil.invalid/x)`,
  `[click](<javascript:${run}>)`,
  `<javascript:${run}>`,
  `[x]: javascript:${run}\n\n[x]`,
  `![x](javascript:${run})`,
  `![x](https://evil.invalid/track.png)`,
  `![x](data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" onload="${run}"/>)`,
  `![x](data:image/svg+xml;base64,PHN2Zy8+)`,
  `![x](data:text/html,<script>${run}</script>)`,
  `![x" onerror="${run}](https://evil.invalid/x.png "y' onload='${run}")`,
  `[x](https://ok.invalid/"onmouseover="${run})`,
  `\`\`\`"><script>${run}</script>\nx\n\`\`\``,
  `| <script>${run}</script> | [b](javascript:${run}) |\n|---|---|\n| <img src=x onerror=${run}> | c |`,
  `{{constructor.constructor('${run}')()}}`,
  `\${${run}}`,
  "\u202e\u2066drawkcab\u2069\u202c and \u0000\u001b[31mred\u001b[0m \u001b]8;;javascript:1\u0007link",
];

/** Texts that try the parser, not the browser. */
export const heavy = [
  ">".repeat(20_000),
  "[".repeat(20_000),
  "*a".repeat(10_000),
  `${"- ".repeat(5_000)}x`,
  "`".repeat(30_001),
  `${"![".repeat(5_000)}x${"](".repeat(5_000)}`,
  "|".repeat(20_000),
  "&".repeat(50_000),
  "<".repeat(50_000),
  "\n".repeat(50_000),
  `${"_".repeat(10_000)}a${"*".repeat(10_000)}`,
  Array.from({ length: 20 }, () => `${"_".repeat(2900)}a${"*".repeat(2900)}`).join("\n\n"),
  `${"a".repeat(100_000)}@`,
];

/** A session in which every text that can be shown is the attack. */
export function hostileSession(attack) {
  const events = [];
  const add = (type, data) => {
    const sequence = events.length + 1;
    events.push({
      event_id: `e${sequence}`,
      sequence,
      time: "2026-01-01T00:00:00.000Z",
      session_id: "hostile",
      native_session_id: attack,
      source: "agent",
      synthetic: false,
      type,
      data,
      raw: null,
    });
  };
  const item = (item_id, kind, content, more = {}) =>
    add("item.completed", { item: { item_id, kind, status: "completed", content, ...more } });
  add("session.started", { metadata: { agent: attack, cwd: attack, model: attack, title: attack } });
  add("turn.started", { phase: "started", turn_id: attack });
  item("user", "message", [{ type: "text", text: attack }], { role: "user" });
  item(
    "said",
    "message",
    [
      { type: "text", text: attack },
      { type: "reasoning", text: attack, visibility: "public" },
      { type: "image", path: attack, mime: attack },
      { type: "image", path: `data:image/png;base64,${attack}` },
      { type: "file_ref", path: attack, action: "patch", diff: `@@ -1 +1 @@\n-${attack}\n+${attack}` },
      { type: "json", json: { [attack]: attack } },
    ],
    { role: "assistant" },
  );
  item("call", "tool_call", [
    {
      type: "tool_call",
      name: attack,
      arguments: JSON.stringify({ a: attack }),
      call_id: "c",
      title: attack,
      tool_kind: "command",
    },
  ]);
  item("result", "tool_result", [
    { type: "tool_result", call_id: "c", output: attack, exit_code: 1, todos: [{ text: attack, status: "pending" }] },
    { type: "file_ref", path: attack, action: "patch", diff: attack },
  ]);
  item("mcp", "tool_call", [
    {
      type: "tool_call",
      name: attack,
      arguments: attack,
      call_id: "m",
      tool_kind: "mcp",
      mcp: { server: attack, tool: attack },
    },
  ]);
  item("mcp-result", "tool_result", [{ type: "tool_result", call_id: "m", output: attack }], { status: "failed" });
  item("task", "tool_call", [
    {
      type: "tool_call",
      name: attack,
      arguments: "",
      call_id: "t",
      tool_kind: "task",
      agent: { type: attack, name: attack },
    },
  ]);
  item("below", "message", [{ type: "text", text: attack }], {
    role: "assistant",
    parent_id: "task",
    agent_id: attack,
  });
  item("task-result", "tool_result", [{ type: "tool_result", call_id: "t", output: attack }]);
  item("status", "status", [{ type: "status", label: "notice", detail: attack }]);
  item("odd", "unknown", [{ type: "json", json: attack }]);
  item("system", "system", [{ type: "text", text: attack }]);
  add("permission.requested", { permission_id: attack, action: attack, title: attack, status: "requested" });
  add("question.requested", {
    question_id: attack,
    prompt: attack,
    options: [attack],
    status: "requested",
    questions: [{ text: attack, header: attack, options: [{ label: attack, description: attack }], free_text: true }],
  });
  add("error", { message: attack, code: attack });
  add("agent.unparsed", { error: attack, location: attack });
  add("turn.ended", {
    phase: "ended",
    turn_id: attack,
    metadata: { status: "failed", model: attack, stop_reason: attack },
  });
  add("session.ended", {
    reason: "error",
    terminated_by: "agent",
    message: attack,
    stderr: { truncated: false, head: attack },
  });
  return events;
}
