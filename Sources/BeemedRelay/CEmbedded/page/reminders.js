// Reminders: where they go, when, and what was sent. Loaded when its section is opened.
import { api } from "./api.js";
import { button, dialog, field, h, join, listOf, note, row, submit } from "./dom.js";
import { cancelOr, confirm, form, goalSelect, refilling } from "./parts.js";
import { store } from "./store.js";
import { clock, relative } from "./time.js";
import { texts } from "./texts.js";
import { fault } from "./toast.js";

const t = texts.reminders;
const LEADS = [1, 2, 3, 6, 12, 24, 48];

function addService() {
	return dialog(t.add, (close) => {
		const url = h("input", { name: "url", required: true, autocapitalize: "none" });
		const send = async () => { await api.addService(url.value.trim()); close(true); };
		return form(send, note(t.how), field(t.url, url),
			cancelOr(close, submit(texts.save)));
	});
}

/** The hours of the night, saved when they change. */
function quietHours(hours) {
	const isOn = hours !== "off";
	const [start, end] = (isOn ? hours : "22:00-07:00").split("-");
	const on = h("input", { type: "checkbox", checked: isOn });
	const from = h("input", { type: "time", name: "from", value: start, required: true });
	const until = h("input", { type: "time", name: "until", value: end, required: true });
	const save = () => api.setQuietHours(on.checked ? `${from.value}-${until.value}` : "off").catch(fault);
	for (const input of [on, from, until]) input.addEventListener("change", save);
	return h("fieldset.stack", h("legend", t.quiet), h("label.check", on, t.isQuiet), row(field(t.from, from), field(t.until, until)));
}

/** The goal that was chosen last. */
let chosen;

/** How long before a goal derails its reminder comes. */
function leads(goals, refill) {
	const goal = goalSelect(undefined, store.goal(chosen) && chosen);
	const option = (hours) => h("option", { value: hours }, t.hours(hours));
	const lead = h("select", { name: "lead" }, h("option", { value: "" }, t.own), h("option", { value: "off" }, t.off),
		LEADS.map(option));
	const show = () => {
		chosen = goal.value;
		const own = goals.find((one) => one.goal === goal.value);
		if (own?.hours && !LEADS.includes(own.hours)) lead.append(option(own.hours));
		lead.value = own?.off ? "off" : own?.hours ?? "";
	};
	goal.addEventListener("change", show);
	lead.addEventListener("change", refill(() => api.setLead(goal.value,
		lead.value && (lead.value === "off" ? { off: true } : { hours: Number(lead.value) }))));
	show();
	return row(field(t.goal, goal), field(t.lead, lead), button(t.snooze, refill(() => api.snooze({ goal: goal.value, until: "tomorrow" }))));
}

/** Fills the section. */
export async function fill(place) {
	const { services, quietHours: hours, goals, snoozes, offUntil, attempts } = await api.reminders();
	const refill = refilling(() => fill(place));
	const service = ({ service, shown, isSetting, failures }) => h("li", h("strong", shown),
		note(join(isSetting && t.setting, failures > 0 && t.failing(failures))),
		!isSetting && row(button(texts.remove, refill(async () => await confirm(t.removeAsk(shown)) && api.removeService(service)), "danger")));
	const snoozed = [offUntil && { until: offUntil }, ...snoozes].filter(Boolean);
	place.replaceChildren(...[
		listOf(services, service, t.none),
		row(button(t.add, refill(addService), "primary"), services.length > 0 && button(t.test, refill(api.testReminders))),
		quietHours(hours), leads(goals, refill),
		snoozed.length > 0 && listOf(snoozed, ({ goal, until }) => h("li", t.snoozed(goal, clock(until)),
			row(button(t.again, refill(() => api.endSnooze(goal)))))),
		h("h3", t.attempts),
		listOf(attempts.slice(0, 10), (one) => h("li", h("strong", one.title), note(join(relative(one.at), one.ok ? t.sent : one.why))), t.nothing),
	].filter(Boolean));
}
