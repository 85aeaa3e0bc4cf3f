// Parts that several sections of the settings use.
import { actions, button, copyText, dialog, h } from "./dom.js";
import { store } from "./store.js";
import { texts } from "./texts.js";
import { fault } from "./toast.js";

/** A section that is filled when it is opened. */
export function section(title, content, load) {
	const box = h("details.card", { ontoggle: () => { if (box.open) load?.()?.catch(fault); } },
		h("summary", h("h2", title)), h("div.stack", content));
	return box;
}

export const confirm = (question) => dialog(question, (close) =>
	actions(button(texts.cancel, () => close()), button(texts.goOn, () => close(true), "primary")));

export function copied(code) {
	const copy = button(texts.copy, async () => {
		await copyText(code.textContent);
		copy.textContent = texts.copied;
		setTimeout(() => { copy.textContent = texts.copy; }, 1500);
	}, "copy");
	return h("div.code", h("pre", { tabindex: "0" }, code), copy);
}

/** A choice among all goals, by their titles. */
export function goalSelect(none, chosen) {
	const goals = [...store.goals].sort((a, b) => a.slug.localeCompare(b.slug));
	const select = h("select", { name: "goal" }, none && h("option", { value: "" }, none), goals.map(({ slug, title }) =>
		h("option", { value: slug }, title && title !== slug ? `${slug}: ${title}` : slug)));
	select.value = chosen ?? (none ? "" : goals[0]?.slug);
	return select;
}
