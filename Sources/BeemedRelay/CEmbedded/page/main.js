// Begins: which view is shown, and what all of them share.
//
// The oldest browsers for which the page is written: Chrome and Edge 104, Firefox 105, Safari 15.4 (iOS 15.4).
import { goalsView } from "./goals.js";
import { Away, isPhone } from "./api.js";
import { h, icon, setCurrent } from "./dom.js";
import { showStatus } from "./status.js";
import { store } from "./store.js";
import { texts } from "./texts.js";
import { fault } from "./toast.js";
// The modules that those need, so that the browser asks for all of it at once and not one after the other.
import "./goalrow.js";
import "./goalview.js";
import "./event.js";
import "./presses.js";

// A view that is not seen first is fetched when it is.
const VIEWS = {
	goals: async () => () => goalsView,
	events: async () => (await import("./events.js")).events,
	settings: async () => (await import("./settings.js")).settings,
	start: async () => (await import("./start.js")).start,
};
/** A view's name, and the part of it that the address names, as in `#settings/devices`. */
const placeOf = (hash) => {
	const [name, part] = hash.slice(1).split("/");
	return VIEWS[name] ? [name, part ?? ""] : ["goals", ""];
};
const root = document.getElementById("view");
const tabs = document.getElementById("tabs");
let view, shown;

// A home screen of iOS keeps the address with the token only without a manifest, and its apps remember nothing else.
if (isPhone && "standalone" in navigator) document.querySelector("link[rel=manifest]").remove();

const skip = document.querySelector(".skip");
if (skip) {
	skip.textContent = texts.skip;
	skip.onclick = (event) => { event.preventDefault(); root.focus(); };
}
// A phone that is a device has the goals alone.
tabs?.append(...["goals", "events", "settings"].map((name) =>
	h("a", { href: `#${name}` }, icon(name), h("span", texts[name]), " ", name === "events" && h("span.count", { hidden: true }))));

/** The address is again that of the view that is shown, so that another tap tries once more. */
function stay(before, error) {
	fault(error);
	shown = before;
	history.replaceState(null, "", `#${before ?? "goals"}`);
	if (!before) show();
}

async function show() {
	const [name, part] = placeOf(location.hash);
	const wanted = part ? `${name}/${part}` : name;
	if (shown === wanted) return;
	shown = wanted;
	let make;
	try { make = await (await VIEWS[name]())(part); } catch {
		if (shown === wanted) stay(view?.name, new Away());
		return;
	}
	if (shown !== wanted) return;
	view?.end?.();
	root.replaceChildren();
	document.title = `${texts[name] ?? texts.start.title} · ${texts.name}`;
	for (const tab of tabs?.children ?? []) setCurrent(tab, tab.hash === `#${name}` && "page");
	scrollTo(0, 0);
	if (view) root.focus({ preventScroll: true });
	view = { ...make(root), name: wanted };
	update();
}

function update() {
	showStatus();
	const { refused = 0, held = 0 } = store.context ?? {};
	const stuck = refused + held + store.presses.rejected.length;
	const count = tabs?.querySelector(".count");
	if (count) {
		count.hidden = !stuck;
		if (count.textContent !== String(stuck)) count.textContent = String(stuck);
	}
	view?.update();
}

let isPlanned = false;
store.addEventListener("change", () => {
	if (isPlanned) return;
	isPlanned = true;
	queueMicrotask(() => { isPlanned = false; update(); });
});
addEventListener("hashchange", show);
// A key that is held down presses once.
addEventListener("keydown", (event) => {
	if (event.repeat && event.key === "Enter" && !event.target.closest?.("textarea")) event.preventDefault();
}, true);
store.begin();
update();
// First, since a goal would vanish from under a finger; not for who opens a tab meanwhile.
if (!isPhone && !location.hash && await store.isUnused() && !location.hash) location.replace("#start");
await show();
// The other views, while the relay is there: later it may not be.
if (tabs) setTimeout(() => { for (const name of ["events", "settings"]) VIEWS[name]().catch(() => {}); }, 1000);

// Only where browsers allow it, which is on this machine itself and behind TLS.
if (navigator.serviceWorker && window.isSecureContext) {
	const policy = window.trustedTypes?.createPolicy("worker", { createScriptURL: (url) => url });
	const url = `${isPhone ? "" : "page/"}worker.js`;
	navigator.serviceWorker.register(policy ? policy.createScriptURL(url) : url, { scope: "./" }).catch(() => {});
}
