// The page's knowledge: the context as it comes, the goals, the presses made here.
import { api, device, forgetToken, isPhone, listen, pressesOf } from "./api.js";
import { Presses } from "./presses.js";
import { daystamp, hearTime, now } from "./time.js";

/** Under which name the goals are kept, for a page that is opened again while the relay is away. */
const KEPT = `beemed.goals.${device.goal ?? ""}.${device.token ?? "owner"}`;
/** Where: a phone that is a device keeps them for good, the owner's page as long as its tab is there. */
const keeper = () => (device.token ? localStorage : sessionStorage);

const pause = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

class Store extends EventTarget {
	context = null;
	goals = [];
	/** The pinned goals' names, in order. */
	pins = [];
	presets = [];
	/** All that waits for a person: events that are refused or held. */
	stuck = [];
	/** The last events when the page was opened, from which a goal's usual value is found. */
	lately = [];
	/** How many changes of the pins are on their way. */
	pinChanges = 0;
	lastChange = Promise.resolve();
	user;
	hasLoaded = false;
	/** Of the relay: "unknown", "online", "away" or "signedOut". */
	reach = "unknown";
	/** The presses of a token are another device's than this browser's own. */
	presses = new Presses(isPhone ? pressesOf(device.token) : undefined);

	begin() {
		this.recall();
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
			if (reach === "signedOut") this.forget();
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

	/** Gets the goals, and what has become of the presses made here. At most one request at a time. */
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
		const { refused, held } = this.context ?? {};
		const [{ goals, user }, { pins }, told, stuck, lately] = await Promise.all([api.goals(14), api.pins(),
			this.presses.open.length ? api.events({ device: device.token ? "" : "owner", limit: 50 }) : null,
			refused || held ? api.events({ state: "refused,held", limit: 100 }) : { events: [] },
			this.hasLoaded ? null : api.events({ limit: 200 })]);
		this.stuck = stuck.events;
		const shown = device.goal ? goals.filter(({ slug }) => slug === device.goal) : goals;
		if (lately) this.lately = lately.events.filter(({ state }) => ["delivered", "queued", "sending"].includes(state));
		if (told) this.presses.hear([...told.events, ...await this.olderOf(told.events)]);
		// A press on its way may be counted in this answer or not: the next one, after it, will tell.
		if (this.hasLoaded && (isEarly || this.presses.isSending)) return this.changed();
		// An answer to a request before a change of the pins may still have the former order.
		if (!this.hasLoaded || !(this.isStale || this.pinChanges)) this.pins = pins;
		Object.assign(this, { goals: shown, user, hasLoaded: true });
		this.presses.counted();
		this.changed();
		try { keeper().setItem(KEPT, JSON.stringify({ goals: shown, at: now() })); } catch { /* No store. */ }
	}

	/** The goals as they were last told; of another day, without what was logged in it. */
	recall() {
		try {
			const { goals, at } = JSON.parse(keeper().getItem(KEPT)) ?? { goals: [] };
			this.goals = goals.map((goal) => (daystamp(0, goal.deadline, at) === daystamp(0, goal.deadline) ? goal
				: { ...goal, today: 0, days: undefined }));
		} catch { /* No store. */ }
	}

	/** This browser is signed out. */
	forget() {
		try { keeper().removeItem(KEPT); } catch { /* No store. */ }
		if (isPhone) forgetToken();
	}

	/** Presses of this page that stand behind the last ones, a few at a time. */
	async olderOf(events) {
		const missing = this.presses.open.filter(({ id }) => !events.some((event) => event.id === id)).slice(0, 5);
		return (await Promise.all(missing.map(({ id }) => api.event(id).catch(() => null)))).filter(Boolean);
	}

	/** Changes the pins, one change after the other; `pins` are those that are expected. The relay's answer about them counts
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
