// Amp's service, as far as its command line needs one: an account, and the threads that it uploads and asks for again.
// The model itself is Anthropic's protocol behind the same address.

export function account() {
  return { threads: new Map() };
}

const METHODS = {
  getUserInfo: () => ({
    id: "user_1",
    email: "user@example.com",
    username: "user",
    firstName: "User",
    features: [],
    team: null,
  }),
  getUserFreeTierStatus: () => ({ canUseAmpFree: false, isDailyGrantEnabled: false }),
  uploadThread({ threads }, { thread }) {
    threads.set(thread.id, thread);
    return {};
  },
  getThread({ threads }, { thread }) {
    const data = threads.get(thread);
    return data === undefined ? new Error("thread-not-found") : { thread: { data } };
  },
};

/** What the service replies, or `undefined` if this is not for it. */
export function reply(account, url, text) {
  const { pathname, search } = new URL(url, "http://amp");
  if (!pathname.startsWith("/api/")) return undefined;
  if (pathname !== "/api/internal") return {};
  const result = METHODS[search.slice(1)]?.(account, JSON.parse(text).params) ?? {};
  return result instanceof Error ? { ok: false, error: { code: result.message } } : { ok: true, result };
}
