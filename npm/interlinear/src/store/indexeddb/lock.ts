/** Sets a lock free; resolves when another can have it. */
export type Release = () => Promise<void>;

/** Locks that this page holds, for pages that have no others (without TLS). */
const held = new Set<string>();

/** Takes a lock over all tabs, if it is free. The end of a tab sets it free too. */
export function tryLock(name: string): Promise<Release | undefined> {
  if (navigator.locks === undefined) return Promise.resolve(tryLockHere(name));
  return new Promise((resolve, reject) => {
    const free: Promise<unknown> = navigator.locks.request(name, { ifAvailable: true }, (lock) => {
      if (lock === null) return resolve(undefined);
      return new Promise<void>((release) =>
        resolve(async () => {
          release();
          await free;
        }),
      );
    });
    free.catch(reject);
  });
}

function tryLockHere(name: string): Release | undefined {
  if (held.has(name)) return undefined;
  held.add(name);
  return async () => {
    held.delete(name);
  };
}
