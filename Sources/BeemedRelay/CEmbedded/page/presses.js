// Presses of this page: each is put into the browser's store before it is sent, has an id from the beginning
// and keeps it, so that it counts once however often it is sent. All tabs share the store: what one of them has sent or
// taken back is gone from it, and the others follow.
import { api, Away } from "./api.js";

/** States of presses that the relay has and of which something may become yet, if only by a person's hand. */
const OPEN = ["received", "held", "refused", "guarded"];
/** The seconds after which a press that waits is shown as kept, also while the relay answers. */
const LATE = 5;
/** The oldest age that the relay takes, in seconds. */
const OLDEST = 35 * 86_400;

/** Whether the same may be sent again later. */
const isPassing = (error) => error instanceof Away || error.isPassing;

/** The amount that a press adds to its goal's day, beside what the relay has counted. */
const share = (press) => (press.when || ["guarded", "refused"].includes(press.was) ? 0 : press.value);
const localOf = (press) => (press.state === "kept" && !press.isUnwanted ? share(press) : 0);

const told = (state) => (["queued", "sending"].includes(state) ? "received" : state);

/** The time as it is sent: an age where that is possible, since a browser's clock may be wrong. It differs at each
 * attempt, and the relay knows the press all the same. A press too old for an age has a time, of which the relay says
 * what became of it. */
function timeOf({ madeAt, when }) {
	if (when && !when.back) return when;
	const back = when?.back ?? 0;
	const age = Math.max(0, Math.floor(Date.now() / 1000) - madeAt) + back;
	return age <= OLDEST ? { age } : { timestamp: madeAt - back };
}

export class Presses extends EventTarget {
	/** By id, in the order they were made. */
	all = new Map();
	isSending = false;
	failures = 0;
	made = 0;

	/** `key` begins the names in the browser's store. */
	constructor(key = "beemed.press.") {
		super();
		this.key = key;
		this.load();
		addEventListener("storage", ({ key }) => {
			for (const press of this.all.values()) if (!key || key === this.key + press.id) this.follow(press);
			this.changed();
		});
	}

	// Without a store, as in some private windows, presses live as long as the page. A press that another tab keeps is sent by
	// both, under one id.
	load() {
		const found = [];
		try {
			for (const [key, text] of Object.entries(localStorage)) if (key.startsWith(this.key)) found.push(JSON.parse(text));
		} catch { /* No store. */ }
		found.sort((a, b) => a.madeAt - b.madeAt || (a.count ?? 0) - (b.count ?? 0));
		for (const press of found) {
			if (!this.all.has(press.id)) this.all.set(press.id, { ...press, isStored: true, local: localOf(press) });
		}
	}

	keep(press) {
		const state = press.state === "sending" ? "kept" : press.state;
		try {
			localStorage.setItem(this.key + press.id, JSON.stringify({ ...press, state }));
			press.isStored = true;
		} catch { /* No store. */ }
	}

	forget(press) {
		press.isStored = false;
		try { localStorage.removeItem(this.key + press.id); } catch { /* No store. */ }
	}

	isUnwantedInStore(press) {
		try { return Boolean(JSON.parse(localStorage.getItem(this.key + press.id))?.isUnwanted); } catch { return false; }
	}

	/** Takes over what another tab has done with a press; false if that has ended it. */
	follow(press) {
		if (!press.isStored) return true;
		let other;
		try { other = JSON.parse(localStorage.getItem(this.key + press.id)); } catch { return true; }
		const isOnItsWay = press.state === "sending";
		if (!other) {
			if (!isOnItsWay) this.all.delete(press.id);
			return isOnItsWay;
		}
		const isUnwanted = Boolean(other.isUnwanted || press.isUnwanted);
		if (isOnItsWay) Object.assign(press, { isUnwanted, local: isUnwanted ? 0 : press.local });
		else if (other.state !== press.state || isUnwanted !== Boolean(press.isUnwanted)) Object.assign(press, other, { local: localOf(other) });
		else press.tries = other.tries;
		return true;
	}

	changed() { this.dispatchEvent(new Event("change")); }

	where(...states) { return [...this.all.values()].filter((press) => states.includes(press.state)); }

	/** Presses that the relay does not have yet, or does not know to be taken back. */
	get kept() { return this.where("kept", "sending"); }

	/** Whether one of them has waited for longer than an answer takes. */
	get isLate() { return this.kept.some(({ madeAt }) => Date.now() / 1000 - madeAt >= LATE); }

	/** Presses that the relay will not have, whatever is tried. */
	get rejected() { return this.where("rejected"); }

	/** Presses of which the relay may have more to tell. */
	get open() { return this.where(...OPEN); }

	of(goal) { return [...this.all.values()].filter((press) => press.goal === goal); }

	/** The amount to add to a goal's day as the relay has told it. */
	local(goal) { return this.of(goal).reduce((sum, press) => sum + press.local, 0); }

