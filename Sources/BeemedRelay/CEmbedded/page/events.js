// Presses and what has become of them, of all devices, by day.
import { api } from "./api.js";
import { button, h, icon } from "./dom.js";
import { eventLine } from "./event.js";
import { goalSelect, searchInput } from "./parts.js";
import { store } from "./store.js";
import { fault } from "./toast.js";
import { dayName } from "./time.js";
import { texts } from "./texts.js";

const t = texts.list;
const FILTERS = { all: "", hand: "refused,held", waiting: "queued,sending,held", delivered: "delivered,merged" };
/** How many pages a search reads at most before it shows what it has found. */
const PAGES = 10;

/** Draws a list anew; the keyboard stays at the same button of the same line, or the next one. */
function redraw(list, lines) {
	const active = list.contains(document.activeElement) && document.activeElement;
	const line = active && active.closest("li");
	const all = () => [...list.querySelectorAll("li.event")];
	const place = all().indexOf(line);
	list.replaceChildren(...lines);
	if (!active) return;
	const found = all();
	const now = found.find((one) => one.dataset.id === line.dataset.id) ?? found[Math.min(place, found.length - 1)];
	((now ?? list).querySelector("button") ?? document.querySelector("select[name=goal]")).focus();
}

/** The lines with a heading above those of each day. */
function byDay(lines) {
	let day;
	return lines.flatMap(([time, line]) => {
		const name = dayName(time);
		if (name === day) return [line];
		day = name;
		return [h("li.day", h("h2.group", name)), line];
	});
}

/** How long a list that a person has a hand on does not move. */
const HOLD = 4000;

export const events = () => eventsView;

function eventsView(root) {
	let filter = "all", events = [], none = "", next, version, turn = 0, isLoading = false, touched = 0, timer, wait;
	const touch = () => { touched = Date.now(); };
	const own = h("ul.list", { onpointerdown: touch });
	const list = h("ul.list", { onpointerdown: touch, onkeydown: touch });
	const older = button(t.older, () => load(true));
	const goal = goalSelect(t.anyGoal);
	goal.setAttribute("aria-label", texts.goal.goal);
	goal.onchange = () => choose();
	const search = searchInput(t.search, () => { clearTimeout(wait); wait = setTimeout(choose, 250); });
	const chips = Object.keys(FILTERS).map((name) => {
		const chip = button(t.filters[name], () => {
			filter = name;
			chips.forEach((other) => other.setAttribute("aria-pressed", String(other === chip)));
			choose();
		});
		chip.setAttribute("aria-pressed", String(name === filter));
		return chip;
	});
	root.append(h("div.narrow", h("h1", texts.events), h("div.search", icon("search"), search),
		h("div.chips", { role: "group", "aria-label": texts.events }, chips), goal, h("div.card.events", own, list), older));

	/** Whether an event has what is sought. */
	const isSought = (event) => {
		const text = `${event.goal} ${store.title(event.goal)} ${event.comment ?? ""} ${event.device ?? ""} ${event.value}`.toLowerCase();
		return search.value.toLowerCase().split(/\s+/).every((word) => text.includes(word));
	};
	/** Shows the events, or why there are none. */
	const draw = () => redraw(list, events.length ? byDay(events.map((event) => [event.timestamp, eventLine(event, acted)]))
		: none && !own.children.length ? [h("li.soft", none)] : []);
	/** Shows nothing until what was chosen is there: a list of something else would be taken for it. */
	function choose() {
		events = [];
		none = "";
		next = undefined;
		draw();
		showOwn();
		load();
	}
	/** Only the last of several loads counts. */
	async function load(isMore = false) {
		const mine = ++turn;
		isLoading = true;
		version = store.context?.version ?? 0;
		try {
			let found = [], before = isMore ? next : undefined, pages = 0;
			do {
				const answer = await api.events({ state: FILTERS[filter], goal: goal.value, limit: search.value ? 100 : 30, before });
				if (mine !== turn) return;
				found = found.concat(answer.events.filter(isSought));
				before = answer.next;
			} while (before && found.length < 10 && ++pages < PAGES);
			next = before;
			events = isMore ? events.concat(found) : found;
			none = t.none;
			draw();
		} catch (error) {
			if (mine !== turn) return;
			if (isMore) fault(error);
			else {
				version = undefined;
				none = error.message;
				draw();
			}
		}
		older.hidden = !next;
		isLoading = false;
		if (version !== undefined) update();
	}
	/** Shows at once what a person has changed. */
	async function acted() {
		touched = 0;
		showOwn();
		await load();
	}
	/** The goals may come after the view, and change. */
	function fillGoals() {
		const titles = store.goals.map(({ slug, title }) => `${slug} ${title}`).join();
		if (goal.dataset.titles === titles) return;
		const { value } = goal;
		goal.dataset.titles = titles;
		goal.replaceChildren(...goalSelect(t.anyGoal).childNodes);
		goal.value = store.goal(value) ? value : "";
		if (events.length) draw();
	}
	function showOwn() {
		const mine = [...store.presses.kept, ...store.presses.rejected].reverse()
			.filter((press) => filter !== "delivered" && (filter !== "hand" || press.state === "rejected") && isSought(press));
		const key = mine.map((press) => [press.id, press.state, press.isUnwanted, store.title(press.goal)]).join();
		if (own.dataset.key === key) return;
		own.dataset.key = key;
		redraw(own, mine.map((press) => eventLine(press, acted)));
		if (!events.length) draw();
	}
	const update = () => {
		fillGoals();
		showOwn();
		if (isLoading || (store.context?.version ?? 0) === version) return;
		// A list that a person has a hand on, or has paged through, does not move away.
		const isHeld = Date.now() - touched < HOLD || document.querySelector("dialog[open]");
		clearTimeout(timer);
		if (version === undefined || !(isHeld || events.length > 30)) load();
		else if (isHeld) timer = setTimeout(update, HOLD);
	};
	older.hidden = true;
	update();
	return { update, end: () => { clearTimeout(timer); clearTimeout(wait); } };
}
