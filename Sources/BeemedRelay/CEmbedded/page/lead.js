// When a goal's own reminder comes, and none for today.
import { api } from "./api.js";
import { button, field, h } from "./dom.js";
import { fault, toast } from "./toast.js";
import { store } from "./store.js";
import { texts } from "./texts.js";

const t = texts.reminders;
const LEADS = [1, 2, 3, 6, 12, 24, 48];

/** Choices that are saved when they are made. */
export function leadSelect(slug) {
	const option = (hours) => h("option", { value: hours }, t.hours(hours));
	const lead = h("select", { name: "lead", onchange: () => api.setLead(slug,
		lead.value && (lead.value === "off" ? { off: true } : { hours: Number(lead.value) })).catch(fault) },
	h("option", { value: "" }, t.own), h("option", { value: "off" }, t.off), LEADS.map(option));
	api.reminders().then(({ goals }) => {
		const own = goals.find((one) => one.goal === slug);
		if (own?.hours && !LEADS.includes(own.hours)) lead.append(option(own.hours));
		lead.value = own?.off ? "off" : own?.hours ?? "";
	}).catch(() => {});
	const snooze = button(t.snooze, () => api.snooze({ goal: slug, until: "tomorrow" })
		.then(() => toast(t.isSnoozed(store.title(slug))), fault));
	return h("div.end", field(t.lead, lead), snooze);
}
