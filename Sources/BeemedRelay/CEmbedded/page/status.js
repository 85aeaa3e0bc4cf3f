// The line at the top: what is due and how things stand; and below it, what a person must know.
import { isPhone } from "./api.js";
import { h, join } from "./dom.js";
import { isDue } from "./standing.js";
import { store } from "./store.js";
import { riskOf } from "./time.js";
import { texts } from "./texts.js";

const t = texts.status;
const KINDS = { online: "good", unverified: "warn", offline: "warn", away: "warn", diskFull: "bad", signInAgain: "bad", signedOut: "bad" };
const strip = document.getElementById("status");
const banner = document.getElementById("banner");
let shown, told;

/** Shows the present state; only what has changed, since it is read out. */
export function showStatus() {
	const state = store.state;
	const { queued = 0, held = 0, deliveryError, atRisk = [] } = store.context ?? {};
	const kept = store.presses.kept.length;
	const text = join(kept && (store.reach !== "online" || store.presses.isLate) && t.count("kept", kept),
		queued > held && t.count("queued", queued - held), held && t.count("held", held));
	const about = isPhone && state === "signedOut" ? t.about.unknownToken : t.about[state];
	const isFaulty = deliveryError && !about;
	const due = about ? 0 : store.goals.filter(isDue).length;
	const word = atRisk.length && !about ? t.risk : isFaulty ? t.errors : t[state] ?? state;
	const kind = atRisk.length ? "bad" : isFaulty || (held && !about) ? "warn" : KINDS[state] ?? "";
	if (shown !== `${kind} ${word} ${text} ${due}`) {
		shown = `${kind} ${word} ${text} ${due}`;
		strip.dataset.kind = kind;
		// That all is well is only heard while something is due.
		const isPlain = due > 0 && kind === "good";
		strip.replaceChildren(h("span.cut", text), h("b", { class: isPlain ? "hear" : "" }, word), due ? h("b.bad", t.due(due)) : "",
			due ? "" : h("span.dot", { "aria-hidden": "true" }));
	}
	const words = [
		...atRisk.map(({ goal, minutesLeft, waiting }) => `${store.title(goal)}: ${riskOf(minutesLeft, waiting)}`),
		about, isFaulty && t.errorsAre(deliveryError, queued - held), held && !about && t.heldAre(held),
	].filter(Boolean).join(" ");
	// The first steps say themselves that nothing is connected yet.
	const isSaid = !words || (state === "notConnected" && location.hash === "#start");
	if (told === `${kind} ${words} ${isSaid}`) return;
	told = `${kind} ${words} ${isSaid}`;
	banner.hidden = isSaid;
	banner.className = `banner ${kind}`;
	const act = !isPhone && t.act[state];
	banner.replaceChildren(h("span", words), act ? h("a.button", { href: state === "notConnected" ? "#start" : "#settings/account" }, act) : "");
}

/** Says something that is only to be heard. */
export function say(text) {
	const place = document.getElementById("hear");
	place.textContent = place.textContent === text ? `${text}\u00a0` : text;
}
