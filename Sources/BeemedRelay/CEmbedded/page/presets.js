// Presets: names for presses that are made often, with guards against one too many.
import { api } from "./api.js";
import { button, dialog, field, fillList, h, join, note, row, submit } from "./dom.js";
import { cancelOr, confirm, form, goalSelect, nameInput, refilling, section } from "./parts.js";
import { store } from "./store.js";
import { decimal, signed } from "./time.js";
import { texts } from "./texts.js";

const t = texts.presets;

function edit(preset = {}) {
	return dialog(preset.name ?? t.add, (close) => {
		const input = (value, more) => h("input", { value: value ?? "", autocomplete: "off", ...more });
		const seconds = (value) => input(value, { inputmode: "numeric", pattern: "[0-9]{1,6}" });
		const name = nameInput(preset.name);
		const goal = goalSelect(undefined, preset.goal);
		const value = input(preset.value ?? 1, { required: true, ...decimal.rule });
		const comment = input(preset.comment, { maxlength: "1000", placeholder: texts.press.optional });
		const interval = seconds(preset.minimumInterval), merge = seconds(preset.mergeSeconds);
		const once = h("input", { type: "checkbox", checked: Boolean(preset.oncePerDay) });
		const send = async () => {
			if (!preset.name && store.presets.some((one) => one.name === name.value)
				&& !await confirm(t.replaceAsk(name.value))) return;
			await api.putPreset(name.value, { goal: goal.value, value: decimal.read(value.value), comment: comment.value || null,
				minimumInterval: Number(interval.value) || null, mergeSeconds: Number(merge.value) || null, oncePerDay: once.checked || null });
			close(true);
		};
		return form(send, field(t.name, name), h("div.two", field(t.goal, goal), field(t.value, value)),
			field(t.comment, comment), field(t.interval, interval), field(t.merge, merge), h("label.check", once, t.once),
			cancelOr(close, submit(texts.save)));
	});
}

export function presetsSection() {
	const list = h("ul.list");
	async function load() {
		await store.loadPresets();
		fillList(list, store.presets, line, t.none);
	}
	const change = refilling(load);
	const line = (preset) => h("li", h("strong", preset.name),
		note(join(t.says(preset, signed(preset.value ?? 1)), preset.minimumInterval && t.guards.interval(preset.minimumInterval),
			preset.oncePerDay && t.guards.once, preset.mergeSeconds && t.guards.merge(preset.mergeSeconds))),
		row(button(t.change, change(() => edit(preset))),
			button(texts.remove, change(async () => await confirm(t.removeAsk(preset.name)) && api.removePreset(preset.name)), "danger")));
	return section(t.title, [note(t.help), list, row(button(t.add, change(() => edit()), "primary"))], load);
}
