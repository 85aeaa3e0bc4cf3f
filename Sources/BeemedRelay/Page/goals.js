// The main view: pinned goals, then the others, and a search over all of them.
import { button, h, icon, stack } from "./dom.js";
import { goalCard } from "./goalcard.js";
import { store } from "./store.js";
import { texts } from "./texts.js";

const t = texts.main;
const FEW = 6;
const URGENCIES = ["critical", "warning", "safe"];

/** Pinned first in their order, then recently used, then most urgent: found once when the view opens, so that no
 * goal moves away under a finger. */
function inOrder(goals, pins) {
  const recent = Date.now() / 1000 - 7 * 86_400;
  const rank = (goal) => {
    const pin = pins.indexOf(goal.slug);
    if (pin >= 0) return [0, pin];
    if (goal.lastLogged > recent) return [1, -goal.lastLogged];
    return [2, URGENCIES.indexOf(goal.urgency) * 1e11 + (goal.losedate ?? 1e11)];
  };
  return goals.map((goal) => [rank(goal), goal.slug])
    .sort(([a], [b]) => a[0] - b[0] || a[1] - b[1]).map(([, slug]) => slug);
}

/** Shows the view; answers what brings it up to date. */
export function goalsView(root) {
  const cards = new Map();
  let order = [], pinned = [], showsAll = false, shape;
  const search = h("input", { type: "search", placeholder: t.search, "aria-label": t.search, autocomplete: "off",
    autocapitalize: "none", spellcheck: "false", oninput: () => arrange() });
  const content = stack();
  root.append(h("h1", { class: "hear" }, texts.goals), h("div", { class: "search" }, icon("search"), search), content);

  const card = (slug) => {
    if (!cards.has(slug)) cards.set(slug, goalCard(slug));
    return cards.get(slug);
  };
  const group = (name, slugs, more) => slugs.length > 0 && [h("h2", { class: "group" }, name),
    h("ul", { class: "grid" }, slugs.map(card)), more];

  function refresh() {
    for (const [slug, made] of cards) {
      const goal = store.goal(slug);
      if (goal && made.isConnected) made.update(goal);
    }
  }

  function arrange() {
    show();
    refresh();
  }

  function show() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const known = order.filter((slug) => store.goal(slug));
    if (words.length) {
      const found = known.filter((slug) => {
        const text = `${slug} ${store.title(slug)}`.toLowerCase();
        return words.every((word) => text.includes(word));
      });
      content.replaceChildren(...(group(t.found, found) || [h("p", { class: "empty" }, t.none)]));
      return;
    }
    const first = known.filter((slug) => pinned.includes(slug));
    const rest = known.filter((slug) => !pinned.includes(slug));
    const few = showsAll ? rest : rest.slice(0, Math.max(FEW, FEW * 2 - first.length));
    const more = few.length < rest.length && button(t.showAll(known.length), () => { showsAll = true; arrange(); });
    const parts = [...(group(t.pinned, first) || []), ...(group(first.length ? t.others : texts.goals, few, more) || [])];
    content.replaceChildren(...(parts.filter(Boolean).length ? parts.filter(Boolean)
      : [h("p", { class: "empty" }, store.hasLoaded ? t.empty : "")]));
  }

  const update = () => {
    const slugs = store.goals.map((goal) => goal.slug);
    const now = `${slugs.toSorted()};${store.pins};${store.hasLoaded}`;
    if (now === shape) return refresh();
    if (!order.length || String(pinned) !== String(store.pins)) order = inOrder(store.goals, store.pins);
    order.push(...slugs.filter((slug) => !order.includes(slug)));
    shape = now;
    pinned = store.pins;
    arrange();
  };
  const keys = (event) => {
    if (event.key === "/" && !event.target.closest("input, select, textarea, dialog")) {
      event.preventDefault();
      search.focus();
    }
  };
  addEventListener("keydown", keys);
  const timer = setInterval(update, 20_000);
  update();
  return { update, end: () => { clearInterval(timer); removeEventListener("keydown", keys); } };
}
