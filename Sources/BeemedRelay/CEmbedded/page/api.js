// The one place that talks to the relay, by routes of openapi.yaml only.
import { hearTime } from "./time.js";
import { texts } from "./texts.js";

/** The relay has refused; the message says why and what to do. */
export class Refusal extends Error {
	constructor(response, { detail, errors = [] }) {
		super(detail ?? response.status);
		/** The lines of a file that are wrong. */
		this.errors = errors;
		this.status = response.status;
		this.retryAfter = Number(response.headers.get("Retry-After"));
	}

	/** Whether the same may be sent again later: nothing was taken, and that may change. */
	get isPassing() { return [401, 408, 421, 425, 429].includes(this.status) || this.status >= 500; }
}

/** Nobody has answered, or something else than the relay. */
export class Away extends Error {
	constructor() { super(texts.away); }
}

/** AbortSignal.timeout, which the older browsers do not have. */
function endAfter(seconds) {
	const end = new AbortController();
	setTimeout(() => end.abort(), seconds * 1000);
	return end.signal;
}

/** A phone as a device: the page at page/phone.html#token=... presses with that token, and shows the goal that stands
 * beside it. Nothing of it is sent with the address. It is remembered, as some home screens forget what stands behind #. */
export const isPhone = location.pathname.endsWith("/phone.html");
const REMEMBERED = "beemed.phone", REPLACED = "beemed.replaced";

/** The beginning of the names in the browser's store of the presses that were made with a token. */
export const pressesOf = (token) => `beemed.phone.${token}.`;

function deviceOf(given) {
	try {
		if (!given.includes("token=")) given = localStorage.getItem(REMEMBERED) ?? "";
		localStorage.setItem(REMEMBERED, given);
		// A press under a token that the relay did not know any more goes on under the one that was scanned then.
		const { token } = Object.fromEntries(new URLSearchParams(given)), former = localStorage.getItem(REPLACED);
		for (const [key, press] of Object.entries(localStorage)) {
			if (!former || former === token || !key.startsWith(pressesOf(former))) continue;
			localStorage.setItem(key.replace(former, token), press);
			localStorage.removeItem(key);
		}
	} catch { /* No store. */ }
	return Object.fromEntries(new URLSearchParams(given));
}

/** Remembers that the relay does not know this phone's token. */
export function forgetToken() {
	try { localStorage.setItem(REPLACED, device.token); } catch { /* No store. */ }
}
export const device = isPhone ? deviceOf(location.hash.slice(1)) : {};
const ROOT = isPhone ? "../" : "";
const fields = isPhone ? { Authorization: `Bearer ${device.token}` } : {};
/** A browser that is signed in here as well is a device all the same. */
const credentials = isPhone ? "omit" : "same-origin";

async function call(method, path, body, seconds = 15) {
	let response, answer;
	try {
		response = await fetch(ROOT + path, { method, headers: { Accept: "application/json", ...fields }, cache: "no-store", redirect: "error", credentials,
			body: typeof body === "object" && !(body instanceof ArrayBuffer) ? JSON.stringify(body) : body, signal: endAfter(seconds) });
		// The relay always answers JSON. Any other text, of whatever status, is of the login page of a network or of a
		// proxy: nothing was taken.
		answer = Object(await response.json());
		const date = Date.parse(response.headers.get("Date"));
		if (date) hearTime(date / 1000, true);
	} catch {
		throw new Away();
	}
	if (!response.ok) throw new Refusal(response, answer);
	return answer;
}

const part = encodeURIComponent;
const query = (members) => `?${new URLSearchParams(Object.entries(members).filter(([, value]) => value))}`;

