// The settings: one section for each thing, filled when it is opened.
import { accountSection } from "./account.js";
import { archiveSection, browserSection, requestsSection } from "./upkeep.js";
import { Away } from "./api.js";
import { devicesSection } from "./devices.js";
import { h, note, row } from "./dom.js";
import { section } from "./parts.js";
import { pinsSection } from "./pins.js";
import { presetsSection } from "./presets.js";
import { texts } from "./texts.js";

/** Few relays have health data or reminders: what shows them is loaded when it is opened. */
function lazySection({ title, help }, load) {
	const place = h("div.stack");
	return section(title, [note(help), place], async () => (await load().catch(() => { throw new Away(); })).fill(place));
}

/** Each view is shown in an element, and answers what brings it up to date. */
export function settingsView(root) {
	const account = accountSection(), pins = pinsSection();
	root.append(h("div.narrow", h("h1", texts.settings), account, pins, presetsSection(), lazySection(texts.health, () => import("./health.js")),
		lazySection(texts.reminders, () => import("./reminders.js")), devicesSection(),
		requestsSection(), archiveSection(), browserSection(),
		row(h("a.button", { href: "docs" }, texts.manual),
			h("a.button", { href: "#start" }, texts.start.again))));
	return { update: () => { account.update(); pins.update(); } };
}
