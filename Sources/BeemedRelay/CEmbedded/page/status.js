// The strip at the top: how things stand, and how many presses wait.
import { h, join } from "./dom.js";
import { store } from "./store.js";
import { riskOf } from "./time.js";
import { texts } from "./texts.js";

const KINDS = { online: "good", unverified: "warn", offline: "warn", away: "warn", unknown: "warn" };
const strip = document.getElementById("status");
const banner = document.getElementById("banner");
let shown, told;

/** Shows the present state; only what has changed, since it is read out. */
export function showStatus() {
	const state = store.state;
	const { queued = 0, held = 0, deliveryError, atRisk = [] } = store.context ?? {};
	const kept = store.presses.kept.length;
	const text = join(kept && (store.reach !== "online" || store.presses.isLate) && texts.status.count("kept", kept),
		queued > held && texts.status.count("queued", queued - held), held && texts.status.count("held", held));
	const about = texts.status.about[state];
	const isFaulty = deliveryError && !about;
	const word = atRisk.length && !about ? texts.status.risk : isFaulty ? texts.status.errors : texts.status[state] ?? state;
	const kind = atRisk.length ? "bad" : isFaulty || (held && !about) ? "warn" : KINDS[state] ?? "bad";
	if (shown !== `${kind} ${word} ${text}`) {
		shown = `${kind} ${word} ${text}`;
		strip.dataset.kind = kind;
		strip.replaceChildren(h("span", text), h("b", word), h("span.dot", { "aria-hidden": "true" }));
	}
	const words = [
		...atRisk.map(({ goal, minutesLeft, waiting }) => `${store.title(goal)}: ${riskOf(minutesLeft, waiting)}`),
		about, isFaulty && texts.status.errorsAre(deliveryError, queued - held), held && !about && texts.status.heldAre(held),
	].filter(Boolean).join(" ");
	if (told === `${kind} ${words}`) return;
	told = `${kind} ${words}`;
	banner.hidden = !words;
	banner.className = `banner ${kind}`;
	const act = texts.status.act[state];
	banner.replaceChildren(h("span", words), act ? h("a.button", { href: "#settings" }, act) : "");
}

/** Says something that is only to be heard. */
export function say(text) {
	const place = document.getElementById("hear");
	place.textContent = place.textContent === text ? `${text}\u00a0` : text;
}
