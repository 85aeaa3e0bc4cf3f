// Presses and what has become of them, of all devices.
import { api } from "./api.js";
import { dialog, h } from "./dom.js";
import { goalSelect } from "./parts.js";
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
  if (event.state === "queued" && event.lastError) {
    return [event.lastError, event.nextAttempt && t.next(relative(event.nextAttempt))].filter(Boolean).join("; ");
  }
  return "";
}

function row(event, act) {
  const button = (text, change, style = "") => h("button", { type: "button", class: style, onclick: () => act(change) }, text);
  const elsewhere = async () => {
    const goal = await dialog(t.elsewhereTitle, (close) => {
      const select = goalSelect(undefined, undefined);
      return h("form", { onsubmit: (submit) => { submit.preventDefault(); close(select.value); } },
        h("label", { class: "field" }, t.goal, select),
        h("div", { class: "actions" }, h("button", { type: "button", onclick: () => close() }, texts.cancel),
          h("button", { class: "primary" }, t.send)));
    });
    if (goal) await api.retry(event.requestid, goal);
  };
  const canRetry = ["refused", "held", "guarded"].includes(event.state);
  const times = [event.device && t.from(event.device), event.daystamp && t.forDay(event.daystamp), t.pressed(clock(event.timestamp)),
    event.received && Math.abs(event.received - event.timestamp) > 60 && t.received(clock(event.received)),
    event.attempts > 1 && t.attempts(event.attempts)];
  const reason = why(event);
  return h("li", { class: "event", "data-state": event.state },
    h("div", { class: "row spread" },
      h("span", { class: "what" }, `${signed(event.value)} · ${store.title(event.goal)}`),
      h("span", { class: `badge ${event.state}` }, t.states[event.state] ?? event.state)),
    event.comment && h("p", {}, `“${event.comment}”`),
    h("p", { class: "soft small" }, times.filter(Boolean).join(" · ")),
    reason && h("p", { class: event.state === "refused" ? "bad small" : "soft small" }, reason),
    h("div", { class: "row" },
      canRetry && event.state !== "held" && button(t.retry, () => api.retry(event.requestid)),
      canRetry && button(t.elsewhere, elsewhere),
      event.state === "refused" ? button(t.discard, () => api.undo(event.requestid), "danger")
        : !["undone", "guarded"].includes(event.state) && button(t.undo, () => api.undo(event.requestid))));
}

/** Those that are only in this page. */
function ownRow(press) {
  const isRejected = press.state === "rejected";
  return h("li", { class: "event", "data-state": press.state },
    h("div", { class: "row spread" }, h("span", { class: "what" }, `${signed(press.value)} · ${store.title(press.goal)}`),
      h("span", { class: `badge ${isRejected ? "refused" : ""}` }, isRejected ? t.states.rejected : t.states.kept)),
    press.comment && h("p", {}, `“${press.comment}”`),
    h("p", { class: "soft small" }, t.pressed(clock(press.madeAt))),
    isRejected && h("p", { class: "bad small" }, press.why),
    h("div", { class: "row" }, isRejected && h("button", { type: "button", onclick: () => store.presses.again(press) }, t.retry),
      h("button", { type: "button", class: isRejected ? "danger" : "", onclick: () =>
        (isRejected ? store.presses.discard(press) : store.presses.undo(press).catch(fault)) }, isRejected ? t.discard : t.undo)));
}

/** Shows the view; answers what brings it up to date. */
export function eventsView(root) {
  let filter = location.hash.includes("refused") ? "refused" : "all", next, version, isLoading = false;
  const own = h("ul", { class: "list" });
  const list = h("ul", { class: "list", "aria-live": "off" });
  const older = h("button", { type: "button", hidden: true, onclick: () => load(true) }, t.older);
  const goal = goalSelect(t.anyGoal);
  goal.setAttribute("aria-label", t.goal);
  goal.onchange = () => load();
  const chips = Object.keys(FILTERS).map((name) => h("button", { type: "button", "aria-pressed": String(name === filter), onclick: () => {
    filter = name;
    chips.forEach((chip, index) => chip.setAttribute("aria-pressed", String(Object.keys(FILTERS)[index] === name)));
    load();
  } }, t.filters[name]));
  root.append(h("div", { class: "narrow" }, h("h1", {}, texts.events), h("div", { class: "chips", role: "group" }, chips), goal,
    h("div", { class: "card" }, own, list), older));

  async function load(isMore = false) {
    if (isLoading && !isMore) { version = undefined; return; }
    isLoading = true;
    version = store.context?.version;
    try {
      let found = [];
      let before = isMore ? next : undefined;
      do {
        const answer = await api.events({ state: FILTERS[filter], goal: goal.value, limit: 30, before });
        found = found.concat(answer.events);
        before = next = answer.next;
      } while (before && found.length < 10);
      const rows = found.map((event) => row(event, act));
      if (isMore) list.append(...rows);
      else list.replaceChildren(...(rows.length ? rows : own.children.length ? [] : [h("li", { class: "soft" }, t.none)]));
      older.hidden = !next;
    } catch (error) { if (isMore) fault(error); } finally { isLoading = false; }
  }
  async function act(change) {
    try { await change(); } catch (error) { fault(error); }
    await load();
  }
  const update = () => {
    const mine = [...store.presses.kept, ...store.presses.rejected].reverse();
    const key = mine.map((press) => press.id + press.state).join();
    if (own.dataset.key !== key) {
      own.dataset.key = key;
      own.replaceChildren(...mine.map(ownRow));
    }
    // A list that a person has a hand on, or has paged through, does not move away.
    const isBusy = list.contains(document.activeElement) || list.children.length > 30 || document.querySelector("dialog[open]");
    if (store.context?.version !== version && !isBusy) load();
  };
  update();
  if (version === undefined) load();
  return { update };
}
