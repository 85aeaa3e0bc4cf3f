// "...": a press with a value, a comment, a day or a time; the goal's presets; its pin.
import { api } from "./api.js";
import { button, dialog, field, h, submit } from "./dom.js";
import { cancelOr, form } from "./parts.js";
import { store } from "./store.js";
import { fault, press } from "./toast.js";
import { daystamp, decimal, signed } from "./time.js";
import { texts } from "./texts.js";

const t = texts.press;

/** Asks what to log to a goal. */
export function askForPress(slug) {
	return dialog(t.title(store.title(slug)), (close) => {
		const value = h("input", { name: "value", value: "1", required: true, ...decimal.rule, autocomplete: "off" });
		const comment = h("input", { name: "comment", maxlength: "1000", placeholder: t.optional, autocomplete: "off" });
		const when = h("select", { name: "when", onchange: () => {
			dayInput.disabled = day.hidden = when.value !== "day";
			timeInput.disabled = time.hidden = when.value !== "time";
		} }, ["now", "yesterday", "day", "time"].map((name) => h("option", { value: name }, t[name])));
		const dayInput = h("input", { type: "date", name: "day", required: true, disabled: true, value: daystamp(0), min: daystamp(-34), max: daystamp(0) });
		const now = new Date(Date.now() - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
		const timeInput = h("input", { type: "datetime-local", name: "time", required: true, disabled: true, value: now, min: `${daystamp(-34)}T00:00`, max: now });
		const day = field(t.day, dayInput), time = field(t.time, timeInput);
		day.hidden = time.hidden = true;
		const goal = store.goal(slug);
		const chips = h("div.chips", { role: "group", "aria-label": t.presets });
		const showPresets = () => {
			const presets = store.presets.filter((preset) => preset.goal === slug);
			chips.hidden = !presets.length;
			chips.replaceChildren(...presets.map((preset) =>
				button(`${preset.name} ${signed(preset.value ?? 1)}`, () => make({ target: preset.name, value: preset.value ?? 1 }))));
		};
		const make = (wanted) => { press({ goal: slug, ...wanted }); close(); };
		const send = () => make({ value: decimal.read(value.value), comment: comment.value.trim(), when: {
			yesterday: { daystamp: daystamp(-1) }, day: { daystamp: dayInput.value },
			time: { timestamp: Math.floor(new Date(timeInput.value) / 1000) } }[when.value] });
		const changePin = () => {
			close();
			(goal.pinned ? api.unpin(slug) : api.pin(slug)).then(() => store.load(), fault);
		};
		showPresets();
		store.loadPresets().then(showPresets, () => {});
		return form(send, chips, h("div.two", field(t.value, value), field(t.when, when)), day, time, field(t.comment, comment),
			[cancelOr(close, submit(t.log)),
				goal && button(goal.pinned ? t.unpin : t.pin, changePin, "quiet")]);
	});
}
