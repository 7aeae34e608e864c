// Files in, a transcript on the page: the core runs here, as WebAssembly, and nothing leaves the browser.
import { convert, fold, init } from "interlinear";
import { drawTranscript } from "./view.js";

const status = document.querySelector("#status");
const main = document.querySelector("#transcript");

/** Converts the files of one session and draws them. */
function show(files) {
  try {
    const events = convert(files);
    const transcript = fold(undefined, events);
    main.replaceChildren(drawTranscript(transcript));
    const { agent, agent_version: version = "", model = "" } = transcript.session.facts;
    status.textContent = `${files[0].name}: ${events.length} events. ${[agent, version, model].filter(Boolean).join(", ")}`;
  } catch (error) {
    // Every error says what is wrong and how to mend it.
    status.textContent = `${files[0]?.name}: ${error.message} ${error.cure ?? ""}`;
  }
}

async function read(list) {
  const files = await Promise.all(
    [...list].map(async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })),
  );
  if (files.length > 0) show(files);
}

await init();
status.textContent = "Ready.";

document.querySelector("#files").addEventListener("change", (event) => read(event.target.files));
document.querySelector("#sample").addEventListener("click", async () => {
  const name = "subagent_parallel.jsonl";
  const response = await fetch(`/tests/fixtures/claude/recordings/${name}`);
  show([{ name, bytes: new Uint8Array(await response.arrayBuffer()) }]);
});
document.addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("dropping");
});
document.addEventListener("dragleave", () => document.body.classList.remove("dropping"));
document.addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  read(event.dataTransfer.files);
});
