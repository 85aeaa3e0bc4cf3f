// Presses and what has become of them, of all devices.
import { api } from "./api.js";
import { button, dialog, field, h, join, note, row, submit } from "./dom.js";
import { cancelOr, form, goalSelect } from "./parts.js";
import { store } from "./store.js";
import { fault } from "./toast.js";
import { clock, relative, signed } from "./time.js";
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
	return h("li", { "data-state": event.state },
		h("div.row.spread", h("strong", `${signed(event.value)} · ${store.title(event.goal)}`),
			h("span", { class: `badge ${state}` }, name)),
		event.comment && h("p", `“${event.comment}”`), note(times),
		reason && h("p", { class: `small ${state === "refused" ? "bad" : "soft"}` }, reason), row(...buttons));
}

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
	return line(event, state, t.states[state] ?? state,
		join(t.from(event.device), event.daystamp && t.forDay(event.daystamp), t.pressed(clock(event.timestamp)),
			Math.abs(event.received - event.timestamp) > 60 && t.received(clock(event.received)),
			event.attempts > 1 && t.attempts(event.attempts)),
		why(event),
		canMove && state !== "held" && button(t.retry, () => act(() => api.retry(requestid))),
		canMove && button(t.elsewhere, () => act(() => sendElsewhere(event))),
		!["undone", "guarded"].includes(state)
			&& button(isRefused ? t.discard : t.undo, () => act(() => api.undo(requestid)), isRefused ? "danger" : "quiet"));
}

/** Those that are only in this page. */
function ownLine(press) {
	const isRejected = press.state === "rejected";
	if (press.isUnwanted) return line(press, "", t.states.undone, t.pressed(clock(press.madeAt)), t.unwantedWhy);
	const { presses } = store;
	return line(press, isRejected ? "refused" : "", isRejected ? t.states.rejected : t.states.kept, t.pressed(clock(press.madeAt)), press.why,
		isRejected && button(t.retry, () => presses.again(press)),
		isRejected ? button(t.discard, () => presses.discard(press), "danger") : button(t.undo, () => presses.undo(press).catch(fault)));
}

export function eventsView(root) {
	let filter = "all", next, version, isLoading = false;
	const own = h("ul.list");
	const list = h("ul.list");
	const older = button(t.older, () => load(true));
	const goal = goalSelect(t.anyGoal);
	goal.setAttribute("aria-label", t.goal);
	goal.onchange = () => load();
	const chips = Object.keys(FILTERS).map((name) => {
		const chip = button(t.filters[name], () => {
			filter = name;
			chips.forEach((other) => other.setAttribute("aria-pressed", String(other === chip)));
			load();
		});
		chip.setAttribute("aria-pressed", String(name === filter));
		return chip;
	});
	root.append(h("div.narrow", h("h1", texts.events), h("div.chips", { role: "group", "aria-label": texts.events }, chips),
		goal, h("div.card", own, list), older));

	async function load(isMore = false) {
		if (isLoading) { version = undefined; return; }
		isLoading = true;
		version = store.context?.version;
		try {
			let found = [], before = isMore ? next : undefined;
			do {
				const answer = await api.events({ state: FILTERS[filter], goal: goal.value, limit: 30, before });
				found = found.concat(answer.events);
				before = next = answer.next;
			} while (before && found.length < 10);
			const lines = found.map((event) => eventLine(event, act));
			if (isMore) list.append(...lines);
			else list.replaceChildren(...(lines.length || own.children.length ? lines : [h("li.soft", t.none)]));
		} catch (error) { if (isMore) fault(error); } finally { isLoading = false; older.hidden = !next; }
	}
	/** Changes an event. The keyboard stays at its line, which is drawn anew. */
	async function act(change) {
		const place = [...list.children].findIndex((one) => one.contains(document.activeElement));
		try { await change(); } catch (error) { fault(error); }
		await load();
		const now = list.children[Math.min(place, list.children.length - 1)];
		if (place >= 0) (now?.querySelector("button") ?? goal).focus();
	}
	/** The goals may come after the view, and change. */
	function fillGoals() {
		const slugs = store.goals.map(({ slug }) => slug).join();
		if (goal.dataset.slugs === slugs) return;
		const { value } = goal;
		goal.dataset.slugs = slugs;
		goal.replaceChildren(...goalSelect(t.anyGoal).childNodes);
		goal.value = store.goal(value) ? value : "";
	}
	const update = () => {
		fillGoals();
		const mine = [...store.presses.kept, ...store.presses.rejected].reverse();
		const key = mine.map((press) => press.id + press.state + press.isUnwanted).join();
		if (own.dataset.key !== key) {
			own.dataset.key = key;
			own.replaceChildren(...mine.map(ownLine));
		}
		// A list that a person has a hand on, or has paged through, does not move away.
		const isBusy = list.contains(document.activeElement) || list.children.length > 30 || document.querySelector("dialog[open]");
		if (version === undefined || (store.context?.version !== version && !isBusy)) load();
	};
	older.hidden = true;
	update();
	return { update };
}
