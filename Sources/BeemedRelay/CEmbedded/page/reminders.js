// Reminders: where they go, when, and what was sent.
import { api } from "./api.js";
import { button, dialog, field, h, join, listOf, note, row, submit } from "./dom.js";
import { cancelOr, confirm, form, refilling } from "./parts.js";
import { store } from "./store.js";
import { clock, relative } from "./time.js";
import { texts } from "./texts.js";
import { fault } from "./toast.js";

const t = texts.reminders;

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

/** The last attempts, and how that ended. */
const attempt = (one) => h("li", h("strong", one.action === "test" && !one.ok ? t.testFailed : one.title),
	note(join(relative(one.at), one.ok ? t.sent : one.why)));

/** Goals whose reminder is not as at Beeminder, and what is put off. */
const exceptions = ({ goals, snoozes, offUntil }, refill) => [
	...goals.map((one) => h("li.line", h("span.grow", `${store.title(one.goal)}: ${one.off ? t.off : t.hours(one.hours)}`),
		button(t.again, refill(() => api.setLead(one.goal)), "quiet"))),
	...[offUntil && { until: offUntil }, ...snoozes].filter(Boolean).map(({ goal, until }) =>
		h("li.line", h("span.grow", t.snoozed(goal && store.title(goal), clock(until))), button(t.again, refill(() => api.endSnooze(goal)), "quiet"))),
];

/** Fills the page. */
async function fill(place) {
	const known = await api.reminders();
	const { services, quietHours: hours, attempts } = known;
	const refill = refilling(() => fill(place));
	const service = ({ service: name, shown, isSetting, failures }) => h("li.line", h("span.grow", h("strong", shown),
		note(join(isSetting && t.setting, failures > 0 && t.failing(failures)))),
	!isSetting && button(texts.remove, refill(async () => await confirm(t.removeAsk(shown), texts.remove) && api.removeService(name)), "danger"));
	const others = exceptions(known, refill);
	place.replaceChildren(
		listOf(services, service, t.none),
		row(button(t.add, refill(addService), "primary"), services.length > 0 && button(t.test, refill(api.testReminders))),
		quietHours(hours), note(t.perGoal), others.length ? h("ul.list", others) : "",
		attempts.length ? h("h2", t.attempts) : "", attempts.length ? h("ul.list", attempts.slice(0, 10).map(attempt)) : "");
}

export const remindersPage = {
	title: t.title, help: t.help,
	async state() {
		const { services, quietHours: hours } = await api.reminders();
		if (!services.length) return t.none;
		const failing = services.find(({ failures }) => failures > 0);
		return join(services.map(({ shown }) => shown).join(", "), hours === "off" ? t.always : t.quietFrom(...hours.split("-")),
			failing && t.failing(failing.failures));
	},
	show(place) { fill(place).catch(fault); },
};
