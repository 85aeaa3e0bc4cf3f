// Parts that several sections of the settings use.
import { copyText, dialog, h } from "./dom.js";
import { store } from "./store.js";
import { texts } from "./texts.js";
import { fault } from "./toast.js";

/** A section that is filled when it is opened. */
export function section(title, content, load, isOpen = false) {
  const box = h("details", { class: "card", ontoggle: () => { if (box.open) load?.()?.catch(fault); } },
    h("summary", {}, h("h2", {}, title)), h("div", { class: "stack" }, content));
  if (isOpen) box.open = true;
  return box;
}

/** Yes or no. */
export function confirm(question) {
  return dialog(question, (close) => h("div", { class: "actions" },
    h("button", { type: "button", onclick: () => close(false) }, texts.cancel),
    h("button", { type: "button", class: "primary", onclick: () => close(true) }, texts.goOn)));
}

/** Copies what `text()` says. */
export function copyButton(text) {
  const button = h("button", { type: "button", class: "copy", onclick: async () => {
    await copyText(text());
    button.textContent = texts.copied;
    setTimeout(() => { button.textContent = texts.copy; }, 1500);
  } }, texts.copy);
  return button;
}

/** A choice among all goals, by their titles. */
export function goalSelect(none, chosen, name = "goal") {
  const goals = [...store.goals].sort((a, b) => a.slug.localeCompare(b.slug));
  const select = h("select", { name }, none !== undefined && h("option", { value: "" }, none),
    goals.map((goal) => h("option", { value: goal.slug }, goal.title && goal.title !== goal.slug ? `${goal.slug}: ${goal.title}` : goal.slug)));
  select.value = chosen ?? (none === undefined ? goals[0]?.slug ?? "" : "");
  return select;
}
