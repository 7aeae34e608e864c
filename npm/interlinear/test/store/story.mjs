// Events to store, and what can be said about them; runs in browsers too.

/** What agents really write, and databases choke on. */
export const nasty = 'zero \u0000, half a pair \ud83d, the other \udc00, a whole one \u{1f600}, \u2028 and "quotes"';

const agent = "claude";

/** Events `from` to `to` of a session; the first starts it. Two neighbours share their native object. */
export function events(session_id, from, to, { raw = true, text = (sequence) => `word ${sequence} ` } = {}) {
  return Array.from({ length: to - from + 1 }, (_, index) => {
    const sequence = from + index;
    const envelope = {
      event_id: `evt_${session_id}_${sequence}`,
      sequence,
      time: new Date(1_700_000_000_000 + sequence).toISOString(),
      session_id,
      source: "agent",
      synthetic: false,
    };
    const native = raw ? { line: Math.ceil(sequence / 2), text: nasty } : null;
    if (sequence === 1) return { ...envelope, type: "session.started", data: { metadata: { agent } }, raw: native };
    return { ...envelope, type: "item.delta", data: { item_id: "itm_1", delta: text(sequence) }, raw: native };
  });
}

/** The event that ends a session. */
export function ending(session_id, sequence) {
  const [event] = events(session_id, sequence, sequence, { raw: false });
  return { ...event, type: "session.ended", data: { reason: "completed", terminated_by: "agent" } };
}

/** As they are handed out to those who want nothing native. */
export const bare = (list) => list.map(({ silent: _, dir: __, ...event }) => ({ ...event, raw: null }));

/** All that `read` gives. */
export async function readAll(store, sessionId, options) {
  const all = [];
  for await (const batch of store.read(sessionId, options)) all.push(...batch);
  return all;
}

/** What a subscription gives until `enough` says so. */
export async function take(subscription, enough) {
  const taken = [];
  for await (const event of subscription) {
    taken.push(event);
    if (enough(event, taken)) break;
  }
  return taken;
}

export const sequences = (list) => list.map(({ sequence }) => sequence);
export const range = (from, to) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Fails unless the two are the same JSON. */
export function same(actual, expected, about = "they differ") {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (left === right) return;
  const at = [...left].findIndex((_, index) => left[index] !== right?.[index]);
  const part = (text) => text?.slice(Math.max(0, at - 60), at + 120);
  throw new Error(`${about}\n  actual:   …${part(left)}\n  expected: …${part(right)}`);
}

/** Fails unless it is refused with this code, and a cure. */
export async function refused(code, run) {
  try {
    await run();
  } catch (error) {
    if (error.code === code && typeof error.cure === "string" && error.cure !== "") return;
    throw error;
  }
  throw new Error(`it was not refused with ${code}`);
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
