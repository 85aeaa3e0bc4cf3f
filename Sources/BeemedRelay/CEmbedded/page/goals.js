// The main view: pinned goals, then the others, and a search over all of them.
import { button, h, icon, stack } from "./dom.js";
import { goalCard } from "./goalcard.js";
import { searchInput } from "./parts.js";
import { store } from "./store.js";
import { now } from "./time.js";
import { texts } from "./texts.js";

const t = texts.main;

/** Pinned first in their order, then recently used, then most urgent: found once when the view opens, so that no
 * goal moves away under a finger. */
function inOrder(goals, pins) {
	const recent = now() - 7 * 86_400;
	const rank = (goal) => {
		const pin = pins.indexOf(goal.slug);
		if (pin >= 0) return [0, pin];
		if (goal.lastLogged > recent) return [1, -goal.lastLogged];
		return [2, goal.losedate ?? 1e11];
	};
	return goals.map((goal) => [rank(goal), goal.slug])
		.sort(([a], [b]) => a[0] - b[0] || a[1] - b[1]).map(([, slug]) => slug);
}

/** What a person has chosen to see, until the page is loaded again. */
let showsAll = false, sought = "";

export function goalsView(root) {
	const cards = new Map();
	let order = [], pinned = [], shape;
	const search = searchInput(() => { sought = search.value; arrange(); });
	search.value = sought;
	const content = stack();
	root.append(h("h1.hear", texts.goals), h("div.search", icon("search"), search), content);

	const card = (slug) => {
		if (!cards.has(slug)) cards.set(slug, goalCard(slug));
		return cards.get(slug);
	};
	const group = (name, slugs, more) => slugs.length > 0 && [h("h2.group", name), h("ul.grid", slugs.map(card)), more];

	const refresh = () => cards.forEach((made, slug) => { if (made.isConnected && store.goal(slug)) made.update(store.goal(slug)); });
	/** Draws the groups anew; the keyboard stays at the button that it was at. */
	function arrange() {
		const active = content.contains(document.activeElement) && document.activeElement;
		content.replaceChildren(...parts().flat().filter(Boolean));
		if (active?.isConnected) active.focus({ preventScroll: true });
		refresh();
	}

	function parts() {
		const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
		const known = order.filter((slug) => store.goal(slug));
		if (words.length) {
			const found = known.filter((slug) => {
				const text = `${slug} ${store.title(slug)}`.toLowerCase();
				return words.every((word) => text.includes(word));
			});
			return group(t.found, found) || [h("p.empty", t.none)];
		}
		const first = known.filter((slug) => pinned.includes(slug));
		const rest = known.filter((slug) => !pinned.includes(slug));
		const few = showsAll ? rest : rest.slice(0, first.length ? 6 : 12);
		const more = few.length < rest.length && button(t.showAll(known.length), () => {
			showsAll = true;
			arrange();
			card(rest[few.length]).querySelector(".press").focus();
		});
		if (!known.length) return [h("p.empty", store.hasLoaded ? t.empty : "")];
		return [group(t.pinned, first), group(first.length ? t.others : texts.goals, few, more)];
	}

	const update = () => {
		const slugs = store.goals.map((goal) => goal.slug);
		const current = `${[...slugs].sort()};${store.pins};${store.hasLoaded}`;
		if (current === shape) return refresh();
		if (!order.length || String(pinned) !== String(store.pins)) order = inOrder(store.goals, store.pins);
		order.push(...slugs.filter((slug) => !order.includes(slug)));
		shape = current;
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
