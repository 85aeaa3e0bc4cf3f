// One goal: how urgent, how much today, the last two weeks, and the big +1.
import { button, h, icon, join, svg } from "./dom.js";
import { askForPress } from "./pressdialog.js";
import { press } from "./toast.js";
import { store } from "./store.js";
import { decimal, now, number, riskOf, span } from "./time.js";
import { texts } from "./texts.js";

const t = texts.main;
const DONE = ["delivered", "merged"];
/** After these nothing more becomes of a press. */
const ENDS = [...DONE, "undone"];
/** How long the last press's fate stays beside its goal. */
const SHOWN = 15_000;

const WIDTH = 200, HEIGHT = 32, GAP = 3;

/** The last two weeks, a bar a day; `update(days)` has one number for each, today last. */
function spark() {
	const drawing = svg("svg", { class: "spark", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img" });
	drawing.update = (days) => {
		const key = days.join(" ");
		if (drawing.key === key) return;
		drawing.key = key;
		const most = Math.max(...days.map(Math.abs), 1e-9);
		const step = WIDTH / days.length;
		drawing.setAttribute("aria-label", t.weeks(days.map(number).join(", ")));
		drawing.replaceChildren(...days.map((value, day) => {
			const height = value ? Math.max(3, Math.abs(value) / most * HEIGHT) : 1.5;
			return svg("rect", { x: day * step + GAP / 2, y: HEIGHT - height, width: step - GAP, height, rx: 1.5,
				fill: "currentColor", opacity: value ? 1 : 0.5, class: day === days.length - 1 ? "now" : "" });
		}));
	};
	return drawing;
}

/** A list item that `update(goal)` brings up to date without moving anything. */
export function goalCard(slug) {
	const title = h("bdi");
	const heading = h("h3", { id: `goal-${slug}` }, title);
	const urgency = h("span.urgency");
	const risk = h("p.risk.bad", { hidden: true });
	const units = h("span");
	const count = h("b");
	const waiting = h("span");
	const fate = h("span.fate", { "aria-hidden": "true" });
	const drawing = spark();
	const reading = h("input", { ...decimal.rule, required: true, autocomplete: "off", "aria-label": texts.press.value,
		onkeydown: (event) => { if (event.key === "Enter") plus.click(); } });
	const plus = button("+1", () => {
		if (reading.hidden) press({ goal: slug });
		else if (reading.reportValidity()) press({ goal: slug, value: decimal.read(reading.value) });
	}, "press");
	const more = button(icon("more"), () => askForPress(slug), "icon-button more");
	const item = h("li.goal.card", { "data-goal": slug, "aria-labelledby": heading.id },
		h("div", heading, urgency), plus,
		h("p.today", count, " ", units, waiting, " ", fate), drawing, more, reading, risk);

	const set = (element, text) => { if (element.textContent !== text) element.textContent = text; };
	item.update = (goal) => {
		const name = goal.title || slug;
		set(title, name);
		// Of words as in `+5 in 0 days (60)`; nothing of +0.
		const due = /^\+[\d.]*[1-9][^ ]*/.exec(goal.due)?.[0];
		urgency.className = `urgency ${goal.urgency}`;
		const left = goal.losedate ? goal.losedate - now() : undefined;
		set(urgency, join(t.urgency[goal.urgency], due && t.due(due),
			left !== undefined && (left > 0 ? t.left(span(left)) : t.derailed)));
		// Readings, as of a weight, are not added, and the field has the last one.
		const isReading = goal.adds === false;
		const local = isReading ? 0 : store.presses.local(slug);
		if (reading.last !== goal.lastValue && document.activeElement !== reading) reading.value = (reading.last = goal.lastValue) ?? "";
		reading.hidden = !isReading;
		set(plus, isReading ? texts.press.log : "+1");
		const sum = number(goal.today + local);
		if (count.textContent && count.textContent !== sum) {
			count.classList.remove("up");
			void count.offsetWidth;
			count.classList.add("up");
		}
		set(count, sum);
		set(units, `${goal.units ?? ""} ${t.today}`.trim());
		const queue = goal.queued + store.presses.kept.filter((press) => press.goal === slug && !press.isUnwanted).length;
		risk.hidden = !goal.atRisk;
		set(risk, goal.atRisk ? riskOf(goal.minutesLeft, goal.queued) : "");
		set(waiting, queue ? ` · ${t.waiting(queue)}` : "");
		if (goal.days) drawing.update([...goal.days.slice(0, -1), goal.days.at(-1) + local]);
		plus.setAttribute("aria-label", isReading ? texts.press.title(name) : t.plusOne(name));
		more.setAttribute("aria-label", t.more(name));
		const last = store.presses.of(slug).at(-1);
		const isOver = last && ENDS.includes(last.state) && Date.now() - (last.heardAt ?? 0) > SHOWN;
		// How many wait is said beside it.
		const isSaid = queue > 0 && last?.state === "received";
		set(fate, last && !isSaid && last.state !== "rejected" && !isOver ? t.fate[last.isUnwanted ? "undone" : last.state] ?? "" : "");
		fate.classList.toggle("done", DONE.includes(last?.state));
	};
	return item;
}
