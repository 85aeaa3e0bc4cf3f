// What the page knows: the context as it comes, the goals, the presses made here.
import { api, listen } from "./api.js";
import { Presses } from "./presses.js";
import { hearTime } from "./time.js";

const pause = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

class Store extends EventTarget {
	context = null;
	goals = [];
	/** The pinned goals' names, in order. */
	pins = [];
	presets = [];
	/** How many changes of the pins are on their way. */
	pinChanges = 0;
	lastChange = Promise.resolve();
	user;
	hasLoaded = false;
	/** Of the relay: "unknown", "online", "away" or "signedOut". */
	reach = "unknown";
	presses = new Presses();

	begin() {
		this.presses.addEventListener("change", () => this.changed());
		this.presses.addEventListener("sent", () => this.load());
		const { connect, rest } = listen((context, isFresh) => {
			this.context = context;
			hearTime(context.generatedAt, isFresh);
			this.changed();
			this.load();
		}, (reach) => {
			const isBack = reach === "online" && this.reach !== reach;
			this.reach = reach;
			this.changed();
			if (isBack) this.presses.back();
		});
		const wake = () => (document.hidden ? rest() : connect());
		for (const name of ["visibilitychange", "resume"]) document.addEventListener(name, wake);
		addEventListener("pageshow", (event) => { if (event.persisted) wake(); });
		addEventListener("pagehide", rest);
		addEventListener("online", wake);
		this.loadPresets().catch(() => {});
	}

	/** Gets the presets, which another tab or the command line may have changed. */
	async loadPresets() { this.presets = (await api.presets()).presets; }

	changed() { this.dispatchEvent(new Event("change")); }

	/** Gets the goals, and what has become of the presses made here. One request at a time. */
	load() {
		if (this.loading) this.isStale = true;
		else {
			this.loading = this.get().catch(() => { this.isStale = this.reach === "online"; return pause(2000); }).finally(() => {
				this.loading = null;
				if (this.isStale) { this.isStale = false; this.load(); }
			});
		}
		return this.loading;
	}

	async get() {
		const isEarly = this.presses.isSending;
		const [{ goals, user }, { pins }, told] = await Promise.all([api.goals(14), api.pins(),
			this.presses.open.length ? api.events({ device: "owner", limit: 50 }) : null]);
		if (told) this.presses.hear(told.events);
		// A press on its way may be counted in this answer or not: the next one, after it, will tell.
		if (this.hasLoaded && (isEarly || this.presses.isSending)) return this.changed();
		// What was asked before a change of the pins may still have the former order.
		if (!this.hasLoaded || !(this.isStale || this.pinChanges)) this.pins = pins;
		Object.assign(this, { goals, user, hasLoaded: true });
		this.presses.counted();
		this.changed();
	}

	/** Changes the pins, one change after the other; `pins` are those that are expected. What the relay says of them counts
	 * after the last change. */
	async changePins(work, pins = this.pins) {
		this.pins = pins;
		this.pinChanges += 1;
		const change = this.lastChange.then(work);
		this.lastChange = change.catch(() => {});
		try {
			const answer = await change;
			if (this.pinChanges === 1) this.pins = answer.pins;
		} finally {
			this.pinChanges -= 1;
			this.load();
		}
	}

	/** Whether nobody has begun to use this relay, and nobody has skipped the first steps here. */
	async isUnused() {
		try {
			if (localStorage.getItem("beemed.started")) return false;
			if ((await api.connection()).state === "notConnected") return true;
			const [{ pins }, { events }] = await Promise.all([api.pins(), api.events({ limit: 1 })]);
			const isUsed = pins.length > 0 || events.length > 0;
			if (isUsed) this.begun();
			return !isUsed;
		} catch { return false; }
	}

	/** Remembers in this browser that the first steps are over: it shows the goals at once. */
	begun() {
		try { localStorage.setItem("beemed.started", "1"); } catch { /* No store. */ }
	}

	goal(slug) { return this.goals.find((goal) => goal.slug === slug); }

	/** A goal's title, or what it is called by. */
	title(slug) { return this.goal(slug)?.title || slug; }

	/** How things stand, in one word of `texts.status`. */
	get state() { return ["away", "signedOut"].includes(this.reach) ? this.reach : this.context?.sync ?? "unknown"; }
}

export const store = new Store();
