// The page's side of the benchmark: called from outside.
import { init, openSession } from "interlinear";
import { measureBuild, slices } from "../measure.mjs";

Object.assign(globalThis, {
  /** From nothing to the first event, in milliseconds; `init` is the part of it that loads the core. */
  async first(agent, channel, line) {
    const begin = performance.now();
    await init();
    const loaded = performance.now();
    const events = openSession({ agent }).receive(line, channel);
    const end = performance.now();
    if (events.length === 0) throw new Error("the line gave no event");
    return { init: loaded - begin, event: end - loaded };
  },

  /** The ratios of one corpus. */
  async measure(agent, channel, url) {
    await init();
    const lines = (await (await fetch(url)).text()).split("\n").filter(Boolean);
    return measureBuild(openSession, { agent, channel, slices: slices(lines), clock: () => performance.now() });
  },
});
