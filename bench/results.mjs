// The measurements as tables, each number beside its target.

/** The columns: a title, where the number comes from, and the targets on bulk and on delta-heavy sessions. */
const columns = [
  { title: "native", from: "native", bulk: 1.0, delta: 0.4 },
  { title: "Node module", from: "napi.events", bulk: 0.9, delta: 0.5 },
  { title: "WASM in Node", from: "wasm.events", bulk: 1.2, delta: 0.7 },
  { title: "WASM in Chromium", from: "chromium.events", bulk: 1.5, delta: 0.8 },
  { title: "relay, Node module", from: "napi.relay", bulk: 0.5, delta: 0.5 },
  { title: "relay, WASM", from: "wasm.relay", bulk: 0.8, delta: 0.8 },
  { title: "plain JavaScript", from: "napi.plain" },
];

const growthTarget = 1.1;
const firstTarget = 15;

/** Memory that does not grow with a session may still move by this much: garbage that is not collected yet. */
const flat = 32 * 1024 * 1024;

const names = { claude: "Claude Code", codex: "Codex", opencode: "OpenCode", amp: "Amp", pi: "Pi" };
const kinds = { bulk: "bulk", delta: "delta-heavy" };

/** The table that the README shows too. */
export function ratioTable({ rows }) {
  const targets = Object.entries(kinds).map(([kind, name]) => [
    "*target*",
    `*${name}*`,
    ...columns.map((column) => (column[kind] === undefined ? "" : `*≤ ${column[kind].toFixed(1)}*`)),
  ]);
  const body = rows.map((row) => [
    names[row.agent],
    kinds[row.kind],
    ...columns.map((column) => judged(valueAt(row, column.from), column[row.kind])),
  ]);
  return table(["agent", "session", ...columns.map(({ title }) => title)], [...targets, ...body]);
}

/** The whole file. */
export function document(measured) {
  const { growth, firsts, starts, lines } = measured;
  const grown = growth.map(({ agent, backend, cost, memory, state }) => [
    names[agent],
    backend === "native" ? "Node module" : "WASM",
    judged(cost, growthTarget),
    `${signed((memory.last - memory.first) / 1024 / 1024)} MB ${mark(memory.last - memory.first <= flat)}`,
    `${state.toFixed(0)} B`,
  ]);
  const begun = firsts.map(({ agent, init, event }) => [
    names[agent],
    init.toFixed(1),
    `${event.toFixed(1)} ${mark(event <= firstTarget)}`,
  ]);
  return `# How fast it is

\`npm run bench\` writes this file. Every number is a ratio within one run on one machine, so that it says the same on
another; lower is better. ✓ and ✗ say whether it meets its target.

In JavaScript every session is read twice, and the second time counts: by then the engine has compiled what is used. Each
is measured in three processes (or pages) of its own, of which the median counts.

The sessions are the real recordings of \`tests/fixtures\`, repeated and joined with fresh identifiers. *Delta-heavy* ones
stream every text in hundreds of short deltas. Amp shows no deltas.

- **native**: the core as a crate in a program of Rust: bytes in, bytes of events out, against \`serde_json::from_str::<Value>\` of the same lines.
- **Node module**, **WASM**: bytes in, event objects out, against \`JSON.parse\` of every line on ready-made strings in the
  same process: the least that any program in JavaScript pays to read them.
  The Node module is compiled by a profile (\`npm run profile\`) that was measured on sessions made of these same recordings;
  the hints in the WASM module come from the same. Both help with others as much: made of every second recording, they took
  10 to 19 % (profile) and 9 to 16 % (hints) off the time of the others, made of all 10 to 17 % and 7 to 16 %.
- **relay**: bytes in, bytes of events out, against the same \`JSON.parse\`.
- **plain JavaScript**: a converter for the common lines only (\`bench/plain\`), bytes in, event objects out, in Node, measured by itself.

${ratioTable(measured)}

## A session of ${lines.toLocaleString("en")} lines

What a line costs in the last tenth of the session against the same line in a session that has just begun, read beside
it (target ≤ ${growthTarget}), and how much memory the process gained between the second tenth and the last. Of an item
that is over, a hash of its identifier is kept: what is sent again makes no double. The last column is the whole state at
the end, by the number of items that were.

${table(["agent", "build", "cost of a line", "memory", "state of an item"], grown)}

## The first event

In a Chromium with empty caches, the module fetched from loopback, in milliseconds: how long \`init()\` takes, and how long
after it the first line has become events (target ≤ ${firstTarget}). Each is the quickest of ${starts} starts: what else the machine
does only adds.

${table(["agent", "`init()`", "first event after it"], begun)}
`;
}

/** What was not met, in words. */
export function missed({ rows, growth, firsts }) {
  const ratios = rows.flatMap((row) =>
    columns
      .filter((column) => valueAt(row, column.from) > (column[row.kind] ?? Number.POSITIVE_INFINITY))
      .map((column) => `${row.agent} ${row.kind}: ${column.title} ${valueAt(row, column.from).toFixed(2)}`),
  );
  const costs = growth
    .filter(({ cost, memory }) => cost > growthTarget || memory.last - memory.first > flat)
    .map(({ agent, backend, cost }) => `${agent}: growth, ${backend} ${cost.toFixed(2)}`);
  const late = firsts
    .filter(({ event }) => event > firstTarget)
    .map(({ agent, event }) => `${agent}: first event ${event.toFixed(1)} ms`);
  return [...ratios, ...costs, ...late];
}

const valueAt = (row, from) => from.split(".").reduce((value, key) => value?.[key], row);

function judged(value, target) {
  if (value === undefined) return "";
  return target === undefined ? value.toFixed(2) : `${value.toFixed(2)} ${mark(value <= target)}`;
}

const mark = (met) => (met ? "✓" : "✗");
const signed = (number) => `${number < 0 ? "−" : "+"}${Math.abs(number).toFixed(0)}`;

function table(head, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}
