// Presets: names for presses that are made often, with guards against one too many.
import { api } from "./api.js";
import { dialog, h } from "./dom.js";
import { confirm, goalSelect, section } from "./parts.js";
import { store } from "./store.js";
import { signed } from "./time.js";
import { texts } from "./texts.js";
import { fault } from "./toast.js";

const t = texts.presets;

/** Asks for all of a preset. */
function edit(preset = {}) {
  return dialog(preset.name ?? t.add, (close) => {
    const number = (value) => h("input", { inputmode: "numeric", pattern: "[0-9]{1,6}", value: value ?? "", autocomplete: "off" });
    const name = h("input", { name: "name", required: true, pattern: "[A-Za-z0-9_\\-]{1,32}", maxlength: "32", value: preset.name ?? "",
      autocapitalize: "none", autocomplete: "off", disabled: Boolean(preset.name) });
    const goal = goalSelect(undefined, preset.goal);
    const value = h("input", { inputmode: "decimal", value: preset.value ?? "1", required: true, pattern: "[+\\-]?[0-9]*[.,]?[0-9]+" });
    const comment = h("input", { maxlength: "1000", value: preset.comment ?? "", placeholder: texts.press.optional });
    const interval = number(preset.minimumInterval), merge = number(preset.mergeSeconds);
    const once = h("input", { type: "checkbox", checked: Boolean(preset.oncePerDay) });
    const problem = h("p", { class: "bad", role: "alert" });
    const send = async (event) => {
      event.preventDefault();
      try {
        await api.putPreset(name.value, { goal: goal.value, value: Number(value.value.replace(",", ".")), comment: comment.value || null,
          minimumInterval: Number(interval.value) || null, mergeSeconds: Number(merge.value) || null, oncePerDay: once.checked || null });
        close(true);
      } catch (error) { problem.textContent = error.message; }
    };
    const field = (text, input) => h("label", { class: "field" }, text, input);
    return h("form", { onsubmit: send }, field(t.name, name), h("div", { class: "two" }, field(t.goal, goal), field(t.value, value)),
      field(t.comment, comment), field(t.interval, interval), field(t.merge, merge), h("label", { class: "check" }, once, t.once), problem,
      h("div", { class: "actions" }, h("button", { type: "button", onclick: () => close() }, texts.cancel),
        h("button", { class: "primary" }, texts.save)));
  });
}

/** The section of the settings. */
export function presetsSection() {
  const list = h("ul", { class: "list" });
  async function load() {
    store.presets = (await api.presets()).presets;
    list.replaceChildren(...(store.presets.length ? store.presets.map(row) : [h("li", { class: "soft" }, t.none)]));
  }
  const change = (work) => async () => {
    try { if (await work()) await load(); } catch (error) { fault(error); }
  };
  const row = (preset) => {
    const guards = [preset.minimumInterval && t.guards.interval(preset.minimumInterval), preset.oncePerDay && t.guards.once,
      preset.mergeSeconds && t.guards.merge(preset.mergeSeconds)].filter(Boolean);
    return h("li", {}, h("strong", {}, preset.name),
      h("p", { class: "soft small" }, [t.says(preset, signed(preset.value ?? 1)), ...guards].join(" · ")),
      h("div", { class: "row" }, h("button", { type: "button", onclick: change(() => edit(preset)) }, texts.presets.change),
        h("button", { type: "button", class: "danger", onclick: change(async () =>
          await confirm(t.removeAsk(preset.name)) && api.removePreset(preset.name)) }, texts.remove)));
  };
  return section(t.title, [h("p", { class: "soft small" }, t.help), list,
    h("div", { class: "row" }, h("button", { type: "button", class: "primary", onclick: change(() => edit()) }, t.add))], load);
}
