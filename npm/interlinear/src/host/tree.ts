// Finds and ends every process that an agent has started, wherever it has gone.
import { readdirSync, readFileSync } from "node:fs";

/** The variable by which processes are known again that left their group: children inherit it. */
export const MARK = "INTERLINEAR_RUN";

/** A process as the system lists it. */
interface Listed {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
}

/** Sends a signal; whether there was anyone to get it. A negative number is a group. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    // It is there, and not ours to signal.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Everything that runs for this mark: the group, its descendants, and who else inherited the mark. */
export function members(root: number, mark: string): number[] {
  const listed = listProcesses();
  const found = new Set(listed.filter(({ pid, group }) => pid === root || group === root).map(({ pid }) => pid));
  for (const { pid } of listed) if (hasMark(pid, mark)) found.add(pid);
  // Parents come before their children only as long as numbers rise: look until nothing new is found.
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const { pid, parent } of listed) if (found.has(parent)) found.add(pid);
  }
  found.delete(process.pid);
  return [...found];
}

/** Every process with a mark that begins so. */
export function marked(prefix: string): number[] {
  return listProcesses()
    .map(({ pid }) => pid)
    .filter((pid) => pid !== process.pid && hasMark(pid, prefix));
}

function hasMark(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").includes(`${MARK}=${mark}`);
  } catch {
    // Gone, or another user's.
    return false;
  }
}

/** All processes; none where the system has no list of this kind. Those that are only waited for are left out. */
function listProcesses(): Listed[] {
  let names: string[];
  try {
    names = readdirSync("/proc");
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      // The program's name stands in brackets, and may hold any character.
      const [state, parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return state === "Z" || state === "X"
        ? []
        : [{ pid: Number(name), parent: Number(parent), group: Number(group) }];
    } catch {
      return [];
    }
  });
}
