// A goal in a line: what is due, how much today, the last two weeks, and a button that says what it logs.
import { button, h, join } from "./dom.js";
import { showGoal } from "./goalview.js";
import { showFate } from "./event.js";
import { press } from "./toast.js";
import { spark } from "./spark.js";
import { store } from "./store.js";
import { colourOf, dueOf, isDue, usualOf } from "./standing.js";
import { decimal, number, signed } from "./time.js";
import { texts } from "./texts.js";

const t = texts.goal;
/** How long the end of the last press stays beside its goal. */
const SHOWN = 15_000;
const ENDS = { delivered: "good", merged: "good", undone: "", guarded: "" };

/** The state of a goal's presses, the one first that a person must see: a word, its colour, why, and what it is
 * of. The same place is kept for it while there is nothing to tell. */
function fateOf(goal) {
	const { slug } = goal;
	const mine = store.presses.of(slug), last = mine[mine.length - 1];
	const rejected = mine.find(({ state }) => state === "rejected");
	if (rejected) return { word: t.fate.rejected, kind: "bad", why: rejected.why, press: rejected };
	const event = store.stuck.find((one) => one.goal === slug);
	if (event) return { word: t.fate[event.state], kind: event.state === "refused" ? "bad" : "warn", why: event.refusal?.why, event };
	if (last?.state === "refused") return { word: t.fate.refused, kind: "bad", why: last.why, press: last };
	const kept = store.presses.kept.filter((press) => press.goal === slug && !press.isUnwanted);
	const waiting = goal.queued + kept.length;
	if (last?.isUnwanted && last.state !== "undone") return { word: t.fate.undone, kind: "", press: last };
	if (last?.state === "sending") return { word: t.fate.sending, kind: "", press: last };
	if (last?.state === "kept") return { word: t.fate.kept, kind: "warn", press: last };
	if (waiting) return { word: t.waiting(waiting), kind: "warn", press: last?.state === "received" ? last : undefined };
	const isFresh = last && last.state in ENDS && Date.now() - (last.heardAt ?? 0) < SHOWN;
	return isFresh ? { word: t.fate[last.state], kind: ENDS[last.state], press: last } : undefined;
}

/** A list item that `update(goal)` brings up to date without moving anything. */
export function goalRow(slug) {
	const title = h("bdi");
	const heading = h("h3", { id: `goal-${slug}` }, title);
	const due = h("span.due"), count = h("b"), why = h("span.bad");
	const open = h("button.open", { type: "button", onclick: () => showGoal(slug) });
	const drawing = spark();
	const reading = h("input", { ...decimal.rule, required: true, autocomplete: "off", onkeydown: (event) => { if (event.key === "Enter") log.click(); } });
	let told, usual;
	const fate = h("button.fate", { type: "button", onclick: () => showFate(told) });
	const log = button("", () => {
		if (usual) press({ goal: slug, ...usual });
		else if (!reading.hidden && !reading.reportValidity()) return;
		else if (reading.hidden) showGoal(slug);
		else press({ goal: slug, value: decimal.read(reading.value) });
	}, "press");
	const numbers = h("span", due, h("span.now", " · ", count, " ", t.today));
	const about = h("div.about", open, heading, h("p.today", numbers, why)), cell = h("div.cell", drawing, reading);
	const item = h("li.goal", { "data-goal": slug, "aria-labelledby": heading.id }, about, cell, log);

	const set = (element, text) => { if (element.textContent !== text) element.textContent = text; };
	item.update = (goal) => {
		const name = goal.title || slug;
		set(title, name);
		const colour = colourOf(goal);
		item.dataset.colour = colour;
		set(due, dueOf(goal));
		usual = usualOf(goal, store.presets, store.lately);
		const local = usual ? store.presses.local(slug) : 0;
		set(count, number(goal.today + local));
		if (goal.days) drawing.update([...goal.days.slice(0, -1), goal.days[goal.days.length - 1] + local]);
		told = fateOf(goal);
		// The field of a reading stays, for the next one: what becomes of the last one stands in the line beside it.
		const place = usual ? cell : about;
		if (fate.parentNode !== place) place.append(fate);
		about.classList.toggle("told", Boolean(told && !usual));
		set(fate, told?.word ?? "");
		fate.className = `fate ${told?.kind ?? ""}`;
		fate.hidden = !told;
		fate.setAttribute("aria-label", join(told?.word, told?.why, name));
		set(why, told?.why ?? "");
		numbers.hidden = Boolean(told?.why);
		reading.hidden = Boolean(usual);
		drawing.toggleAttribute("hidden", !usual || Boolean(told));
		if (!usual && document.activeElement !== reading && reading.last !== goal.lastValue) reading.value = reading.last = goal.lastValue ?? "";
		reading.setAttribute("aria-label", t.reading(name));
		set(log, usual ? signed(usual.value) : t.log);
		log.setAttribute("aria-label", usual ? t.logs(signed(usual.value), name) : t.reading(name));
		log.classList.toggle("primary", isDue(goal));
		open.setAttribute("aria-label", t.open(name));
	};
	return item;
}
