// What the model says. A script is a list of steps, one for each call of the model; the prompt names its script by the
// words `play NAME`. Nothing is kept between calls but how often a step was refused: the step is read from the
// conversation itself, so retries, resumed sessions and sessions side by side all find their place.

/**
 * One answer of the model.
 *
 * @typedef {object} Step
 * @property {string} [think] reasoning that comes first
 * @property {string} [say] text
 * @property {Call[]} [calls] tools to call, in the words of `tools.mjs`
 * @property {number} [everyMs] waits so long between two pieces of text
 * @property {{status: number, type: string, message: string, times?: number}} [error] is refused; `times` and then answered
 * @property {boolean} [cut] the connection breaks in the middle of the text
 */

/** @typedef {{tool: "command" | "write" | "edit" | "read" | "ask", [argument: string]: unknown}} Call */

/**
 * A request in the words that all protocols share.
 *
 * @typedef {object} Conversation
 * @property {{name: string, custom: boolean, schema: object}[]} tools what the model may call
 * @property {{role: string, text: string}[]} entries what was said and done so far; the calls' identifiers are in the text
 * @property {boolean} stream
 * @property {string} model
 */

const NAMED = /\bplay ([a-z0-9-]+)/;
const CALL = /call_\d+_step(\d+)/g;

/** What a model answers that is asked for a title, a summary or a topic: agents do that beside the conversation. */
const ASIDE = { say: "A scripted conversation" };

let calls = 0;

/** An identifier for a tool call, which tells its step when it comes back. */
export function callId(step) {
  calls += 1;
  return `call_${calls}_step${step}`;
}

/**
 * The step that a conversation has come to.
 *
 * @param {Record<string, Step[]>} scripts
 * @param {Conversation} conversation
 * @returns {{step: Step, index: number, prompt: string}}
 */
export function nextStep(scripts, { tools, entries }) {
  const at = entries.findLastIndex(({ role, text }) => role === "user" && NAMED.test(text));
  if (tools.length === 0 || at < 0) return { step: ASIDE, index: 0, prompt: "" };
  const prompt = entries[at].text;
  const [, name] = NAMED.exec(prompt);
  const script = scripts[name];
  if (script === undefined) return { step: { say: `There is no script ${name}.` }, index: 0, prompt };
  const since = entries.slice(at + 1).map(({ text }) => text);
  const steps = Array.from(since.join("\n").matchAll(CALL), ([, step]) => Number(step));
  const index = Math.max(-1, ...steps) + 1;
  return { step: script[index] ?? { say: "The script is over." }, index, prompt };
}
