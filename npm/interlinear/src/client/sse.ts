// Reads server-sent events, however they are cut.

/** One event of a stream. */
export interface Frame {
  event: string;
  id: string | undefined;
  data: string;
}

/** The events of a stream that carry data; `heard` is called for whatever comes. */
export async function* readFrames(body: ReadableStream<Uint8Array>, heard: () => void): AsyncGenerator<Frame, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parser = new Parser();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      heard();
      if (done) return;
      yield* parser.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

class Parser {
  /** What has no line end yet, as it came: a long line comes in many pieces, and is looked through once. */
  #rest: string[] = [];
  #event = "message";
  #id: string | undefined;
  #data: string[] = [];

  *push(text: string): Generator<Frame, void> {
    if (!/[\r\n]/.test(text) && !this.#rest.at(-1)?.endsWith("\r")) {
      this.#rest.push(text);
      return;
    }
    // A lone CR at the end may be half of a CRLF: it waits.
    const all = this.#rest.join("") + text;
    const end = all.endsWith("\r") ? all.length - 1 : all.length;
    const lines = all.slice(0, end).split(/\r\n|\n|\r/);
    this.#rest = [(lines.pop() ?? "") + all.slice(end)];
    for (const line of lines) {
      if (line !== "") this.#take(line);
      else yield* this.#flush();
    }
  }

  #take(line: string): void {
    const [, name, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === "data") this.#data.push(value);
    else if (name === "event") this.#event = value;
    else if (name === "id") this.#id = value;
  }

  *#flush(): Generator<Frame, void> {
    if (this.#data.length > 0) yield { event: this.#event, id: this.#id, data: this.#data.join("\n") };
    this.#data = [];
    this.#event = "message";
  }
}
