import { watch } from "node:fs";
import { stat } from "node:fs/promises";

/** How often a file is looked at, where nobody tells of changes (network folders). */
const interval = 1_000;

/** Calls back when a file was changed, by whichever process. */
export function watchFile(path: string, changed: () => void): () => void {
  let size = -1;
  const look = async () => {
    const seen = (await stat(path).catch(() => undefined))?.size ?? -1;
    if (seen !== size) changed();
    size = seen;
  };
  const timer = setInterval(() => void look(), interval);
  const watcher = startWatching(path, changed);
  return () => {
    clearInterval(timer);
    watcher?.close();
  };
}

/** Not everywhere, and not without end: the timer is there in any case. */
function startWatching(path: string, changed: () => void) {
  try {
    const watcher = watch(path, changed);
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
