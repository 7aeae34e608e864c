// IndexedDB as promises, for what the store needs.
import { InterlinearError } from "../../errors.js";

/** The tables: sessions by id, events by id and sequence. */
export const sessions = "sessions";
export const events = "events";

/** Opens the database, and makes its tables the first time. */
export function openDatabase(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore(sessions);
    request.result.createObjectStore(events);
  };
  return result(request);
}

/** Begins a transaction, unless the store has closed the database, or the browser has. */
export function begin(database: IDBDatabase, tables: string | string[], mode?: IDBTransactionMode): IDBTransaction {
  try {
    return database.transaction(tables, mode);
  } catch (cause) {
    throw new InterlinearError("store_closed", "the store is closed", undefined, { cause });
  }
}

/** What a request gives. */
export function result<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(failure(request.error));
  });
}

/** When a transaction has been written; if it fails, nothing of it was. */
export function committed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(failure(transaction.error));
  });
}

function failure(error: DOMException | null): InterlinearError {
  const full = error?.name === "QuotaExceededError";
  const message = `IndexedDB: ${error?.message ?? "the transaction was stopped"}`;
  return new InterlinearError(full ? "store_full" : "store_failed", message, undefined, { cause: error });
}