export const api = {
	/** A press is forgotten only at the word of what has understood it. */
	log: async (target, press) => {
		const answer = await call("POST", `log/${part(target)}`, press);
		if (answer.id !== press.id || !answer.state) throw new Away();
		return answer;
	},
	/** The present day of a goal, by its deadline and the account's time zone. */
	today: async (goal) => (await call("POST", `log/${part(goal)}?dryRun=1`, "^ 1")).daystamp,
	importEvents: (bytes, options) => call("POST", `import${query(options)}`, bytes, 600),
	qrCode: (text) => call("POST", "qr", text),
	importProgress: () => call("GET", "import"),
	events: (members) => call("GET", `events${query(members)}`),
	event: (id) => call("GET", `events/${part(id)}`),
	undo: (id) => call("DELETE", `events/${part(id)}`),
	retry: (id, goal) => call("POST", `events/${part(id)}/retry`, { goal }),
	goals: (days) => call("GET", `goals${query({ days })}`),
	refreshGoals: () => call("POST", "goals/refresh"),
	pins: () => call("GET", "pins"),
	pin: (goal, position) => call("PUT", `pins/${part(goal)}${query({ position })}`),
	unpin: (goal) => call("DELETE", `pins/${part(goal)}`),
	presets: () => call("GET", "presets"),
	putPreset: (name, preset) => call("PUT", `presets/${part(name)}`, preset),
	removePreset: (name) => call("DELETE", `presets/${part(name)}`),
	rules: () => call("GET", "rules"),
	putRule: (name, rule) => call("PUT", `rules/${part(name)}`, rule),
	removeRule: (name) => call("DELETE", `rules/${part(name)}`),
	seenMetrics: () => call("GET", "health/seen"),
	reminders: () => call("GET", "reminders"),
	setQuietHours: (quietHours) => call("PUT", "reminders", { quietHours }),
	addService: (url) => call("POST", "reminders/services", { url }),
	removeService: (name) => call("DELETE", `reminders/services/${part(name)}`),
	testReminders: () => call("POST", "reminders/test"),
	snooze: (wish) => call("POST", "reminders/snooze", wish),
	endSnooze: (goal) => call("DELETE", `reminders/snooze${query({ goal })}`),
	setLead: (goal, lead) => lead ? call("PUT", `goals/${part(goal)}/reminder`, lead) : call("DELETE", `goals/${part(goal)}/reminder`),
	devices: () => call("GET", "devices"),
	addDevice: (device) => call("POST", "devices", device),
	adoptDevice: (device) => call("PUT", `devices/${part(device.name)}`, device),
	changeDevice: (name, device) => call("PATCH", `devices/${part(name)}`, device),
	rotateDevice: (name) => call("POST", `devices/${part(name)}/rotate`),
	removeDevice: (name) => call("DELETE", `devices/${part(name)}`),
	connection: () => call("GET", "connection"),
	connect: (authToken) => call("PUT", "connection", { authToken }),
	disconnect: () => call("DELETE", "connection"),
	settings: () => call("GET", "settings"),
	requests: () => call("GET", "requests"),
	ownerLink: () => call("POST", "owner-link"),
	signOut: () => call("POST", "logout"),
	signOutEverywhere: () => call("DELETE", "sessions"),
};

/** The relay says something, if only that it is there, every 15 seconds. */
const SILENCE = 40_000;

/** Hears of every change of the context, over server-sent events: `onContext(context, isFresh)`, where the first one may
 * be older than the connection. `onReach` is told "online", "away" or "signedOut".
 * They are read by hand: EventSource tells neither a status nor the heartbeats by which a dead connection is noticed.
 * Returns what connects anew at once, as after the phone has slept, or rests: a browser has few connections to a host,
 * and a tab that nobody sees shall leave them to the others. */
export function listen(onContext, onReach) {
	let abort, timer, failures = 0;

	async function connect() {
		clearTimeout(timer);
		abort?.abort();
		const mine = abort = new AbortController();
		let silence;
		const heard = (patience = SILENCE) => {
			clearTimeout(silence);
			silence = setTimeout(() => mine.abort(), patience);
		};
		// The browser may ask over a connection that has died meanwhile; the next attempt has another one.
		heard(4000);
		let reach = "away";
		try {
			const response = await fetch(`${ROOT}context/stream?limit=100`, { headers: fields, credentials, cache: "no-store", signal: mine.signal });
			if (response.status === 401) reach = "signedOut";
			if (!response.headers.get("Content-Type")?.startsWith("text/event-stream")) throw new Error();
			onReach("online");
			failures = 0;
			let isFresh = false;
			const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
			for (let text = ""; ;) {
				const { value, done } = await reader.read();
				if (done) throw new Error();
				heard();
				const events = (text + value).split("\n\n");
				text = events.pop();
				for (const event of events) {
					const data = event.match(/^data:\s(.*)/m);
					if (!data) continue;
					onContext(JSON.parse(data[1]), isFresh);
					isFresh = true;
				}
			}
		} catch {
			clearTimeout(silence);
			if (mine !== abort) return;
			onReach(reach);
			timer = setTimeout(connect, Math.min(15_000, 500 * 2 ** failures++));
		}
	}

	function rest() {
		clearTimeout(timer);
		abort?.abort();
		abort = undefined;
	}
	if (!document.hidden) connect();
	return { connect, rest };
}
