// All goals, which of them are pinned, and in which order.
import { api } from "./api.js";
import { button, h, icon, row, stack } from "./dom.js";
import { searchInput } from "./parts.js";
import { say } from "./status.js";
import { store } from "./store.js";
import { texts } from "./texts.js";
import { fault, toast } from "./toast.js";

const t = texts.pins;

/** A list of all goals with a switch for each pin; pinned ones can be moved. */
export function pinList() {
	const search = searchInput(texts.main.search, () => show());
	const list = h("ul.list.lines.pins");
	const key = () => `${store.goals.map((goal) => goal.slug)};${store.pins}`;
	let shown;

	const change = (work, pins) => store.changePins(work, pins).catch(fault).then(show);
	/** Shows the new order at once: another key may come before the relay's answer. */
	function move(slug, place) {
		if (!store.pins[place] || store.pins[place] === slug) return show();
		say(t.moved(store.title(slug), place + 1));
		const pins = store.pins.filter((other) => other !== slug);
		pins.splice(place, 0, slug);
		change(() => api.pin(slug, place + 1), pins);
		show();
	}
	/** The place that a line has among all pins. During a search not all are shown: then beside the one above it, or the
	 * one below it. */
	function placeOf(line) {
		if (!search.value) return [...list.children].indexOf(line);
		const rest = store.pins.filter((slug) => slug !== line.dataset.goal);
		const [before, after] = [line.previousElementSibling, line.nextElementSibling].map((other) => rest.indexOf(other?.dataset.goal));
		return before >= 0 ? before + 1 : Math.max(0, after);
	}

	/** Drags a line by its handle; the others make room, and the new place is told when it is let go. */
	function drag(event, line, slug) {
		line.classList.add("dragged");
		const lines = () => [...list.querySelectorAll("li[data-pinned]")];
		const start = lines().indexOf(line);
		const end = new AbortController();
		const on = (name, hear) => document.addEventListener(name, hear, { signal: end.signal });
		on("pointermove", (moved) => {
			const over = lines().find((other) => {
				const { top, bottom } = other.getBoundingClientRect();
				return other !== line && moved.clientY > top && moved.clientY < bottom;
			});
			if (over) lines().indexOf(over) > lines().indexOf(line) ? over.after(line) : over.before(line);
		});
		const drop = () => {
			end.abort();
			line.classList.remove("dragged");
			// A tap moves nothing.
			if (lines().indexOf(line) === start) show();
			else move(slug, placeOf(line));
		};
		on("pointerup", drop);
		on("pointercancel", drop);
		event.preventDefault();
	}

	function line(goal, isPinned, title) {
		const box = h("input", { type: "checkbox", checked: isPinned, "aria-label": t.pin(title),
			onchange: () => change(() => (isPinned ? api.unpin(goal.slug) : api.pin(goal.slug))) });
		const handle = isPinned && button(icon("drag"), undefined, "handle");
		const item = h("li", { "data-goal": goal.slug, "data-pinned": isPinned },
			h("label.check.grow", box, h("span.grow", h("bdi", title),
				goal.title && goal.title !== goal.slug && h("span.soft.small", ` ${goal.slug}`))),
			handle);
		if (!handle) return item;
		handle.setAttribute("aria-label", t.move(title));
		handle.onpointerdown = (event) => drag(event, item, goal.slug);
		handle.onkeydown = (event) => {
			const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
			if (!step) return;
			event.preventDefault();
			move(goal.slug, store.pins.indexOf(goal.slug) + step);
		};
		return item;
	}

	/** Draws the list anew, but not from under a finger that drags a line: then when that is let go. */
	function show() {
		if (list.querySelector(".dragged")) return;
		shown = key();
		const { pins } = store;
		const words = search.value.toLowerCase();
		const goals = [...pins.map((slug) => store.goal(slug) ?? { slug }), ...store.goals.filter((goal) => !pins.includes(goal.slug))];
		const active = document.activeElement, goal = active?.closest("li[data-goal]")?.dataset.goal;
		list.replaceChildren(...goals.filter((goal) => `${goal.slug} ${goal.title ?? ""}`.toLowerCase().includes(words))
			.map((goal) => line(goal, pins.includes(goal.slug), goal.title || goal.slug)));
		if (goal) list.querySelector(`[data-goal="${goal}"] ${active.className ? ".handle" : "input"}`)?.focus();
	}
	const box = stack(h("div.search", icon("search"), search), list);
	box.update = () => { if (key() !== shown) show(); };
	box.update();
	return box;
}

export const pinsPage = {
	title: t.title, help: t.help,
	state: () => t.state(store.goals.length, store.pins.length),
	show(place) {
		const list = pinList();
		place.append(list, row(button(t.refresh, () => api.refreshGoals().then(() => toast(t.refreshing), fault))));
		return list.update;
	},
};
