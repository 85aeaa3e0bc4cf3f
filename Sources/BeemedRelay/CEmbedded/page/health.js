// Health data: an app that sends, what has come, and rules that make datapoints of it.
import { api } from "./api.js";
import { actions, button, dialog, field, h, join, listOf, note, row, submit } from "./dom.js";
import { cancelOr, confirm, copied, form, goalSelect, nameInput, refilling } from "./parts.js";
import { store } from "./store.js";
import { makeDevice } from "./devices.js";
import { number, relative } from "./time.js";
import { texts } from "./texts.js";
import { fault } from "./toast.js";

const t = texts.health;

/** Makes a rule of a metric that has come. */
function addRule(seen) {
	return dialog(seen.metric, (close) => {
		const goal = goalSelect();
		const name = nameInput();
		name.value = seen.metric.replace(/[^A-Za-z0-9_-]/g, "-").slice(0, 32);
		const floor = h("input", { type: "checkbox" }), days = h("input", { type: "checkbox" });
		const send = async () => {
			const rule = { ...seen.rule, goal: goal.value, floor: floor.checked };
			if (days.checked) rule.days = "goal";
			await api.putRule(name.value, rule);
			close(true);
		};
		return form(send, field(texts.goal.goal, goal), field(t.name, name), h("label.check", floor, t.floor), h("label.check", days, t.days),
			cancelOr(close, submit(texts.save)));
	});
}

/** Makes the device that an app sends as; shows the address for it, once. */
function addApp() {
	return dialog(t.begin, (close) => {
		const app = h("select", { name: "app" }, t.apps.map(([label], place) => h("option", { value: place }, label)));
		const name = nameInput();
		name.value = "health-app";
		const send = async () => {
			const [, help] = t.apps[app.value];
			const [, , token, address] = await makeDevice({ name: name.value, can: ["health"] });
			close(true);
			await dialog(t.addressFor, (done) => [h("p.banner", texts.devices.once), copied(h("code.token", `${address}/health?key=${token}`)),
				note(help), actions(button(texts.devices.done, () => done(), "primary"))]);
		};
		return form(send, field(t.app, app), field(texts.devices.name, name), cancelOr(close, submit(t.make)));
	});
}

const lastOf = (seen) => seen && t.last(join(`${number(seen.value)} ${seen.unit ?? ""}`.trim(), seen.source), relative(seen.at));

/** Fills the page. */
async function fill(place) {
	const [{ rules }, { metrics, unread = [] }] = await Promise.all([api.rules(), api.seenMetrics()]);
	const change = refilling(() => fill(place));
	const others = metrics.filter((seen) => !seen.rules.length && seen.unit !== "visit");
	place.replaceChildren(
		listOf(rules, (rule) => h("li.line", h("span.grow", h("strong", t.says(rule, store.title(rule.goal))),
			note(lastOf(metrics.find((seen) => seen.rules.includes(rule.name))) ?? t.never)),
		button(texts.remove, change(async () => await confirm(t.removeAsk(rule.name), texts.removeOne(rule.name)) && api.removeRule(rule.name)), "danger")), t.none),
		others.length ? h("h2", t.came) : "",
		others.length || !metrics.length ? listOf(others, (seen) => h("li.line", h("span.grow", h("strong", seen.metric), note(lastOf(seen))),
			button(t.add, change(() => addRule(seen)))), t.nothing) : "",
		unread.length ? h("h2", t.unread) : "",
		unread.length ? h("ul.list", unread.map((one) => h("li", h("code", one.position), note(join(one.reason, one.device, relative(one.at)))))) : "",
		row(button(t.begin, change(addApp), metrics.length ? "" : "primary"), h("a.button", { href: "docs#health" }, texts.manual)));
}

export const healthPage = {
	title: t.title, help: t.help,
	async state() {
		const [{ rules }, { metrics }] = await Promise.all([api.rules(), api.seenMetrics()]);
		const at = Math.max(0, ...metrics.map((seen) => seen.at));
		return join(rules.length ? t.count(rules.length) : t.none, at > 0 && t.lastData(relative(at)));
	},
	show(place) { fill(place).catch(fault); },
};
