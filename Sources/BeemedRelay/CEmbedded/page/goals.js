// The main view: what is due, then pinned goals, then the others, and a search over all of them.
import { button, h, icon, stack } from "./dom.js";
import { goalRow } from "./goalrow.js";
import { searchInput } from "./parts.js";
import { isDue } from "./standing.js";
import { store } from "./store.js";
import { texts } from "./texts.js";

const t = texts.main;
/** How many of the other goals are shown at first. */
const FEW = 12;
const BY_URGENCY = (a, b) => (a.losedate ?? 1e11) - (b.losedate ?? 1e11) || a.slug.localeCompare(b.slug);

/** The choice of what to see, until the page is loaded again. */
let showsAll = false, sought = "";

export function goalsView(root) {
	const rows = new Map();
	let due = [], order = [], pins = [], shape;
	const search = searchInput(t.search, () => { sought = search.value; arrange(); });
	search.value = sought;
	const content = stack();
	root.append(h("h1.hear", texts.goals), h("div.search", icon("search"), search), content);

	const row = (slug) => {
		if (!rows.has(slug)) rows.set(slug, goalRow(slug));
		return rows.get(slug);
	};
	const group = (name, slugs, more) => slugs.length > 0 && [h("h2.group", name), h("ul.grid", slugs.map(row)), more];
	const refresh = () => rows.forEach((made, slug) => { if (made.isConnected && store.goal(slug)) made.update(store.goal(slug)); });

	const slugsOf = (goals) => [...goals].sort(BY_URGENCY).map(({ slug }) => slug);
	/** Finds the order. It is kept while the view is open, so that no goal moves away under a finger: only one that has
	 * become due comes up. */
	function sort() {
		due = slugsOf(store.goals.filter(isDue));
		order = slugsOf(store.goals);
	}
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
		if (!known.length) return [h("p.empty", store.hasLoaded ? t.empty : "")];
		const urgent = known.filter((slug) => due.includes(slug));
		const pinned = pins.filter((slug) => known.includes(slug) && !due.includes(slug));
		const rest = known.filter((slug) => !due.includes(slug) && !pins.includes(slug));
		const few = showsAll ? rest : rest.slice(0, FEW);
		const more = few.length < rest.length && button(t.showAll(known.length), () => {
			showsAll = true;
			arrange();
			row(rest[few.length]).querySelector(".open").focus();
		});
		return [group(t.due, urgent), group(t.pinned, pinned), group(urgent.length + pinned.length ? t.others : texts.goals, few, more)];
	}

	const update = () => {
		const slugs = store.goals.map((goal) => goal.slug);
		const isNew = store.goals.some((goal) => isDue(goal) && !due.includes(goal.slug));
		const current = `${[...slugs].sort()};${store.pins};${store.hasLoaded}`;
		if (current === shape && !isNew) return refresh();
		if (!order.length) sort();
		else if (isNew) due = slugsOf(store.goals.filter((goal) => isDue(goal) || due.includes(goal.slug)));
		order.push(...slugs.filter((slug) => !order.includes(slug)));
		shape = current;
		({ pins } = store);
		arrange();
	};
	const keys = (event) => {
		if (event.key === "/" && !event.target.closest("input, select, textarea, dialog")) {
			event.preventDefault();
			search.focus();
		}
	};
	/** A person who comes back to the page finds the order as it is by then. */
	const back = () => {
		if (document.hidden) return;
		sort();
		arrange();
	};
	addEventListener("keydown", keys);
	document.addEventListener("visibilitychange", back);
	const timer = setInterval(update, 20_000);
	update();
	return { update, end: () => {
		clearInterval(timer);
		removeEventListener("keydown", keys);
		document.removeEventListener("visibilitychange", back);
	} };
}
