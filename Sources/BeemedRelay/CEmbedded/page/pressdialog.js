// "...": a press with a value, a comment, a day or a time; the goal's presets; its pin.
import { api } from "./api.js";
import { button, dialog, field, h, submit } from "./dom.js";
import { cancelOr, form } from "./parts.js";
import { store } from "./store.js";
import { fault, press } from "./toast.js";
import { daystamp, decimal, now, signed } from "./time.js";
import { texts } from "./texts.js";

const t = texts.press;

/** Asks what to log to a goal. */
export function askForPress(slug) {
	return dialog(t.title(store.title(slug)), (close) => {
		const goal = store.goal(slug);
		const value = h("input", { name: "value", value: goal?.adds === false ? goal.lastValue ?? "" : 1, required: true, ...decimal.rule, autocomplete: "off" });
		const comment = h("input", { name: "comment", maxlength: "1000", placeholder: t.optional, autocomplete: "off" });
		const when = h("select", { name: "when", onchange: () => {
			dayInput.disabled = day.hidden = when.value !== "day";
			timeInput.disabled = time.hidden = when.value !== "time";
		} }, ["now", "yesterday", "day", "time"].map((name) => h("option", { value: name }, t[name])));
		const from = daystamp(-34), today = daystamp(0, goal?.deadline);
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
		const chips = h("div.chips", { role: "group", "aria-label": t.presets });
		const showPresets = () => {
			const presets = store.presets.filter((preset) => preset.goal === slug);
			chips.hidden = !presets.length;
			chips.replaceChildren(...presets.map((preset) =>
				button(`${preset.name} ${signed(preset.value ?? 1)}`, () => {
					if ([dayInput, timeInput].every((input) => input.reportValidity())) make({ target: preset.name, value: preset.value ?? 1 });
				})));
		};
		// A preset has a comment of its own, which only another one replaces. The same time a day ago is yesterday by the
		// goal's own day, which may be another one than this browser's.
		const make = (wanted) => {
			press({ goal: slug, ...wanted, comment: comment.value.trim() || undefined, when: {
				yesterday: { back: 86_400 }, day: { daystamp: dayInput.value },
				time: { timestamp: Math.floor(new Date(timeInput.value) / 1000) } }[when.value] });
			close();
		};
		const send = () => make({ value: decimal.read(value.value) });
		const changePin = () => {
			close();
			store.changePins(() => (goal.pinned ? api.unpin(slug) : api.pin(slug))).catch(fault);
		};
		showPresets();
		store.loadPresets().then(showPresets, () => {});
		return form(send, chips, h("div.two", field(t.value, value), field(t.when, when)), day, time, field(t.comment, comment),
			[cancelOr(close, submit(t.log)),
				goal && button(goal.pinned ? t.unpin : t.pin, changePin, "quiet")]);
	});
}
