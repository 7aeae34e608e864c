// The page's side of the test: what it does with the package is called from outside.
import * as interlinear from "interlinear";
import { convertInWorker } from "interlinear/worker";

async function bytesOf(url) {
  return new Uint8Array(await (await fetch(url)).arrayBuffer());
}

/** What a function throws. */
async function thrownBy(run) {
  try {
    await run();
    return undefined;
  } catch ({ name, code, cure }) {
    return { name, code, cure };
  }
}

Object.assign(globalThis, {
  beforeInit: () => thrownBy(() => interlinear.agents()),

  async load() {
    await Promise.all([interlinear.init(), interlinear.init()]);
    return { backend: interlinear.backend(), agents: interlinear.agents() };
  },

  async relay(url) {
    return new TextDecoder().decode(interlinear.relay([{ name: "", bytes: await bytesOf(url) }]));
  },

  async session(url) {
    const records = new TextDecoder()
      .decode(await bytesOf(url))
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    const session = interlinear.openSession({ agent: "claude", sessionId: "s", now: () => 0 });
    const events = records.filter(({ dir }) => dir === "out").flatMap(({ line }) => session.receive(`${line}\n`));
    return [...events, ...session.end()];
  },

  async inWorker(url) {
    const progress = [];
    const file = new File([await bytesOf(url)], "");
    const result = await convertInWorker(file, { onProgress: (step) => progress.push(step) });
    return { ...result, progress };
  },

  async inWorkerByPieces(url) {
    const pieces = [];
    const options = { includeRaw: true, onEvents: (events) => pieces.push(...events) };
    const result = await convertInWorker(await bytesOf(url), options);
    return { pieces, events: result.events };
  },

  async storedInWorker(names) {
    const blobs = names.map(async (name) => ({ name, data: await (await fetch(`/project/${name}`)).blob() }));
    const progress = [];
    const result = await convertInWorker(await Promise.all(blobs), { onProgress: (step) => progress.push(step) });
    return { ...result, progress };
  },

  unknownInWorker: () => thrownBy(() => convertInWorker(new TextEncoder().encode("what is this?"))),

  async aborted(url) {
    const bytes = await bytesOf(url);
    const controller = new AbortController();
    return thrownBy(() => convertInWorker(bytes, { signal: controller.signal, onProgress: () => controller.abort() }));
  },
});
