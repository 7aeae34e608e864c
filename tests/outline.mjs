// The outline of a session: for the main agent, in order, what was said, called and given back.

/** The outlines of all sessions of a transcript, each under a heading. */
export function outlines(events) {
  const sessions = new Map();
  for (const { type, session_id: id, native_session_id: native, data } of events) {
    const session = sessions.get(id) ?? { native: undefined, items: new Map() };
    sessions.set(id, session);
    session.native ??= native ?? undefined;
    if (type === "item.started" || type === "item.completed") session.items.set(data.item.item_id, data.item);
  }
  return Array.from(sessions.values()).flatMap(({ native, items }) => [
    `session ${native}`,
    ...Array.from(items.values(), entry).filter((line) => line !== undefined),
  ]);
}

function entry({ kind, role, status, content, agent_id: agent }) {
  if (agent !== undefined) return undefined;
  const find = (type) => content.find((part) => part.type === type);
  switch (kind) {
    case "message": {
      const said = content.map(words).filter((text) => text !== undefined);
      return said.length > 0 ? `${role}: ${said.join(" ")}` : undefined;
    }
    case "tool_call": {
      const call = find("tool_call");
      return call && `call ${call.name} ${sorted(call.arguments)}`;
    }
    case "tool_result": {
      const result = find("tool_result");
      return result && `result${status === "failed" ? " failed" : ""} ${JSON.stringify(result.output)}`;
    }
  }
}

function words(part) {
  if (part.type === "text") return JSON.stringify(part.text);
  return part.type === "image" ? `image of ${part.path.length} characters` : undefined;
}

/** Key order and blanks mean nothing. */
function sorted(json) {
  try {
    const order = (_, value) =>
      value !== null && typeof value === "object" && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
        : value;
    return JSON.stringify(JSON.parse(json), order);
  } catch {
    return json;
  }
}
