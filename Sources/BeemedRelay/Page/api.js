// The one place that talks to the relay, by routes of openapi.yaml only.

/** The relay has refused; `detail` says why and what to do. */
export class Refusal extends Error {
  constructor(status, problem, retryAfter) {
    super(problem.detail ?? `${status}`);
    this.status = status;
    this.code = problem.code;
    this.suggestion = problem.suggestion;
    this.retryAfter = retryAfter;
  }

  /** Whether the same may be sent again later: nothing was taken, and that may change. */
  get isPassing() { return [401, 408, 421, 425, 429].includes(this.status) || this.status >= 500; }
}

/** Nobody answered. */
export class Away extends Error {}

async function call(method, path, body, seconds = 15) {
  const options = { method, headers: { Accept: "application/json" }, cache: "no-store", redirect: "error" };
  if (body !== undefined) {
    options.body = typeof body === "string" ? body : JSON.stringify(body);
    options.headers["Content-Type"] = typeof body === "string" ? "text/plain" : "application/json";
  }
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), seconds * 1000);
  let response, text;
  try {
    response = await fetch(path, { ...options, signal: abort.signal });
    text = await response.text();
  } catch (error) {
    throw new Away(error.message);
  } finally {
    clearTimeout(timer);
  }
  let answer = {};
  try { answer = JSON.parse(text); } catch { /* A proxy's page; the status tells. */ }
  if (!response.ok && !answer.events) {
    throw new Refusal(response.status, answer, Number(response.headers.get("Retry-After")) || 0);
  }
  return answer;
}

const part = encodeURIComponent;
const query = (members) => {
  const used = Object.entries(members).filter(([, value]) => value !== undefined && value !== "");
  return used.length ? `?${new URLSearchParams(used)}` : "";
};

export const api = {
  log: (target, press) => call("POST", `/log/${part(target)}`, press),
  importEvents: (text, dryRun) => call("POST", `/events${dryRun ? "?dry_run=1" : ""}`, text, 120),
  events: (members = {}) => call("GET", `/events${query(members)}`),
  event: (id) => call("GET", `/events/${part(id)}`),
  undo: (id) => call("DELETE", `/events/${part(id)}`),
  retry: (id, goal) => call("POST", `/events/${part(id)}/retry`, goal ? { goal } : {}),
  goals: (days) => call("GET", `/goals${query({ days })}`),
  refreshGoals: () => call("POST", "/goals/refresh"),
  flush: () => call("POST", "/flush"),
  pins: () => call("GET", "/pins"),
  pin: (goal, position) => call("PUT", `/pins/${part(goal)}${query({ position })}`),
  unpin: (goal) => call("DELETE", `/pins/${part(goal)}`),
  presets: () => call("GET", "/presets"),
  putPreset: (name, preset) => call("PUT", `/presets/${part(name)}`, preset),
  removePreset: (name) => call("DELETE", `/presets/${part(name)}`),
  devices: () => call("GET", "/devices"),
  addDevice: (device) => call("POST", "/devices", device),
  rotateDevice: (name) => call("POST", `/devices/${part(name)}/rotate`),
  removeDevice: (name) => call("DELETE", `/devices/${part(name)}`),
  connection: () => call("GET", "/connection"),
  connect: (authToken) => call("PUT", "/connection", { authToken }),
  disconnect: () => call("DELETE", "/connection"),
  requests: () => call("GET", "/requests"),
  ownerLink: () => call("POST", "/owner-link"),
  signOut: () => call("POST", "/logout"),
  signOutEverywhere: () => call("DELETE", "/sessions"),
};

/** The relay says something, if only that it is there, every 15 seconds. */
const SILENCE = 40_000;

/**
 * Hears of every change of the context, over server-sent events. They are read by hand and not by
 * EventSource, which tells neither a status nor the heartbeats by which a dead connection is noticed.
 *
 * `onContext(context)` for each; `onReach(state)` with "online", "away" or "signedOut".
 * Returns a function that connects anew at once, as after the phone has slept.
 */
export function listen(onContext, onReach) {
  let abort, timer, failures = 0, heardAt = 0;

  async function connect() {
    clearTimeout(timer);
    abort?.abort();
    const mine = abort = new AbortController();
    const watch = setInterval(() => { if (Date.now() - heardAt > SILENCE) mine.abort(); }, 5000);
    heardAt = Date.now();
    try {
      const response = await fetch("/context/stream?limit=100",
        { headers: { Accept: "text/event-stream" }, cache: "no-store", signal: mine.signal });
      if (response.status === 401) { onReach("signedOut"); failures = 6; throw new Error("signed out"); }
      if (!response.ok) throw new Error(`${response.status}`);
      onReach("online");
      failures = 0;
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let text = ""; ;) {
        const { value, done } = await reader.read();
        if (done) throw new Error("ended");
        heardAt = Date.now();
        text += value;
        const events = text.split("\n\n");
        text = events.pop();
        for (const event of events) {
          const data = event.split("\n").find((line) => line.startsWith("data: "));
          if (data) onContext(JSON.parse(data.slice(6)));
        }
      }
    } catch {
      if (mine !== abort) return;
      if (failures < 6) onReach("away");
      timer = setTimeout(connect, Math.min(15_000, 500 * 2 ** failures++));
    } finally {
      clearInterval(watch);
    }
  }

  connect();
  return connect;
}
