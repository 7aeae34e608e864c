// Finds the fixtures: adding one is adding files.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the project. */
export const root = fileURLToPath(new URL("..", import.meta.url));

const fixtures = join(root, "tests", "fixtures");

/** A recording that is short and has a bit of everything. */
export const recording = "tests/fixtures/claude/recordings/edit_file.jsonl";

/** Every transcript: its name and its files, as paths in the project. */
export function transcripts() {
  return agentTranscripts(fixtures);
}

/** In a folder `stored` each entry is a transcript, with all that is in it; elsewhere each file of lines is one. */
function agentTranscripts(folder) {
  return entries(folder).flatMap((path) => {
    if (basename(path) === "snapshots") return []; // what must come out
    if (basename(path) === "stored") return entries(path).flatMap(storedTranscripts);
    if (statSync(path).isDirectory()) return agentTranscripts(path);
    return path.endsWith(".jsonl") ? [transcript([path])] : [];
  });
}

/** A folder without a file of its own holds the sessions of another version. */
function storedTranscripts(path) {
  const versions = entries(path).every((entry) => statSync(entry).isDirectory());
  return versions ? entries(path).flatMap(storedTranscripts) : [transcript(filesIn(path))];
}

const entries = (folder) =>
  readdirSync(folder)
    .sort()
    .map((name) => join(folder, name));

function filesIn(path) {
  return statSync(path).isDirectory() ? entries(path).flatMap(filesIn) : [path];
}

function transcript(files) {
  const paths = files.map((file) => relative(root, file));
  return { name: paths[0], files: paths };
}

/** The files of a transcript, as `convert` takes them. */
export function read({ files }) {
  return files.map((name) => ({ name, bytes: readFileSync(join(root, name)) }));
}
