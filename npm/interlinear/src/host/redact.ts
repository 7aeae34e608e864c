// Keeps secrets out of what is stored and shown: the agent is given them, and may repeat them anywhere.

/** What stands in a secret's place: always as long, whatever the secret's length. */
const MASK = "[secret]";

/** Names of variables whose values are secret. An author or an authority is none, an authorization is. */
const SECRET_NAME = /key|token|secret|passw|credential|auth(?!or(?!i[sz]))|cookie/i;

/** A shorter value, or a plain word, could be anything: to hide it would spoil the text. */
const SHORTEST = 8;
const WORD = /^[a-z]{1,15}$/;
/** Where a secret lies, and not the secret. */
const PLACE = /^(https?:\/\/[^@]*|\/[\w./-]*)$/;

/** Whether the value of such a variable must not be seen. */
export function isSecret(name: string, value: string): boolean {
  return SECRET_NAME.test(name) && value.length >= SHORTEST && !WORD.test(value) && !PLACE.test(value);
}

/** Hides secrets in bytes, texts and values. */
export class Redactor {
  /** Each as it is, as it stands in JSON, and as in JSON that is a text in JSON; the longest first, because one may be a part of another. */
  #texts: string[] = [];
  #bytes: Buffer[] = [];

  constructor(secrets: Iterable<string> = []) {
    this.add(secrets);
  }

  /** Whether there is nothing to hide. */
  get isIdle(): boolean {
    return this.#texts.length === 0;
  }

  /** More to hide, from here on. */
  add(secrets: Iterable<string>): void {
    const quoted = (text: string) => JSON.stringify(text).slice(1, -1);
    const forms = [...secrets].flatMap((secret) => [secret, quoted(secret), quoted(quoted(secret))]);
    this.#texts = [...new Set([...this.#texts, ...forms])].sort((a, b) => b.length - a.length);
    this.#bytes = this.#texts.map((text) => Buffer.from(text));
  }

  /** The text without secrets. */
  text(text: string): string {
    return this.#texts.reduce((clean, secret) => clean.replaceAll(secret, MASK), text);
  }

  /** The value without secrets; the same object where it has none. */
  value<T>(value: T): T {
    return this.isIdle ? value : (this.#clean(value) as T);
  }

  /** How many characters at the end may be the beginning of a secret. */
  begun(text: string): number {
    return Math.max(0, ...this.#texts.map((secret) => begun(text, secret)));
  }

  /** A stream of bytes, chunk by chunk. */
  stream(): RedactedStream {
    return new RedactedStream(() => this.#bytes);
  }

  #clean(value: unknown): unknown {
    if (typeof value === "string") return this.text(value);
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value);
    const clean = entries.map(([name, part]): [string, unknown] => [this.text(name), this.#clean(part)]);
    if (clean.every(([name, part], at) => name === entries[at]?.[0] && part === entries[at][1])) return value;
    return Array.isArray(value) ? clean.map(([, part]) => part) : Object.fromEntries(clean);
  }
}

/** Hides secrets in a stream: one may be cut by the end of a chunk. */
export class RedactedStream {
  readonly #secrets: () => readonly Buffer[];
  #held: Buffer = Buffer.alloc(0);

  constructor(secrets: () => readonly Buffer[]) {
    this.#secrets = secrets;
  }

  /** What may be seen of the stream so far. */
  push(chunk: Buffer): Buffer {
    const secrets = this.#secrets();
    if (secrets.length === 0) return chunk;
    const whole = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const bytes = secrets.reduce(replaceBytes, whole);
    const begun = Math.max(...secrets.map((secret) => overlap(bytes, secret)));
    this.#held = bytes.subarray(bytes.length - begun);
    return bytes.subarray(0, bytes.length - begun);
  }

  /** What was held back, at the end. */
  end(): Buffer {
    const rest = this.#held;
    this.#held = Buffer.alloc(0);
    return rest;
  }
}

/** How many bytes at the end may be the beginning of the secret. */
function overlap(bytes: Buffer, secret: Buffer): number {
  for (let length = Math.min(secret.length - 1, bytes.length); length > 0; length -= 1) {
    if (bytes.compare(secret, 0, length, bytes.length - length) === 0) return length;
  }
  return 0;
}

function begun(text: string, secret: string): number {
  for (let length = Math.min(secret.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return length;
  }
  return 0;
}

function replaceBytes(bytes: Buffer, secret: Buffer): Buffer {
  let at = bytes.indexOf(secret);
  if (at < 0) return bytes;
  const pieces: Buffer[] = [];
  let from = 0;
  for (; at >= 0; at = bytes.indexOf(secret, from)) {
    pieces.push(bytes.subarray(from, at), Buffer.from(MASK));
    from = at + secret.length;
  }
  return Buffer.concat([...pieces, bytes.subarray(from)]);
}
