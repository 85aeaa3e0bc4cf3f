// The settings: one section for each thing, filled when it is opened.
import { accountSection } from "./account.js";
import { archiveSection, browserSection, requestsSection } from "./upkeep.js";
import { devicesSection } from "./devices.js";
import { h, note, row } from "./dom.js";
import { section } from "./parts.js";
import { pinsSection } from "./pins.js";
import { presetsSection } from "./presets.js";
import { texts } from "./texts.js";

/** Few relays have health data: what shows it is loaded when it is opened. */
function healthSection() {
	const place = h("div.stack");
	return section(texts.health.title, [note(texts.health.help), place], async () => (await import("./health.js")).fillHealth(place));
}

/** The same for reminders. */
function remindersSection() {
	const place = h("div.stack");
	return section(texts.reminders.title, [note(texts.reminders.help), place], async () => (await import("./reminders.js")).fillReminders(place));
}

/** Each view is shown in an element, and answers what brings it up to date. */
export function settingsView(root) {
	const account = accountSection(), pins = pinsSection();
	root.append(h("div.narrow", h("h1", texts.settings), account, pins, presetsSection(), healthSection(), remindersSection(), devicesSection(),
		requestsSection(), archiveSection(), browserSection(),
		row(h("a.button", { href: "docs" }, texts.manual),
			h("a.button", { href: "#start" }, texts.start.again))));
	return { update: () => { account.update(); pins.update(); } };
}