	/** Makes a press. `target` is what it is logged to, a preset or the goal itself; `when` is a day or a time as the
	 * relay takes them, or the seconds `back` from now. */
	make({ goal, target = goal, value = 1, comment, when }) {
		const id = `page-${[...crypto.getRandomValues(new Uint32Array(3))].map((word) => word.toString(36)).join("")}`;
		const madeAt = Math.floor(Date.now() / 1000);
		const press = { id, goal, target, value, comment, madeAt, when, count: ++this.made, tries: 0, state: "kept" };
		press.local = share(press);
		this.all.set(id, press);
		this.keep(press);
		this.changed();
		this.send();
		setTimeout(() => this.changed(), LATE * 1000);
		return press;
	}

	/** Takes a press back, wherever it is by now. Once it was sent, the relay may have it: it is kept until the relay has
	 * been told, or has had something to take back. */
	async undo(press) {
		if (press.state === "undone" || press.isUnwanted) return;
		const isHere = this.follow(press);
		if (isHere && (press.state === "rejected" || (press.state === "kept" && !press.tries))) return this.discard(press);
		const isKnown = !["kept", "sending"].includes(press.state);
		press.local = isKnown ? press.local - share(press) : 0;
		if (press.state !== "sending") press.state = "kept";
		press.isUnwanted = true;
		this.all.set(press.id, press);
		this.keep(press);
		this.changed();
		return this.send();
	}

	/** Tells the person something about a press that was taken. */
	tell(text) { this.dispatchEvent(new CustomEvent("told", { detail: text })); }

	/** Tries once more what the relay would not have. */
	again(press) {
		if (!this.follow(press)) return this.changed();
		Object.assign(press, { state: "kept", why: undefined, local: share(press) });
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

	async log(press) {
		const { target, id, goal, value, comment } = press;
		const answer = await api.log(target, { id, value: target === goal ? value : undefined, comment, ...timeOf(press) });
		press.state = press.was = told(answer.state);
		press.heardAt = Date.now();
		if (answer.timeNote) this.tell(answer.timeNote);
	}

	/** Takes back what the relay has. Unless it has heard of that, it is tried again. */
	async takeBack(press) {
		try {
			await api.undo(press.id);
			press.state = press.was = "undone";
		} catch (error) {
			if (isPassing(error)) throw error;
			Object.assign(press, { state: press.was, isUnwanted: false, local: press.local + share(press) });
			this.tell(error.message);
		}
		press.heardAt = Date.now();
	}

	/** Sends one press; answers the error after which the same may be sent later. */
	async attempt(press) {
		Object.assign(press, { state: "sending", tries: press.tries + 1 });
		this.keep(press);
		this.changed();
		try {
			if (!press.heardAt) await this.log(press);
			// Another tab may have taken it back meanwhile, before this one is told.
			press.isUnwanted ||= this.isUnwantedInStore(press);
			if (press.isUnwanted) await this.takeBack(press);
			this.forget(press);
		} catch (error) {
			if (isPassing(error)) {
				press.state = "kept";
				this.keep(press);
				return error;
			}
			if (press.isUnwanted) return this.discard(press);
			Object.assign(press, { state: "rejected", why: error.message, local: 0 });
			this.keep(press);
			this.dispatchEvent(new CustomEvent("rejected", { detail: press }));
		}
	}

	/** Sends what is kept, in order, until all is taken or nobody answers. Where the relay has no room, that may be so
	 * for one goal only: the others' presses go on. */
	async send() {
		if (this.isSending) return;
		this.isSending = true;
		clearTimeout(this.timer);
		const full = new Set();
		let error;
		for (let press; (press = this.where("kept").find(({ goal }) => !full.has(goal)));) {
			if (!this.follow(press)) continue;
			const fault = await this.attempt(press);
			if (!fault) { this.failures = 0; continue; }
			error = fault;
			if (fault.status !== 507) break;
			full.add(press.goal);
		}
		if (error) {
			this.failures += 1;
			this.timer = setTimeout(() => this.send(), (error.retryAfter || Math.min(30, 2 ** this.failures / 2)) * 1000);
		}
		this.isSending = false;
		this.dispatchEvent(new Event("sent"));
		this.changed();
	}

	/** The relay can be reached again. */
	back() {
		this.failures = 0;
		this.load();
		this.send();
	}

	/** Takes what the relay says of events. */
	hear(events) {
		for (const { id, state, goal, refusal } of events) {
			const press = this.all.get(id);
			if (!press || !OPEN.includes(press.state) || press.state === told(state)) continue;
			Object.assign(press, { state: told(state), was: told(state), goal, why: refusal?.why, heardAt: Date.now() });
			if (state === "refused") this.dispatchEvent(new CustomEvent("refused", { detail: press }));
		}
	}

	/** The goals as just told have everything that was received: nothing more is to be added. A press that the relay
	 * has and does not know to be taken back is in them, too. */
	counted() {
		for (const press of this.all.values()) {
			if (press.state === "kept" && press.heardAt) press.local = -share(press);
			if (["kept", "sending"].includes(press.state)) continue;
			press.local = 0;
			if (Date.now() / 1000 - press.madeAt > 3600 && !["held", "received", "rejected", "refused"].includes(press.state)) this.all.delete(press.id);
		}
	}
}
