// Presets: names for presses that are made often, with guards against one too many.
import { api } from "./api.js";
import { button, dialog, field, fillList, h, join, note, row, submit } from "./dom.js";
import { cancelOr, confirm, form, goalSelect, nameInput, refilling } from "./parts.js";
import { store } from "./store.js";
import { decimal, signed } from "./time.js";
import { texts } from "./texts.js";
import { fault } from "./toast.js";

const t = texts.presets;

/** Asks what a preset is; a new one may have its goal already. */
export function editPreset(preset = {}) {
	return dialog(preset.name ?? t.add, (close) => {
		const input = (value, more) => h("input", { value: value ?? "", autocomplete: "off", ...more });
		const seconds = (value) => input(value, { inputmode: "numeric", pattern: "[0-9]{1,6}" });
		const name = nameInput(preset.name);
		const goal = goalSelect(undefined, preset.goal);
		const value = input(preset.value ?? 1, { required: true, ...decimal.rule });
		const comment = input(preset.comment, { maxlength: "1000", placeholder: texts.goal.optional });
		const interval = seconds(preset.minimumInterval), merge = seconds(preset.mergeSeconds);
		const once = h("input", { type: "checkbox", checked: Boolean(preset.oncePerDay) });
		const send = async () => {
			if (!preset.name && store.presets.some((one) => one.name === name.value)
				&& !await confirm(t.replaceAsk(name.value), t.replace)) return;
			await api.putPreset(name.value, { goal: goal.value, value: decimal.read(value.value), comment: comment.value || null,
				minimumInterval: Number(interval.value) || null, mergeSeconds: Number(merge.value) || null, oncePerDay: once.checked || null });
			close(true);
		};
		return form(send, field(t.name, name), h("div.two", field(t.goal, goal), field(t.value, value)),
			field(t.comment, comment), field(t.interval, interval), field(t.merge, merge), h("label.check", once, t.once),
			cancelOr(close, submit(texts.save)));
	});
}

function show(place) {
	const list = h("ul.list");
	async function load() {
		await store.loadPresets();
		fillList(list, store.presets, line, t.none);
	}
	const change = refilling(load);
	const line = (preset) => h("li", h("strong", preset.name),
		note(join(t.says(store.title(preset.goal), signed(preset.value ?? 1), preset.comment), preset.minimumInterval && t.guards.interval(preset.minimumInterval),
			preset.oncePerDay && t.guards.once, preset.mergeSeconds && t.guards.merge(preset.mergeSeconds))),
		row(button(texts.change, change(() => editPreset(preset))),
			button(texts.remove, change(async () => await confirm(t.removeAsk(preset.name), texts.removeOne(preset.name)) && api.removePreset(preset.name)), "danger")));
	place.append(list, row(button(t.add, change(() => editPreset()), "primary")));
	load().catch(fault);
}

export const presetsPage = {
	title: t.title, help: t.help, show,
	state: async () => (await api.presets()).presets.map(({ name }) => name).join(", ") || t.none,
};
