// Builds elements. What is given as text becomes a text node and nothing else: nothing that came from a
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

/** An element: `h("p", {class: "soft"}, "text", otherElement)`. */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An element of SVG. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

const PATHS = {
  goals: "M4 6h16M4 12h16M4 18h10",
  events: "M12 7v5l3.5 2M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0z",
  settings: "M4 7h9m5 0h2M4 17h2m5 0h9M15.5 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM8.500 19.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z",
  search: "M20 20l-4.200-4.200M18 11a7 7 0 1 1-14 0 7 7 0 0 1 14 0z",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  pin: "M9 4h6l-1 6 3 3v2H7v-2l3-3-1-6zM12 15v5",
  drag: "M5 9h14M5 15h14",
  up: "M6 14l6-6 6 6",
  down: "M6 10l6 6 6-6",
  close: "M6 6l12 12M18 6L6 18",
};

/** A drawn sign, which says nothing to a screen reader. */
export function icon(name) {
  return svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" },
    svg("path", { d: PATHS[name] }));
}

/** A switch between two forms of one word. */
export const plural = (count, one, many) => (count === 1 ? one : many);

/** Asks in a dialogue that holds what `content(close)` makes; answers when it is closed. */
export function dialog(title, content, label) {
  return new Promise((resolve) => {
    const id = "dialog-title";
    const close = (value) => { answer = value; box.close(); };
    let answer;
    const box = h("dialog", { "aria-labelledby": id, onclose: () => { box.remove(); resolve(answer); },
      onclick: (event) => { if (event.target === box) box.close(); } },
      h("div", { class: "stack" }, h("h2", { id }, title), label && h("p", { class: "soft" }, label), content(close)));
    document.body.append(box);
    box.showModal();
  });
}

/** Copies a text, also where the page is not on a secure origin, as on most relays at home. */
export async function copyText(text) {
  if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(text);
  const area = h("textarea", { value: text, class: "hear", "aria-hidden": "true" });
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
