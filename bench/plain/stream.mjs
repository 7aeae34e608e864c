// What a converter written in plain JavaScript needs: lines out of bytes, and events with their envelope.

/** Cuts chunks of bytes into lines of text. */
export class Lines {
  #decoder = new TextDecoder();
  #rest = "";

  /** Calls `read` with every line that is now complete. */
  push(chunk, read) {
    const text = this.#rest + this.#decoder.decode(chunk, { stream: true });
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      if (end > start) read(text.slice(start, end));
      start = end + 1;
    }
    this.#rest = text.slice(start);
  }
}

/** Numbers and stamps the events of a session, and keeps which items are open. */
export class Stream {
  #session;
  #sequence = 0;
  #time = new Date(0).toISOString();
  #open = new Map();
  #turns = 0;
  turn = undefined;
  native = undefined;
  events = [];

  constructor(session) {
    this.#session = session;
  }

  send(type, data, synthetic = false) {
    this.#sequence += 1;
    this.events.push({
      event_id: `evt_${this.#session}_${this.#sequence}`,
      sequence: this.#sequence,
      time: this.#time,
      session_id: this.#session,
      native_session_id: this.native,
      source: synthetic ? "daemon" : "agent",
      synthetic,
      type,
      data,
      raw: null,
    });
  }

  /** The events since the last call. */
  take() {
    const events = this.events;
    this.events = [];
    return events;
  }

  beginTurn(id = `turn_${this.#turns + 1}`, synthetic = true) {
    if (this.turn !== undefined) return;
    if (this.#sequence === 0) this.send("session.started", { metadata: {} }, true);
    this.#turns += 1;
    this.turn = id;
    this.send("turn.started", { phase: "started", turn_id: id }, synthetic);
  }

  endTurn(metadata) {
    if (this.turn === undefined) return;
    for (const id of [...this.#open.keys()]) this.complete(id, "failed", true);
    this.send("turn.ended", { phase: "ended", turn_id: this.turn, metadata });
    this.turn = undefined;
  }

  open(id, kind, role, parent, part) {
    if (this.#open.has(id)) return;
    const item = this.#item(id, kind, role, parent);
    this.#open.set(id, { item, parts: part ? [{ part, text: "" }] : [] });
    this.send("item.started", { item: { ...item, status: "in_progress", content: part ? [part] : [] } });
  }

  isOpen(id) {
    return this.#open.has(id);
  }

  addPart(id, index, part) {
    const open = this.#open.get(id);
    if (open && open.parts[index] === undefined) open.parts[index] = { part, text: "" };
  }

  delta(id, index, text, partType) {
    const open = this.#open.get(id);
    if (open === undefined || text === "") return;
    open.parts[index].text += text;
    const data = { item_id: open.item.item_id, delta: text, native_item_id: id, part_index: index };
    if (partType !== undefined) data.part_type = partType;
    this.send("item.delta", data);
  }

  complete(id, status = "completed", synthetic = false, last = undefined) {
    const open = this.#open.get(id);
    if (open === undefined) return;
    this.#open.delete(id);
    const content = last ?? open.parts.filter(Boolean).map(({ part, text }) => withText(part, text));
    this.send("item.completed", { item: { ...open.item, status, content } }, synthetic);
  }

  /** An item that is known whole. */
  item(id, kind, role, parent, part, text, partType, status = "completed") {
    const item = this.#item(id, kind, role, parent);
    const opening = kind === "message" ? [] : [withText(part, "")];
    this.send("item.started", { item: { ...item, status: "in_progress", content: opening } }, true);
    if (text !== "") {
      const data = { item_id: item.item_id, delta: text, native_item_id: id, part_index: 0 };
      if (partType !== undefined) data.part_type = partType;
      this.send("item.delta", data, true);
    }
    this.send("item.completed", { item: { ...item, status, content: [withText(part, text)] } });
  }

  #item(id, kind, role, parent) {
    const item = { item_id: `itm_${id}`, kind, native_item_id: id, role, turn_id: this.turn };
    if (parent !== undefined) item.parent_id = `itm_${parent}`;
    return item;
  }
}

function withText(part, text) {
  switch (part.type) {
    case "tool_call":
      return { ...part, arguments: text };
    case "tool_result":
      return { ...part, output: text };
    case "text":
    case "reasoning":
      return { ...part, text };
    default:
      return part;
  }
}
