import { useSyncExternalStore } from "react";

/** What the address names: a session, and an event in it. */
export interface Route {
  readonly place: "home" | "demo" | "file" | "live" | "new";
  readonly id: string;
  readonly session?: string;
  readonly event?: number;
}

/** `#/demo/claude-plan?event=12` */
export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [place = "", id = ""] = path.split("/").map(decoded);
  const search = new URLSearchParams(query);
  const event = Number(search.get("event"));
  const session = search.get("session");
  return {
    place: place === "demo" || place === "file" || place === "live" || place === "new" ? place : "home",
    id,
    ...(session !== null && { session }),
    ...(Number.isInteger(event) && event > 0 && { event }),
  };
}

/** Anyone can write an address: what is not well-formed names nothing. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

/** The address of a place, to be put behind the page's own. */
export function formatRoute({ place, id, session, event }: Route): string {
  if (place === "home") return "#/";
  const query = new URLSearchParams();
  if (session !== undefined) query.set("session", session);
  if (event !== undefined) query.set("event", `${event}`);
  const search = query.toString();
  return `#/${place}${id === "" ? "" : `/${encodeURIComponent(id)}`}${search === "" ? "" : `?${search}`}`;
}

function subscribe(listener: () => void): () => void {
  window.addEventListener("hashchange", listener);
  return () => window.removeEventListener("hashchange", listener);
}

/** The address as it is now. */
export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  return parseRoute(hash);
}

/** Goes to a place; `replace` leaves no trace in the history. */
export function go(route: Route, { replace = false } = {}): void {
  const hash = formatRoute(route);
  if (hash === location.hash) return;
  if (replace) history.replaceState(null, "", hash);
  else location.hash = hash;
  if (replace) window.dispatchEvent(new HashChangeEvent("hashchange"));
}
