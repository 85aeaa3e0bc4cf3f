// "...": a press with a value, a comment, a day or a time; the goal's presets; its pin.
import { api } from "./api.js";
import { dialog, h } from "./dom.js";
import { press } from "./pressing.js";
import { store } from "./store.js";
import { fault } from "./toast.js";
import { daystamp, signed } from "./time.js";
import { texts } from "./texts.js";

const t = texts.press;

/** Asks what to log to a goal. */
export function askForPress(slug) {
  return dialog(t.title(store.title(slug)), (close) => {
    const value = h("input", { type: "text", inputmode: "decimal", value: "1", required: true, name: "value",
      pattern: "[+\\-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)", title: t.badValue, autocomplete: "off" });
    const comment = h("input", { name: "comment", maxlength: "1000", placeholder: t.optional, autocomplete: "off" });
    const when = h("select", { name: "when", onchange: () => {
      day.hidden = when.value !== "day";
      time.hidden = when.value !== "time";
    } }, ["now", "yesterday", "day", "time"].map((name) => h("option", { value: name }, t[name])));
    const dayInput = h("input", { type: "date", value: daystamp(0), min: daystamp(-34), max: daystamp(0), name: "day" });
    const now = new Date(Date.now() - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
    const timeInput = h("input", { type: "datetime-local", value: now, max: now, name: "time" });
    const day = h("label", { class: "field", hidden: true }, t.day, dayInput);
    const time = h("label", { class: "field", hidden: true }, t.time, timeInput);
    const goal = store.goal(slug);
    const presets = store.presets.filter((preset) => preset.goal === slug);

    const pickWhen = () => ({
      now: undefined,
      yesterday: { daystamp: daystamp(-1) },
      day: { daystamp: dayInput.value },
      time: { timestamp: Math.floor(new Date(timeInput.value).getTime() / 1000) },
    })[when.value];
    const send = (event) => {
      event.preventDefault();
      press({ goal: slug, value: Number(value.value.replace(",", ".")), comment: comment.value.trim(), when: pickWhen() });
      close();
    };
    const change = () => {
      close();
      (goal.pinned ? api.unpin(slug) : api.pin(slug)).then(() => store.load(), fault);
    };
    return h("form", { onsubmit: send },
      presets.length > 0 && h("div", { class: "chips", role: "group", "aria-label": t.presets },
        presets.map((preset) => h("button", { type: "button", onclick: () => {
          press({ goal: slug, target: preset.name, value: preset.value ?? 1 });
          close();
        } }, `${preset.name} ${signed(preset.value ?? 1)}`))),
      h("div", { class: "two" }, h("label", { class: "field" }, t.value, value), h("label", { class: "field" }, t.when, when)),
      day, time, h("label", { class: "field" }, t.comment, comment),
      h("div", { class: "actions" },
        goal && h("button", { type: "button", class: "quiet", onclick: change }, goal.pinned ? t.unpin : t.pin),
        h("button", { type: "button", onclick: () => close() }, texts.cancel),
        h("button", { class: "primary" }, t.log)));
  });
}
