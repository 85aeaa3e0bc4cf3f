// A press and what has become of it, wherever it is shown, with all that can be done with it.
import { api, isPhone } from "./api.js";
import { button, dialog, field, h, icon, join, note, row, submit } from "./dom.js";
import { cancelOr, closer, confirm, form, goalSelect } from "./parts.js";
import { store } from "./store.js";
import { fault, SECONDS } from "./toast.js";
import { clock, now, relative, signed, time } from "./time.js";
import { texts } from "./texts.js";

const t = texts.list;
const KINDS = { delivered: "good", merged: "good", refused: "bad", rejected: "bad", held: "warn", queued: "warn", sending: "warn", kept: "warn" };

/** Why an event is where it is, in words. */
function why(event) {
	if (event.state === "rejected") return event.why;
	if (event.isUnwanted) return t.unwantedWhy;
	if (event.refusal) return t.refusedBy(event.refusal.why);
	if (event.state === "held") return event.lastError ?? t.heldWhy;
	if (event.state === "guarded") return t.guardedWhy;
	if (event.state === "undone" && event.erased === false) return t.beingErased;
	if (event.how === "overwritten") return t.overwritten;
	if (event.state !== "queued" || !event.lastError) return "";
	return join(event.lastError, event.nextAttempt && t.next(relative(event.nextAttempt)));
}

const stateOf = (event) => (event.isUnwanted ? "undone" : event.state);
const nameOf = (device) => (device && device !== "owner" ? device : t.here);

/** Does for good what `ask` asks about a press; without asking where the line at the bottom does so. */
const asked = (ask, name, event, work) => async () => {
	const what = [signed(event.value), store.title(event.goal)];
	if ((event.state !== "refused" && now() - event.received < SECONDS) || await confirm(ask(...what), name)) await work();
	else return false;
};

/** Asks for another goal than the one that did not take it. */
async function sendElsewhere(event) {
	const goal = await dialog(t.elsewhereTitle, (close) => {
		const select = goalSelect(undefined, undefined, event.goal);
		return [form(() => close(select.value), field(texts.goal.goal, select), cancelOr(close, submit(t.send)))];
	});
	if (!goal) return false;
	await api.retry(event.requestid, goal);
}

/** The possible actions, as names and works; a work that answers false has changed nothing. */
function actsOf(event) {
	const { state, requestid } = event;
	const { presses } = store;
	if (event.madeAt) {
		if (state === "rejected") return [[t.retry, () => presses.again(event), "primary"],
			[t.discard, asked(t.discardAsk, t.discard, event, () => presses.discard(event)), "danger"]];
		return event.isUnwanted ? [] : [[t.undo, () => presses.undo(event)]];
	}
	const undo = () => api.undo(requestid);
	const canMove = ["refused", "held", "guarded"].includes(state);
	return [
		canMove && state !== "held" && [t.retry, () => api.retry(requestid), "primary"],
		canMove && [t.elsewhere, () => sendElsewhere(event)],
		state === "refused" ? [t.discard, asked(t.discardAsk, t.discard, event, undo), "danger"]
			: !["undone", "guarded"].includes(state) && [t.undo, ["delivered", "merged"].includes(state) ? asked(t.undoAsk, t.undo, event, undo) : undo],
	].filter(Boolean);
}

/** The state of an event. In a list the usual end is a tick, which is heard as a word. */
function badge(event, isBrief) {
	const state = stateOf(event);
	const word = t.states[state] ?? state;
	return h("span", { class: `badge ${KINDS[state] ?? ""}` }, isBrief && state === "delivered" ? ["✓", h("span.hear", word)] : word);
}

/** Shows a press, and does what is chosen; `changed()` then. */
export function showEvent(event, changed = () => store.load()) {
	return dialog(h("span", `${signed(event.value)} · `, h("bdi", store.title(event.goal))), (close) => [
		h("p", badge(event)),
		why(event) && h("p", { class: KINDS[stateOf(event)] === "bad" ? "bad" : "soft" }, why(event)),
		event.comment && h("p", "“", h("bdi", event.comment), "”"),
		note(join(t.from(nameOf(event.device)), event.daystamp && t.forDay(event.daystamp), t.pressed(clock(event.timestamp ?? event.madeAt)),
			event.received && Math.abs(event.received - event.timestamp) > 60 && t.received(clock(event.received)),
			event.attempts > 1 && t.attempts(event.attempts))),
		row(...actsOf(event).map(([name, work, style]) => button(name, async () => {
			try { if (await work() === false) return; } catch (error) { fault(error); }
			close();
			await changed();
		}, style))),
		closer(close, texts.close),
	]);
}

/** Shows the press that a goal's line tells of. */
export async function showFate({ press, event }) {
	try {
		const isHere = press && (["kept", "sending", "rejected"].includes(press.state) || press.isUnwanted);
		const found = event ?? (isHere ? press : press && await api.event(press.id));
		if (found) await showEvent(found);
		else if (!isPhone) location.hash = "#events";
	} catch (error) { fault(error); }
}

/** A press in one line, with the rest behind its button. A short one stands below its goal's title. */
export function eventLine(event, changed, isShort) {
	const { state } = event;
	const name = store.title(event.goal);
	const more = button(icon("more"), async () => {
		await showEvent(event, changed);
		// The list may have been drawn anew meanwhile.
		if (document.activeElement === document.body) document.querySelector(`[data-id="${event.requestid ?? event.id}"] .icon-button`)?.focus();
	}, "icon-button");
	more.setAttribute("aria-label", t.more(signed(event.value), name));
	const undo = isShort && button(t.undo, () => api.undo(event.requestid).then(changed, fault), "quiet");
	const reason = why(event);
	return h("li.event", { "data-state": stateOf(event), "data-id": event.requestid ?? event.id },
		h("div.line", h(isShort ? "span.whole" : "span.grow.cut", h("strong", signed(event.value)), " ", !isShort && h("bdi", name)),
			h("span.soft.small.cut", join(nameOf(event.device), time(event.timestamp ?? event.madeAt))), badge(event, true), undo, more),
		!isShort && event.comment && h("p.small.soft", "“", h("bdi", event.comment), "”"),
		reason && h("p", { class: `small ${KINDS[state] === "bad" ? "bad" : "soft"}` }, reason));
}
