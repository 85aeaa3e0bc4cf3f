// Presses of this page: each is written into the browser's store before it is sent, has an id from the
// beginning and keeps it, so that it counts once however often it is sent.
import { api, Away, Refusal } from "./api.js";

const KEY = "beemed.press.";
const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** States that nothing follows. */
const FINAL = ["delivered", "merged", "refused", "undone", "guarded", "rejected"];

export class Presses extends EventTarget {
  /** By id, in the order they were made. */
  all = new Map();
  isSending = false;
  failures = 0;

  constructor() {
    super();
    this.load();
    // Another tab of this page may have sent what this one still shows, or kept one more.
    addEventListener("storage", (event) => {
      if (!event.key?.startsWith(KEY)) return;
      const id = event.key.slice(KEY.length);
      if (event.newValue === null && this.all.get(id)?.state === "kept") this.all.delete(id);
      this.load();
      this.changed();
    });
  }

  load() {
    try {
      for (const key of Object.keys(localStorage)) {
        if (!key.startsWith(KEY)) continue;
        const press = JSON.parse(localStorage.getItem(key));
        if (!this.all.has(press.id)) this.all.set(press.id, { ...press, local: press.state === "kept" ? press.value : 0 });
      }
    } catch { /* No store, as in a private window: presses live as long as the page. */ }
  }

  keep(press) {
    const { id, goal, target, value, comment, when, madeAt, tries, state, why, isUnwanted } = press;
    try {
      localStorage.setItem(KEY + id,
        JSON.stringify({ id, goal, target, value, comment, when, madeAt, tries, state, why, isUnwanted }));
    } catch { /* The same. */ }
  }

  forget(press) {
    try { localStorage.removeItem(KEY + press.id); } catch { /* The same. */ }
  }

  changed() { this.dispatchEvent(new Event("change")); }

  /** Those that the relay does not have. */
  get kept() { return [...this.all.values()].filter((press) => press.state === "kept" || press.state === "sending"); }

  /** Those that the relay will not have, whatever was tried. */
  get rejected() { return [...this.all.values()].filter((press) => press.state === "rejected"); }

  /** What the page knows of a goal's day beside what the relay has told. */
  local(goal) {
    let sum = 0;
    for (const press of this.all.values()) if (press.goal === goal) sum += press.local;
    return sum;
  }

  /** The newest press to a goal. */
  newest(goal) {
    let newest;
    for (const press of this.all.values()) if (press.goal === goal) newest = press;
    return newest;
  }

  /** Makes a press. `target` is what it is logged to, a preset or the goal itself. */
  make({ goal, target = goal, value = 1, comment = "", when }) {
    const random = crypto.getRandomValues(new Uint32Array(3));
    const id = `page-${[...random].map((word) => word.toString(36)).join("")}`;
    const now = Math.floor(Date.now() / 1000);
    const isToday = !when || (when.timestamp && now - when.timestamp < 43_200);
    const press = { id, goal, target, value, comment, when: when ?? { timestamp: now }, madeAt: now, tries: 0,
      state: "kept", local: isToday ? value : 0 };
    this.all.set(id, press);
    this.keep(press);
    this.changed();
    this.send();
    return press;
  }

  /** Takes a press back, wherever it is by now. */
  async undo(press) {
    if (press.state === "undone") return;
    if (press.state === "kept" && press.tries === 0) {
      press.state = "undone";
      press.local = 0;
      this.forget(press);
      return this.changed();
    }
    if (press.state === "kept" || press.state === "sending") {
      // The relay may have it: it is sent first, so that there is something to take back.
      press.isUnwanted = true;
      press.local = 0;
      this.keep(press);
      this.changed();
      return this.send();
    }
    const before = press.state;
    press.local -= press.value;
    press.state = "undone";
    this.changed();
    try {
      await api.undo(press.id);
    } catch (error) {
      press.state = before;
      press.local += press.value;
      this.changed();
      throw error;
    }
  }

  /** Sends again what the relay has not taken, or will now. */
  again(press) {
    press.state = "kept";
    press.why = undefined;
    press.local = press.value;
    this.keep(press);
    this.changed();
    this.failures = 0;
    this.send();
  }

  /** Forgets one that the relay will not have. */
  discard(press) {
    press.state = "undone";
    press.local = 0;
    this.forget(press);
    this.all.delete(press.id);
    this.changed();
  }

  /** Sends what is kept, one after the other, until all is taken or nobody answers. */
  async send() {
    if (this.isSending) return;
    this.isSending = true;
    clearTimeout(this.timer);
    try {
      for (let press; (press = [...this.all.values()].find((press) => press.state === "kept"));) {
        press.state = "sending";
        press.tries += 1;
        this.keep({ ...press, state: "kept" });
        this.changed();
        try {
          const answer = await api.log(press.target,
            { id: press.id, value: press.target === press.goal ? press.value : undefined,
              comment: press.comment || undefined, ...press.when });
          press.state = answer.state === "queued" ? "received" : answer.state;
          this.failures = 0;
          this.forget(press);
          this.dispatchEvent(new CustomEvent("received", { detail: press }));
          if (press.isUnwanted) { await this.undo(press).catch(() => {}); press.local = 0; }
        } catch (error) {
          if (error instanceof Refusal && !error.isPassing) {
            press.state = "rejected";
            press.why = error.message;
            press.local = 0;
            this.keep(press);
            this.dispatchEvent(new CustomEvent("rejected", { detail: press }));
          } else {
            press.state = "kept";
            this.keep(press);
            this.later(error);
            return;
          }
        } finally {
          this.changed();
        }
      }
    } finally {
      this.isSending = false;
      this.changed();
    }
  }

  later(error) {
    this.failures += 1;
    const seconds = error.retryAfter || Math.min(30, 2 ** this.failures / 2);
    this.timer = setTimeout(() => this.send(), seconds * 1000);
    this.dispatchEvent(new CustomEvent("away", { detail: error instanceof Away }));
  }

  /** The relay can be reached again. */
  back() {
    this.failures = 0;
    this.send();
  }

  /** Those of which more is to come. */
  get open() {
    return [...this.all.values()].filter((press) => !["kept", "sending", ...FINAL].includes(press.state));
  }

  /** What the relay says of events, of whatever device. */
  hear(events) {
    for (const event of events) {
      const press = this.all.get(event.id);
      if (!press || ["kept", "sending", "undone", "rejected"].includes(press.state)) continue;
      press.state = event.state === "queued" || event.state === "sending" ? "received" : event.state;
      press.heardAt = Date.now();
    }
    this.changed();
  }

  /** The goals as just told have everything that was received: nothing is added to them any more. */
  counted() {
    for (const press of this.all.values()) {
      if (press.state !== "kept" && press.state !== "sending") press.local = 0;
      const isOld = Date.now() / 1000 - press.madeAt > 3600;
      if (isOld && FINAL.includes(press.state) && press.state !== "rejected") this.all.delete(press.id);
    }
  }
}

export { wait };
