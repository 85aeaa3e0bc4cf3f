// A goal's own view: fourteen days, what was logged today, a value to tap or to type, its reminder, presets and pin.
import { api, device } from "./api.js";
import { button, dialog, field, h, link, row, submit } from "./dom.js";
import { eventLine } from "./event.js";
import { closer, form } from "./parts.js";
import { editPreset } from "./presets.js";
import { leadSelect } from "./lead.js";
import { spark } from "./spark.js";
import { colourOf, dueOf, usualOf } from "./standing.js";
import { store } from "./store.js";
import { fault, press } from "./toast.js";
import { daystamp, decimal, now, number, signed } from "./time.js";
import { texts } from "./texts.js";

const t = texts.goal;

/** The presses of the goal's day, each with its fate and a way to take it back. */
function todaysPresses(slug, deadline) {
	const list = h("ul.list");
	const day = (time) => daystamp(0, deadline, time);
	const show = async () => {
		const { events } = await api.events({ goal: slug, limit: 30 });
		const today = events.filter((event) => (event.daystamp ? event.daystamp === day(now()).replace(/-/g, "") : day(event.timestamp) === day(now()))
			&& event.state !== "undone");
		list.replaceChildren(...today.map((event) => eventLine(event, show, true)));
		list.previousElementSibling.hidden = !today.length;
	};
	return { list, show };
}

/** The day or time that a press is for: `read()` as a press has it. */
function whenFields(slug, deadline) {
	const when = h("select", { name: "when", onchange: () => {
		dayInput.disabled = day.hidden = when.value !== "day";
		timeInput.disabled = time.hidden = when.value !== "time";
	} }, ["now", "yesterday", "day", "time"].map((name) => h("option", { value: name }, t[name])));
	const from = daystamp(-34), today = daystamp(0, deadline);
	const dayInput = h("input", { type: "date", name: "day", required: true, disabled: true, value: today, min: from, max: today });
	// Until the relay has told the goal's day, it is that of this browser's calendar.
	api.today(slug).then((told) => {
		const date = told.replace(/(....)(..)(..)/, "$1-$2-$3");
		if (dayInput.value === today) dayInput.value = date;
		dayInput.max = date;
	}).catch(() => {});
	const local = new Date(now() * 1000 - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
	const timeInput = h("input", { type: "datetime-local", name: "time", required: true, disabled: true, value: local, min: `${from}T00:00`, max: local });
	const day = field(t.day, dayInput), time = field(t.time, timeInput);
	day.hidden = time.hidden = true;
	// The same time a day ago is yesterday by the goal's own day, which may be another one than this browser's.
	const read = () => ({ yesterday: { back: 86_400 }, day: { daystamp: dayInput.value },
		time: { timestamp: Math.floor(new Date(timeInput.value) / 1000) } })[when.value];
	return { when, day, time, read, isValid: () => [dayInput, timeInput].every((input) => input.reportValidity()) };
}

/** Shows a goal with all that can be done with it. */
export function showGoal(slug) {
	const goal = store.goal(slug);
	if (!goal) return undefined;
	return dialog(store.title(slug), (close) => {
		const drawing = spark();
		if (goal.days) drawing.update(goal.days);
		const lately = store.lately.filter((event) => event.goal === slug);
		const usual = usualOf(goal, store.presets, store.lately);
		const value = h("input", { name: "value", value: usual?.value ?? goal.lastValue ?? "", required: true, ...decimal.rule, autocomplete: "off" });
		const comment = h("input", { name: "comment", maxlength: "1000", placeholder: t.optional, autocomplete: "off" });
		const when = whenFields(slug, goal.deadline);
		const make = (wanted) => {
			// A preset has a comment of its own, which only another one replaces.
			press({ goal: slug, ...wanted, comment: comment.value.trim() || undefined, when: when.read() });
			close();
		};
		let shown;
		const chips = h("div.chips", { role: "group", "aria-label": t.values });
		const presets = h("ul.list");
		const chip = (label, wanted) => button(label, () => { if (when.isValid()) make(wanted); });
		const showPresets = () => {
			const own = store.presets.filter((preset) => preset.goal === slug);
			// An unchanged part stays, and the focus in it.
			const key = JSON.stringify(own);
			if (shown === key) return;
			shown = key;
			const values = goal.adds === false ? [] : [...new Set([1, ...lately.map((event) => event.value)])].filter((one) => !own.some((preset) => preset.value === one)).slice(0, 3);
			chips.replaceChildren(...own.map((preset) => chip(`${preset.name} ${signed(preset.value ?? 1)}`, { target: preset.name, value: preset.value ?? 1 })),
				...values.map((one) => chip(signed(one), { value: one })));
			presets.replaceChildren(...own.map((preset) => h("li.line", h("span.grow", `${preset.name} ${signed(preset.value ?? 1)}`),
				button(texts.change, () => change(preset), "quiet"))));
		};
		const change = (preset) => editPreset(preset).then(() => store.loadPresets()).then(showPresets).catch(fault);
		showPresets();
		store.loadPresets().then(showPresets, () => {});
		const today = todaysPresses(slug, goal.deadline);
		const heading = h("h3", { hidden: true }, t.todays);
		const pin = button(goal.pinned ? t.unpin : t.pin, () => {
			close();
			store.changePins(() => (goal.pinned ? api.unpin(slug) : api.pin(slug))).catch(fault);
		});
		const content = [
			h("p.standing", { "data-colour": colourOf(goal) }, h("strong.due", dueOf(goal)), ` · ${number(goal.today)} ${goal.units ?? ""} ${t.today}`,
				goal.pledge ? ` · $${goal.pledge}` : ""),
			h("div", { "data-colour": colourOf(goal) }, drawing), chips,
			form(() => make({ value: decimal.read(value.value) }), h("div.two", field(t.value, value), field(t.when, when.when)),
				when.day, when.time, field(t.comment, comment), submit(t.log)),
			heading, today.list,
			...(device.token ? [] : [h("h3", t.reminder), leadSelect(slug), h("h3", texts.presets.title), presets]),
			row(!device.token && button(texts.presets.add, () => change({ goal: slug }), "quiet"), !device.token && pin,
				store.user && h("p", link(`https://www.beeminder.com/${store.user}/${slug}`, t.site))),
			closer(close, texts.close),
		];
		today.show().catch(() => {});
		return content;
	}, "goal-view");
}
