// Health data: rules, and the metrics that came; a tap makes a rule of one. Loaded with its section.
import { api } from "./api.js";
import { button, dialog, field, h, join, listOf, note, row, submit } from "./dom.js";
import { cancelOr, confirm, form, goalSelect, nameInput, refilling } from "./parts.js";
import { number, relative } from "./time.js";
import { texts } from "./texts.js";

const t = texts.health;

function add(seen) {
	return dialog(seen.metric, (close) => {
		const goal = goalSelect();
		const name = nameInput();
		name.value = seen.metric.replace(/[^A-Za-z0-9_-]/g, "-").slice(0, 32);
		const floor = h("input", { type: "checkbox" });
		const days = h("input", { type: "checkbox" });
		const send = async () => {
			await api.putRule(name.value, { ...seen.rule, goal: goal.value, floor: floor.checked, days: days.checked ? "goal" : "civil" });
			close(true);
		};
		return form(send, field(t.goal, goal), field(t.name, name), h("label.check", floor, t.floor), h("label.check", days, t.days),
			cancelOr(close, submit(texts.save)));
	});
}

/** Fills the section. */
export async function fill(place) {
	const [{ rules }, { metrics, unread }] = await Promise.all([api.rules(), api.seenMetrics()]);
	const change = refilling(() => fill(place));
	const last = (seen) => seen && t.last(join(`${number(seen.value)} ${seen.unit ?? ""}`.trim(), seen.source), relative(seen.at));
	place.replaceChildren(
		listOf(rules, (rule) => h("li", h("strong", t.says(rule)),
			note(last(metrics.find((seen) => seen.rules.includes(rule.name))) ?? t.never),
			row(button(texts.remove, change(async () => await confirm(t.removeAsk(rule.name)) && api.removeRule(rule.name)), "danger"))),
		t.none),
		unread ? listOf(unread, (element) => h("li", h("strong", t.unread(element.device)), note(`${element.position}: ${element.reason}`))) : "",
		listOf(metrics.filter((seen) => !seen.rules.length && seen.unit !== "visit"), (seen) => h("li", h("strong", seen.metric), note(last(seen)),
			row(button(t.add, change(() => add(seen))))), t.nothing));
}
