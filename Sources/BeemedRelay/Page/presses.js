// Presses of this page: each is put into the browser's store before it is sent, has an id from the beginning
// and keeps it, so that it counts once however often it is sent.
import { api, Away } from "./api.js";

const KEY = "beemed.press.";

/** Whether the same may be sent again later. */
const isPassing = (error) => error instanceof Away || error.isPassing;

export class Presses extends EventTarget {
	/** By id, in the order they were made. */
	all = new Map();
	isSending = false;
	failures = 0;

	constructor() {
		super();
		this.load();
	}

	// Without a store, as in some private windows, presses live as long as the page. What another tab keeps is sent by
	// both, under one id.
	load() {
		try {
			for (const [key, text] of Object.entries(localStorage)) {
				if (!key.startsWith(KEY)) continue;
				const press = JSON.parse(text);
				this.all.set(press.id, { ...press, local: press.state === "kept" && !press.isUnwanted ? press.value : 0 });
			}
		} catch { /* No store. */ }
	}

	keep(press) {
		const state = press.state === "sending" ? "kept" : press.state;
		try { localStorage.setItem(KEY + press.id, JSON.stringify({ ...press, state })); } catch { /* No store. */ }
	}

	forget(press) {
		try { localStorage.removeItem(KEY + press.id); } catch { /* No store. */ }
	}

	changed() { this.dispatchEvent(new Event("change")); }

	where(...states) { return [...this.all.values()].filter((press) => states.includes(press.state)); }

	/** Those that the relay does not have yet. */
	get kept() { return this.where("kept", "sending"); }

	/** Those that the relay will not have, whatever is tried. */
	get rejected() { return this.where("rejected"); }

	/** Those that the relay has, and Beeminder not yet. */
	get open() { return this.where("received", "held"); }

	of(goal) { return [...this.all.values()].filter((press) => press.goal === goal); }

	/** What is to be added to a goal's day as the relay has told it. */
	local(goal) { return this.of(goal).reduce((sum, press) => sum + press.local, 0); }

	/** Makes a press. `target` is what it is logged to, a preset or the goal itself. */
	make({ goal, target = goal, value = 1, comment, when }) {
		const id = `page-${[...crypto.getRandomValues(new Uint32Array(3))].map((word) => word.toString(36)).join("")}`;
		const madeAt = Math.floor(Date.now() / 1000);
		const press = { id, goal, target, value, comment, madeAt, when: when ?? { timestamp: madeAt }, tries: 0, state: "kept",
			local: when ? 0 : value };
		this.all.set(id, press);
		this.keep(press);
		this.changed();
		this.send();
		return press;
	}

	/** Takes a press back, wherever it is by now. */
	async undo(press) {
		const before = press.state;
		if (before === "undone") return;
		if (before === "kept" && !press.tries) return this.discard(press);
		if (before === "kept" || before === "sending") {
			// The relay may have it already: it is sent, so that there is something to take back.
			press.isUnwanted = true;
			press.local = 0;
			this.keep(press);
			this.changed();
			return this.send();
		}
		const { local } = press;
		press.local -= press.value;
		press.state = "undone";
		this.changed();
		try {
			await api.undo(press.id);
		} catch (error) {
			Object.assign(press, { state: before, local });
			this.changed();
			throw error;
		}
	}

	/** Takes back what the relay has just confirmed. Unless it has heard of that, too, all of it is sent again. */
	async takeBack(press) {
		try { await this.undo(press); } catch (error) {
			if (isPassing(error)) throw error;
			this.tell(error.message);
		}
	}

	/** Tells the person something about a press that was taken. */
	tell(text) { this.dispatchEvent(new CustomEvent("told", { detail: text })); }

	/** Tries once more what the relay would not have. */
	again(press) {
		Object.assign(press, { state: "kept", why: undefined, local: press.value });
		this.keep(press);
		this.back();
	}

	/** Forgets what never reached the relay. */
	discard(press) {
		press.state = "undone";
		this.forget(press);
		this.all.delete(press.id);
		this.changed();
	}

	/** Sends what is kept, in order, until all is taken or nobody answers. */
	async send() {
		if (this.isSending) return;
		this.isSending = true;
		clearTimeout(this.timer);
		for (let press; ([press] = this.where("kept")) && press;) {
			press.state = "sending";
			press.tries += 1;
			this.keep(press);
			this.changed();
			try {
				const { target, id, comment, when } = press;
				const answer = await api.log(target, { id, value: target === press.goal ? press.value : undefined, comment, ...when });
				press.state = answer.state === "queued" ? "received" : answer.state;
				press.heardAt = Date.now();
				this.failures = 0;
				if (answer.timeNote) this.tell(answer.timeNote);
				if (press.isUnwanted) await this.takeBack(press);
				this.forget(press);
			} catch (error) {
				if (isPassing(error)) {
					press.state = "kept";
					this.keep(press);
					this.failures += 1;
					this.timer = setTimeout(() => this.send(), (error.retryAfter || Math.min(30, 2 ** this.failures / 2)) * 1000);
					break;
				}
				if (press.isUnwanted) { this.discard(press); continue; }
				Object.assign(press, { state: "rejected", why: error.message, local: 0 });
				this.keep(press);
				this.dispatchEvent(new CustomEvent("rejected", { detail: press }));
			}
		}
		this.isSending = false;
		this.dispatchEvent(new Event("sent"));
		this.changed();
	}

	/** The relay can be reached again. */
	back() {
		this.failures = 0;
		this.send();
	}

	/** What the relay says of events. */
	hear(events) {
		for (const { id, state } of events) {
			const press = this.all.get(id);
			if (!press || !["received", "held"].includes(press.state)) continue;
			press.state = state === "queued" || state === "sending" ? "received" : state;
			press.heardAt = Date.now();
		}
	}

	/** The goals as just told have everything that was received: nothing more is to be added. */
	counted() {
		for (const press of this.all.values()) {
			if (["kept", "sending"].includes(press.state)) continue;
			press.local = 0;
			if (Date.now() / 1000 - press.madeAt > 3600 && !["held", "received", "rejected"].includes(press.state)) this.all.delete(press.id);
		}
	}
}
