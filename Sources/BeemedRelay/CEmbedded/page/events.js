// Presses and what has become of them, of all devices.
import { api } from "./api.js";
import { button, dialog, field, h, join, note, row, submit } from "./dom.js";
import { cancelOr, confirm, form, goalSelect } from "./parts.js";
import { store } from "./store.js";
import { fault, SECONDS } from "./toast.js";
import { clock, now, relative, signed } from "./time.js";
import { texts } from "./texts.js";

const t = texts.list;
const FILTERS = { all: "", waiting: "queued,sending,held", refused: "refused,guarded", delivered: "delivered,merged" };

/** Why an event is where it is, in words. */
function why(event) {
	if (event.refusal) return t.refusedBy(event.refusal.why);
	if (event.state === "held") return event.lastError ?? t.heldWhy;
	if (event.state === "guarded") return t.guardedWhy;
	if (event.state === "undone" && event.erased === false) return t.beingErased;
	if (event.how === "overwritten") return t.overwritten;
	if (event.state !== "queued" || !event.lastError) return "";
	return join(event.lastError, event.nextAttempt && t.next(relative(event.nextAttempt)));
}

/** One line of the list: what, where it is, when, why, and what can be done. */
function line(event, state, name, times, reason, ...buttons) {
	return h("li", { "data-state": event.state, "data-id": event.requestid ?? event.id },
		h("div.row.spread", h("strong", `${signed(event.value)} · `, h("bdi", store.title(event.goal))),
			h("span", { class: `badge ${state}` }, name)),
		event.comment && h("p", "“", h("bdi", event.comment), "”"), note(times),
		reason && h("p", { class: `small ${state === "refused" ? "bad" : "soft"}` }, reason), row(...buttons));
}

/** Does for good what `ask` asks about a press; without asking where the line at the bottom does so. */
const asked = (ask, event, work) => async () => {
	if (now() - event.received < SECONDS || await confirm(ask(signed(event.value), store.title(event.goal)))) await work();
};

async function sendElsewhere(event) {
	const goal = await dialog(t.elsewhereTitle, (close) => {
		const select = goalSelect();
		return form(() => close(select.value), field(t.goal, select),
			cancelOr(close, submit(t.send)));
	});
	if (goal) await api.retry(event.requestid, goal);
}

function eventLine(event, act) {
	const { state, requestid } = event;
	const canMove = ["refused", "held", "guarded"].includes(state);
	const isRefused = state === "refused";
	const hasEnded = ["refused", "delivered", "merged"].includes(state);
	const undo = () => act(() => api.undo(requestid));
	return line(event, state, t.states[state] ?? state,
		join(t.from(event.device), event.daystamp && t.forDay(event.daystamp), t.pressed(clock(event.timestamp)),
			Math.abs(event.received - event.timestamp) > 60 && t.received(clock(event.received)),
			event.attempts > 1 && t.attempts(event.attempts)),
		why(event),
		canMove && state !== "held" && button(t.retry, () => act(() => api.retry(requestid))),
		canMove && button(t.elsewhere, () => act(() => sendElsewhere(event))),
		!["undone", "guarded"].includes(state)
			&& button(isRefused ? t.discard : t.undo, hasEnded ? asked(isRefused ? t.discardAsk : t.undoAsk, event, undo) : undo,
				isRefused ? "danger" : "quiet"));
}

/** Those that are only in this page. */
function ownLine(press) {
	const isRejected = press.state === "rejected";
	if (press.isUnwanted) return line(press, "", t.states.undone, t.pressed(clock(press.madeAt)), t.unwantedWhy);
	const { presses } = store;
	return line(press, isRejected ? "refused" : "", isRejected ? t.states.rejected : t.states.kept, t.pressed(clock(press.madeAt)), press.why,
		isRejected && button(t.retry, () => presses.again(press)),
		isRejected ? button(t.discard, asked(t.discardAsk, press, () => presses.discard(press)), "danger") : button(t.undo, () => presses.undo(press).catch(fault)));
}

/** Draws a list anew; the keyboard stays at the same button of the same line, or the next one. */
function redraw(list, lines) {
	const active = list.contains(document.activeElement) && document.activeElement;
	const line = active && active.closest("li");
	const place = [...list.children].indexOf(line);
	list.replaceChildren(...lines);
	if (!active) return;
	const now = lines.find((one) => one.dataset.id === line.dataset.id) ?? lines[Math.min(place, lines.length - 1)];
	const buttons = [...(now ?? list).querySelectorAll("button")];
	(buttons.find((one) => one.textContent === active.textContent) ?? buttons[0] ?? document.querySelector("select[name=goal]")).focus();
}

/** How long a list that a person has a hand on does not move. */
const HOLD = 4000;

export function eventsView(root) {
	let filter = "all", events = [], none = "", next, version, turn = 0, isLoading = false, touched = 0, timer;
	const own = h("ul.list");
	const touch = () => { touched = Date.now(); };
	const list = h("ul.list", { onpointerdown: touch, onkeydown: touch });
	const older = button(t.older, () => load(true));
	const goal = goalSelect(t.anyGoal);
	goal.setAttribute("aria-label", t.goal);
	goal.onchange = () => choose();
	const chips = Object.keys(FILTERS).map((name) => {
		const chip = button(t.filters[name], () => {
			filter = name;
			chips.forEach((other) => other.setAttribute("aria-pressed", String(other === chip)));
			choose();
		});
		chip.setAttribute("aria-pressed", String(name === filter));
		return chip;
	});
	root.append(h("div.narrow", h("h1", texts.events), h("div.chips", { role: "group", "aria-label": texts.events }, chips),
		goal, h("div.card", own, list), older));

	/** Shows the events, or why there are none. */
	const draw = () => redraw(list, events.length ? events.map((event) => eventLine(event, act))
		: none && !own.children.length ? [h("li.soft", none)] : []);
	/** Shows nothing until what was chosen is there: a list of something else would be taken for it. */
	function choose() {
		events = [];
		none = "";
		next = undefined;
		draw();
		load();
	}
	/** Only the last of several loads counts. */
	async function load(isMore = false) {
		const mine = ++turn;
		isLoading = true;
		version = store.context?.version ?? 0;
		try {
			let found = [], before = isMore ? next : undefined;
			do {
				const answer = await api.events({ state: FILTERS[filter], goal: goal.value, limit: 30, before });
				if (mine !== turn) return;
				found = found.concat(answer.events);
				before = answer.next;
			} while (before && found.length < 10);
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
	/** Changes an event, and shows it at once. */
	async function act(change) {
		try { await change(); } catch (error) { fault(error); }
		touched = 0;
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
		const mine = [...store.presses.kept, ...store.presses.rejected].reverse();
		const key = mine.map((press) => [press.id, press.state, press.isUnwanted, store.title(press.goal)]).join();
		if (own.dataset.key === key) return;
		own.dataset.key = key;
		redraw(own, mine.map(ownLine));
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
	return { update, end: () => clearTimeout(timer) };
}
