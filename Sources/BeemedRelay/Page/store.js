// What the page knows: the context as it comes, the goals, the presses made here.
import { api, Refusal, listen } from "./api.js";
import { Presses } from "./presses.js";

class Store extends EventTarget {
  context = null;
  goals = [];
  /** The pinned goals' names, in order. */
  pins = [];
  user;
  areGoalsKnown = false;
  hasLoaded = false;
  /** "unknown", "online", "away" or "signedOut". */
  reach = "unknown";
  presses = new Presses();
  presets = [];
  loading = null;

  begin() {
    this.presses.addEventListener("change", () => this.changed());
    this.presses.addEventListener("received", () => this.load());
    this.connectAnew = listen(
      (context) => { this.context = context; this.changed(); this.load(); },
      (reach) => {
        const wasAway = this.reach !== "online";
        this.reach = reach;
        this.changed();
        if (reach === "online" && wasAway) this.presses.back();
      });
    const wake = () => { if (!document.hidden) { this.connectAnew(); this.load(); } };
    document.addEventListener("visibilitychange", wake);
    addEventListener("pageshow", (event) => { if (event.persisted) wake(); });
    addEventListener("online", wake);
    api.presets().then((answer) => { this.presets = answer.presets; this.changed(); }).catch(() => {});
  }

  changed() { this.dispatchEvent(new Event("change")); }

  /** Gets the goals, and what has become of the presses made here. One request at a time. */
  load() {
    if (this.loading) { this.isStale = true; return this.loading; }
    this.loading = this.get().finally(() => {
      this.loading = null;
      if (this.isStale) { this.isStale = false; this.load(); }
    });
    return this.loading;
  }

  async get() {
    try {
      const wasSending = this.presses.isSending;
      const [answer, pins, events] = await Promise.all([
        api.goals(14), api.pins(),
        this.presses.open.length ? api.events({ device: "owner", limit: 50 }) : null]);
      // A press on its way may be counted in the answer or not: then the next answer is waited for.
      if (wasSending || this.presses.isSending) {
        if (!this.presses.isSending) this.isStale = true;
        if (this.hasLoaded) return;
      }
      this.goals = answer.goals;
      this.pins = pins.pins;
      this.user = answer.user;
      this.areGoalsKnown = answer.known;
      this.hasLoaded = true;
      this.presses.counted();
      if (events) this.presses.hear(events.events);
      this.changed();
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) { this.reach = "signedOut"; this.changed(); }
    }
  }

  goal(slug) { return this.goals.find((goal) => goal.slug === slug); }

  /** A goal's title, or what it is called by. */
  title(slug) { return this.goal(slug)?.title || slug; }

  /** How things stand, in one word of `texts.status`. */
  get state() {
    if (this.reach === "signedOut" || this.reach === "away") return this.reach;
    return this.context?.sync ?? "unknown";
  }
}

export const store = new Store();
