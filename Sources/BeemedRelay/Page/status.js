// The strip at the top: how things stand, and how many presses wait.
import { h, join } from "./dom.js";
import { store } from "./store.js";
import { texts } from "./texts.js";

const KINDS = { online: "good", unverified: "warn", offline: "warn", away: "warn", unknown: "warn" };
const strip = document.getElementById("status");
const banner = document.getElementById("banner");
let shown, told;

/** Shows the present state; only what has changed, since it is read out. */
export function showStatus() {
	const state = store.state;
	const queued = store.context?.queued ?? 0;
	const kept = store.presses.kept.length;
	const text = join(kept && (store.reach !== "online" || store.presses.isLate) && texts.status.kept(kept), queued && texts.status.queued(queued));
	if (shown !== `${state} ${text}`) {
		shown = `${state} ${text}`;
		strip.dataset.kind = KINDS[state] ?? "bad";
		strip.replaceChildren(h("span", text), h("b", texts.status[state] ?? state),
			h("span.dot", { "aria-hidden": "true" }));
	}
	const about = texts.status.about[state];
	if (told === state) return;
	told = state;
	banner.hidden = !about;
	banner.className = `banner ${strip.dataset.kind}`;
	const act = texts.status.act[state];
	banner.replaceChildren(h("span", about ?? ""), act ? h("a.button", { href: "#settings" }, act) : "");
}

/** Says something that is only to be heard. */
export function say(text) {
	const place = document.getElementById("hear");
	place.textContent = place.textContent === text ? `${text}\u00a0` : text;
}
