// Begins: which view is shown, and what all of them share.
import { goalsView } from "./goals.js";
import { h, icon } from "./dom.js";
import { showStatus } from "./status.js";
import { store } from "./store.js";
import { texts } from "./texts.js";
// What those need, so that the browser asks for all of it at once and not one after the other.
import "./goalcard.js";
import "./parts.js";
import "./pressdialog.js";
import "./presses.js";
import "./toast.js";

// What is not seen first is fetched when it is.
const VIEWS = {
	goals: async () => goalsView,
	events: async () => (await import("./events.js")).eventsView,
	settings: async () => (await import("./settings.js")).settingsView,
	start: async () => (await import("./start.js")).startView,
};
const root = document.getElementById("view");
const tabs = document.getElementById("tabs");
let view, shown;

const skip = document.querySelector(".skip");
skip.textContent = texts.skip;
skip.onclick = (event) => { event.preventDefault(); root.focus(); };
tabs.append(...["goals", "events", "settings"].map((name) =>
	h("a", { href: `#${name}` }, icon(name), h("span", texts[name]), " ", name === "events" && h("span.count", { hidden: true }))));

async function show() {
	const name = location.hash.slice(1);
	const wanted = VIEWS[name] ? name : "goals";
	if (shown === wanted) return;
	const isFirst = !shown;
	shown = wanted;
	const make = await VIEWS[wanted]();
	if (shown !== wanted) return;
	view?.end?.();
	root.replaceChildren();
	document.title = `${texts[wanted] ?? texts.start.title} · ${texts.name}`;
	for (const tab of tabs.children) tab.ariaCurrent = tab.hash === `#${wanted}` ? "page" : null;
	scrollTo(0, 0);
	if (!isFirst) root.focus({ preventScroll: true });
	view = make(root);
}

function update() {
	showStatus();
	const refused = (store.context?.refused ?? 0) + store.presses.rejected.length;
	const count = tabs.querySelector(".count");
	count.hidden = !refused;
	if (count.textContent !== String(refused)) count.textContent = String(refused);
	view?.update();
}

let isPlanned = false;
store.addEventListener("change", () => {
	if (isPlanned) return;
	isPlanned = true;
	queueMicrotask(() => { isPlanned = false; update(); });
});
addEventListener("hashchange", show);
store.begin();
update();
// First, since a goal would vanish from under a finger; not for who opens a tab meanwhile.
if (!location.hash && await store.isUnused() && !location.hash) location.replace("#start");
show();

// Only where browsers allow it, which is on this machine itself and behind TLS.
if (navigator.serviceWorker && window.isSecureContext) {
	const policy = window.trustedTypes?.createPolicy("worker", { createScriptURL: (url) => url });
	const url = "page/worker.js";
	navigator.serviceWorker.register(policy ? policy.createScriptURL(url) : url, { scope: "./" }).catch(() => {});
}
