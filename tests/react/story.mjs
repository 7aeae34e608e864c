// Sessions that are made up, where a real one would be too long or not exact enough.

/** Makes events of one session, numbered in order. */
export function session(id = "made-up") {
  let sequence = 0;
  const event = (type, data) => {
    sequence += 1;
    const time = new Date(Date.UTC(2026, 0, 1) + sequence * 10).toISOString();
    return {
      event_id: `${id}_${sequence}`,
      sequence,
      time,
      session_id: id,
      source: "agent",
      synthetic: false,
      type,
      data,
      raw: null,
    };
  };
  const message = (item_id, role, text, more = {}) => ({
    item_id,
    kind: "message",
    role,
    status: "completed",
    content: [{ type: "text", text }],
    ...more,
  });
  return {
    event,
    start: () => [
      event("session.started", { metadata: { agent: "claude" } }),
      event("turn.started", { phase: "started" }),
    ],
    /** A message that is there at once. */
    say: (id, role, text, more) => [event("item.completed", { item: message(id, role, text, more) })],
    /** A message that grows word by word; its end is left to the caller. */
    begin: (id) => [
      event("item.started", { item: { ...message(id, "assistant", ""), content: [], status: "in_progress" } }),
    ],
    grow: (id, delta) => event("item.delta", { item_id: id, delta }),
    /** A command with its output. */
    command: (id, title, output, exit_code = 0) => [
      event("item.completed", {
        item: {
          item_id: id,
          kind: "tool_call",
          status: "completed",
          content: [{ type: "tool_call", name: "Bash", arguments: "{}", call_id: id, tool_kind: "command", title }],
        },
      }),
      event("item.completed", {
        item: {
          item_id: `${id}_result`,
          kind: "tool_result",
          status: exit_code === 0 ? "completed" : "failed",
          content: [{ type: "tool_result", call_id: id, output, exit_code }],
        },
      }),
    ],
    end: () => [
      event("turn.ended", { phase: "ended", metadata: { status: "completed" } }),
      event("session.ended", { reason: "completed", terminated_by: "agent" }),
    ],
  };
}

/** A session of so many events, at least: messages of different lengths, and commands. */
export function longSession(events) {
  const { start, say, command, end } = session("long");
  const all = start();
  for (let index = 0; all.length < events; index += 1) {
    all.push(
      ...say(`m${index}`, index % 3 === 0 ? "user" : "assistant", `Message ${index}. ${"Words. ".repeat(index % 40)}`),
    );
    all.push(...command(`c${index}`, `make ${index}`, `line\n`.repeat(index % 9)));
  }
  return [...all, ...end()];
}
