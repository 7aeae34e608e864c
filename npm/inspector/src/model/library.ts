// What the sidebar lists: the sessions that are shipped, and what was opened in this page.
import type { Agent } from "interlinear";
import type { WorkerFile } from "interlinear/worker";
import { type Document, openFiles } from "./document.js";

/** A session that is shipped with the page. */
export interface Demo {
  readonly id: string;
  readonly agent: Agent;
  readonly title: string;
  readonly path: string;
}

declare const DEMOS: readonly Demo[];
export const demos = DEMOS;

/** Something that was opened in this page. */
export interface OpenedFile {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly document: Document;
  readonly close: () => void;
  /** Reads it anew, as what a person says that it is. */
  readonly readAs: (agent: Agent) => OpenedFile;
}

const opened = new Map<string, Document>();

/** The document of a shipped session, read once. */
export function openDemo(demo: Demo): Document {
  let document = opened.get(demo.id);
  if (document === undefined) {
    document = fetchDemo(demo);
    opened.set(demo.id, document);
  }
  return document;
}

function fetchDemo({ path }: Demo): Document {
  return openFiles(
    fetch(path).then(async (response) => {
      if (!response.ok) throw new Error(`${path}: the server says ${response.status}`);
      return [{ name: path, data: new Uint8Array(await response.arrayBuffer()) }];
    }),
  );
}

/** The files that were opened, newest first. */
export class Files {
  readonly #listeners = new Set<() => void>();
  #list: readonly OpenedFile[] = [];
  #count = 0;

  readonly current = (): readonly OpenedFile[] => this.#list;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Opens the files of one session. */
  open(files: WorkerFile[], agent?: Agent): OpenedFile {
    this.#count += 1;
    const stop = new AbortController();
    const id = `${this.#count}`;
    const file: OpenedFile = {
      id,
      name: nameOf(files),
      size: files.reduce((sum, { data }) => sum + (data instanceof Uint8Array ? data.length : data.size), 0),
      document: openFiles(files, { agent, signal: stop.signal }),
      close: () => {
        stop.abort();
        this.#set(this.#list.filter((other) => other.id !== id));
      },
      readAs: (named) => {
        file.close();
        return this.open(files, named);
      },
    };
    this.#set([file, ...this.#list]);
    return file;
  }

  #set(list: readonly OpenedFile[]): void {
    this.#list = list;
    for (const listener of this.#listeners) listener();
  }
}

/** A session's own file lies highest, and beside it those of its subagents. */
function nameOf(files: readonly WorkerFile[]): string {
  const depth = (name: string) => name.split("/").length;
  const [first] = files.toSorted((a, b) => depth(a.name) - depth(b.name));
  return first?.name.split("/").at(-1) || "pasted lines";
}
