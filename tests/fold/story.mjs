// Events by hand, for the tests of fold: each call gives the next event of one session.

/** A session's events, numbered as the contract wants them. */
export function story(sessionId = "s1") {
  let sequence = 0;
  return function event(type, data, more = {}) {
    sequence += 1;
    return {
      event_id: `${sessionId}-${sequence}`,
      sequence,
      time: new Date(Date.UTC(2026, 0, 1) + sequence * 1000).toISOString(),
      session_id: sessionId,
      source: "agent",
      synthetic: false,
      type,
      data,
      raw: null,
      ...more,
    };
  };
}

/** An item's three events: its start, its deltas, its end. */
export function itemEvents(event, item, deltas = []) {
  const started = { ...item, status: "in_progress", content: item.content.map(emptied) };
  return [
    event("item.started", { item: started }),
    ...deltas.map((delta) => event("item.delta", { item_id: item.item_id, ...delta })),
    event("item.completed", { item: { status: "completed", ...item } }),
  ];
}

function emptied(part) {
  switch (part.type) {
    case "text":
    case "reasoning":
      return { ...part, text: "" };
    case "tool_call":
      return { ...part, arguments: "" };
    case "tool_result":
      return { ...part, output: "" };
    default:
      return part;
  }
}

export const message = (item_id, text, more = {}) => ({
  item_id,
  kind: "message",
  role: "assistant",
  content: [{ type: "text", text }],
  ...more,
});

export const call = (item_id, call_id, more = {}) => ({
  item_id,
  kind: "tool_call",
  content: [{ type: "tool_call", name: "Bash", arguments: '{"command":"ls"}', call_id }],
  ...more,
});

export const result = (item_id, call_id, output, more = {}) => ({
  item_id,
  kind: "tool_result",
  content: [{ type: "tool_result", call_id, output }],
  ...more,
});

export const status = (item_id, part, ...parts) => ({
  item_id,
  kind: "status",
  content: [{ type: "status", ...part }, ...parts],
});

/** Random numbers that are the same on every run: a test that failed once fails again. */
export function random(seed) {
  let state = seed >>> 0;
  return function below(limit) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Freezes a value and all that it holds, so that a test fails when something writes to it. */
export function frozen(value) {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}
