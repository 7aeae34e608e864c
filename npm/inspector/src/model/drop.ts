// What was dropped: files and folders, sorted into sessions as the command line sorts them.
import type { WorkerFile } from "interlinear/worker";

/** A file with its path below what was dropped. */
interface Found {
  readonly path: string;
  readonly file: File;
}

/** The sessions in what was dropped or chosen; each is a list of files, the main one first. */
export async function sessionsIn(found: readonly Found[]): Promise<WorkerFile[][]> {
  const folders = Map.groupBy(found, ({ path }) => path.slice(0, path.lastIndexOf("/") + 1));
  const root = treeRoot([...folders.keys()]);
  if (root !== undefined) return [documents(found.filter(({ path }) => path.startsWith(root)))];
  const sessions: Found[][] = [];
  for (const files of folders.values()) sessions.push(...(await inFolder(files, found)));
  if (sessions.length > 0) return sessions.map((files) => files.map(toWorker));
  // Documents that no name tells apart are one session.
  const all = documents(found);
  return all.length > 0 ? [all] : found.map((one) => [toWorker(one)]);
}

/** OpenCode: older versions keep sessions and their messages apart, in folders beside each other. */
function treeRoot(folders: readonly string[]): string | undefined {
  const session = folders.map((folder) => /^(.*?)session\//.exec(folder)?.[1]).find((root) => root !== undefined);
  return session !== undefined && folders.some((folder) => folder.startsWith(`${session}message/`))
    ? session
    : undefined;
}

const SUBAGENT = /^agent-.*\.jsonl$/;
const ROLLOUT = /^rollout-.*\.jsonl$/;
const nameOf = ({ path }: Found) => path.slice(path.lastIndexOf("/") + 1);
const toWorker = ({ path, file }: Found): WorkerFile => ({ name: path, data: file });

/** Each file of lines is a session, with the folder of its name and the files of its subagents. */
async function inFolder(files: readonly Found[], all: readonly Found[]): Promise<Found[][]> {
  // What lies in the folder of a session belongs to that session.
  const owned = (path: string) =>
    all.some((other) => other.path.endsWith(".jsonl") && path.startsWith(`${stem(other)}/`));
  const own = files.filter(({ path }) => !owned(path));
  const lines = own.filter(({ path }) => path.endsWith(".jsonl"));
  const rollouts = lines.filter((one) => ROLLOUT.test(nameOf(one)));
  const others = lines.filter((one) => !ROLLOUT.test(nameOf(one)));
  const agents = others.filter((one) => SUBAGENT.test(nameOf(one)));
  const mains = others.length > agents.length ? others.filter((one) => !agents.includes(one)) : agents;
  const threads = own.filter((one) => /\.json$/.test(one.path) && (/^T-/.test(nameOf(one)) || own.length === 1));
  const sessions = await Promise.all(
    mains.map(async (main) => {
      const below = all.filter(({ path }) => path.startsWith(`${stem(main)}/`));
      return [main, ...below, ...(mains === agents ? [] : await subagentsOf(main, agents))];
    }),
  );
  return [...sessions, ...(rollouts.length > 0 ? [rollouts] : []), ...threads.map((thread) => [thread])];
}

const stem = ({ path }: Found) => path.replace(/\.jsonl$/, "");

/** The files of subagents that name the session in their first line. */
async function subagentsOf(main: Found, agents: readonly Found[]): Promise<Found[]> {
  const session = `"sessionId":${JSON.stringify(nameOf(main).replace(/\.jsonl$/, ""))}`;
  const heads = await Promise.all(agents.map(({ file }) => file.slice(0, 16 * 1024).text()));
  return agents.filter((_, index) => heads[index]?.includes(session));
}

function documents(found: readonly Found[]): WorkerFile[] {
  return found.filter(({ path }) => path.endsWith(".json")).map(toWorker);
}

/** All files of a drop, with those in folders. */
export async function filesOfDrop(transfer: DataTransfer): Promise<Found[]> {
  // Entries must be taken before anything is awaited: afterwards the transfer is empty.
  const entries = Array.from(transfer.items, (item) => item.webkitGetAsEntry());
  const files = Array.from(transfer.files, (file) => ({ path: file.name, file }));
  if (entries.every((entry) => entry === null || entry.isFile)) return files;
  const found = await Promise.all(entries.map((entry) => (entry === null ? [] : filesBelow(entry))));
  return found.flat();
}

async function filesBelow(entry: FileSystemEntry): Promise<Found[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ path: entry.fullPath.replace(/^\//, ""), file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: Found[] = [];
  for (;;) {
    // A folder is given a hundred entries at a time.
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (batch.length === 0) return found;
    for (const below of batch) for (const file of await filesBelow(below)) found.push(file);
  }
}

/** The files of an input element, with the folders that were chosen. */
export function filesOfInput(list: FileList): Found[] {
  return Array.from(list, (file) => ({ path: file.webkitRelativePath || file.name, file }));
}
