// Builds elements. A given text becomes a text node and nothing else: nothing that came from a
// device or from Beeminder is ever markup.
const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
	for (const [name, value] of Object.entries(attributes)) {
		if (value === undefined || value === null || value === false) continue;
		if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
		else if (name === "value" || name === "checked" || name === "disabled") element[name] = value;
		else element.setAttribute(name, value === true ? "" : value);
	}
	element.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));
	return element;
}

/** An element: `h("p.soft", { id: "x" }, "text", otherElement)`. */
export function h(name, ...children) {
	const [tag, ...classes] = name.split(".");
	const element = document.createElement(tag);
	if (classes.length) element.className = classes.join(" ");
	return fill(element, children[0]?.constructor === Object ? children.shift() : {}, children);
}

/** An element of SVG. */
export function svg(tag, attributes = {}, ...children) {
	return fill(document.createElementNS(SVG, tag), attributes, children);
}

const PATHS = {
	next: "M9 5l7 7-7 7",
	back: "M15 5l-7 7 7 7",
	goals: "M4 6h16M4 12h16M4 18h10",
	events: "M12 7v5l3.5 2M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0z",
	settings: "M4 7h9m5 0h2M4 17h2m5 0h9M15.5 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM8.5 19.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z",
	search: "M20 20l-4.2-4.2M18 11a7 7 0 1 1-14 0 7 7 0 0 1 14 0z",
	more: "M4 11.5h1v1h-1zM11.5 11.5h1v1h-1zM19 11.5h1v1h-1z",
	drag: "M5 9h14M5 15h14",
};

/** A drawn sign, which says nothing to a screen reader. */
export function icon(name) {
	return svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" },
		svg("path", { d: PATHS[name] }));
}

/** Says which of several is the present one. Older browsers do not know the property. */
export const setCurrent = (element, kind) => (kind ? element.setAttribute("aria-current", kind) : element.removeAttribute("aria-current"));

/** Elements that are used again and again. */
export const button = (text, onclick, style) => h("button", { type: "button", class: style, onclick }, text);
export const submit = (text) => h("button.primary", text);
/** A link that leaves the page. */
export const link = (href, ...text) => h("a", { href, target: "_blank", rel: "noreferrer" }, ...text);
export const row = (...children) => h("div.row", ...children);
export const stack = (...children) => h("div.stack", ...children);
export const note = (...children) => h("p.soft.small", ...children);
export const field = (text, input) => h("label.field", text, input);
export const actions = (...children) => h("div.actions", ...children);
/** A list of what there is, or a word for nothing. */
export const fillList = (place, items, line, none) => place.replaceChildren(...(items.length ? items.map(line) : [h("li.soft", none)]));
export function listOf(items, line, none) {
	const list = h("ul.list");
	fillList(list, items, line, none);
	return list;
}
export const join = (...parts) => parts.filter(Boolean).join(" · ");

let asked = 0;

/** Asks in a dialogue that holds what `content(close)` makes; answers when it is closed: by that, by Escape, or by a tap
 * that begins and ends beside it. */
export function dialog(title, content, style) {
	return new Promise((resolve) => {
		const close = (value) => { answer = value; box.close(); };
		const id = `asked-${++asked}`;
		let answer, isBeside;
		const tap = (event) => {
			const { left, right, top, bottom } = box.getBoundingClientRect();
			const { clientX: x, clientY: y } = event;
			const was = isBeside;
			isBeside = event.target === box && (x < left || x > right || y < top || y > bottom);
			if (event.type === "click" && was && isBeside) close();
		};
		const box = h("dialog", { class: style, "aria-labelledby": id, onpointerdown: tap, onclick: tap,
			onclose: () => { box.remove(); resolve(answer); } }, stack(h("h2", { id }, title), content(close)));
		document.getElementById("view").append(box);
		box.showModal();
	});
}

/** Copies a text, also where the page is not on a secure origin, as on most relays at home. */
export async function copyText(text) {
	if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(text);
	const area = h("textarea.hear", { value: text, "aria-hidden": "true" });
	(document.querySelector("dialog[open]") ?? document.body).append(area);
	area.select();
	document.execCommand("copy");
	area.remove();
}
