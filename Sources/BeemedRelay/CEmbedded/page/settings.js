// The settings: a list that says how each of them stands, and a page for each with a way back.
import { accountPage } from "./account.js";
import { archivePage } from "./archive.js";
import { browsersPage } from "./browsers.js";
import { devicesPage } from "./devices.js";
import { h, icon, note, stack } from "./dom.js";
import { healthPage } from "./health.js";
import { pinsPage } from "./pins.js";
import { presetsPage } from "./presets.js";
import { remindersPage } from "./reminders.js";
import { requestsPage } from "./requests.js";
import { texts } from "./texts.js";

/** Each has a `title`, `state()`, which says how it stands, and `show(place)`, which fills its page and may answer what
 * brings it up to date. */
const PAGES = { account: accountPage, pins: pinsPage, devices: devicesPage, reminders: remindersPage, health: healthPage,
	presets: presetsPage, requests: requestsPage, archive: archivePage, browsers: browsersPage };

const lineTo = (href, title, state = "") => h("li", h("a.line", { href }, h("span.grow", h("strong", title), state), icon("next")));

function list(root) {
	const lines = Object.entries(PAGES).map(([name, page]) => {
		const state = h("span.soft.small.state");
		Promise.resolve(page.state?.() ?? page.help).then((text) => { state.textContent = text; }, () => {});
		return lineTo(`#settings/${name}`, page.title, state);
	});
	root.append(h("div.narrow", h("h1", texts.settings), h("ul.list.card.menu", lines),
		h("ul.list.card.menu", lineTo("docs", texts.manual), lineTo("#start", texts.start.again))));
	return { update() {} };
}

/** The list, or the page that is named. */
export const settings = (part) => (root) => {
	const page = PAGES[part];
	if (!page) return list(root);
	const place = stack();
	root.append(h("div.narrow", h("a.up", { href: "#settings" }, icon("back"), texts.settings), h("h1", page.title),
		page.help && note(page.help), h("section.card", place)));
	return { update: page.show(place) ?? (() => {}) };
};
