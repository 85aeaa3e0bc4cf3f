// Parts of dialogues and settings that several of them use.
import { api } from "./api.js";
import { actions, button, copyText, dialog, h, svg } from "./dom.js";
import { store } from "./store.js";
import { texts } from "./texts.js";
import { fault } from "./toast.js";

/** A form that says why its `work` has not succeeded; the last part stands below that. */
export function form(work, ...content) {
	const problem = h("p.bad", { role: "alert" });
	let isRunning = false;
	const onsubmit = async (event) => {
		event.preventDefault();
		if (isRunning) return;
		isRunning = true;
		problem.textContent = "";
		try { await work(); } catch (error) { problem.textContent = error.message; }
		isRunning = false;
	};
	const end = content.pop();
	return h("form.stack", { onsubmit }, ...content, problem, end);
}

/** Does what draws a page's lists anew; the keyboard stays at its place, or the next one. */
export async function inPlace(work) {
	const active = document.activeElement;
	const box = active?.closest(".narrow");
	const buttons = () => [...box.querySelectorAll("button, select")].filter((one) => !one.closest("dialog"));
	const place = box && buttons().indexOf(active);
	await work();
	if (!box || active.isConnected) return;
	const now = buttons();
	now[Math.min(place, now.length - 1)]?.focus();
}

/** The action of a button: some work and, if it has changed something, what `fill` shows anew. */
export const refilling = (fill) => (work) => () => inPlace(async () => {
	try { if (await work()) await fill(); } catch (error) { fault(error); }
});

/** A name as devices and presets may have it. */
export const nameInput = (value = "") => h("input", { name: "name", value, required: true, pattern: "[A-Za-z0-9_\\-]{1,32}",
	title: texts.nameRule,
	disabled: Boolean(value), autocapitalize: "none", autocomplete: "off" });

export const searchInput = (text, oninput) => h("input", { type: "search", placeholder: text, "aria-label": text, oninput });

/** The end of a dialogue: back without a change, or on. */
export const cancelOr = (close, act) => actions(button(texts.cancel, () => close()), act);

/** The end of a dialogue that asks for nothing. */
export const closer = (close, text) => actions(button(text, () => close()));

/** Asks before something ends for good; the button names what it does. */
export function confirm(text, act) {
	const [question, ...rest] = text.split("? ");
	return dialog(`${question}${rest.length ? "?" : ""}`, (close) => [
		rest.length > 0 && h("p", rest.join("? ")), cancelOr(close, button(act, () => close(true), "destroy"))]);
}

/** A text as a QR code, which the relay draws. */
export function qrCode(text, label) {
	const path = svg("path");
	const code = svg("svg", { class: "qr", role: "img", "aria-label": label, "shape-rendering": "crispEdges" }, path);
	api.qrCode(text).then((drawn) => {
		code.setAttribute("viewBox", `0 0 ${drawn.size} ${drawn.size}`);
		path.setAttribute("d", drawn.path);
	}, fault);
	return code;
}

export function copied(code) {
	const copy = button(texts.copy, async () => {
		await copyText(code.textContent);
		copy.textContent = texts.copied;
		setTimeout(() => { copy.textContent = texts.copy; }, 1500);
	}, "copy");
	return h("div.code", h("pre", { tabindex: "0" }, code), copy);
}

/** A choice among all goals `but` one, by their titles. */
export function goalSelect(none, chosen, but) {
	const goals = store.goals.filter(({ slug }) => slug !== but)
		.sort((a, b) => store.title(a.slug).localeCompare(store.title(b.slug)));
	const isTaken = ({ slug, title }) => goals.some((other) => other.slug !== slug && other.title === title);
	const select = h("select", { name: "goal" }, none && h("option", { value: "" }, none), goals.map((goal) =>
		h("option", { value: goal.slug }, isTaken(goal) ? `${goal.title} (${goal.slug})` : goal.title || goal.slug)));
	select.value = chosen ?? (none ? "" : goals[0]?.slug);
	return select;
}

/** The action of a button, once at a time. */
export function tried(work) {
	let isRunning = false;
	return async () => {
		if (isRunning) return;
		isRunning = true;
		await work().catch(fault);
		isRunning = false;
	};
}
