// The line at the bottom that offers to take a press back, for ten seconds.
import { button, h } from "./dom.js";
import { say } from "./status.js";
import { store } from "./store.js";
import { signed } from "./time.js";
import { texts } from "./texts.js";

/** Seconds for which the line offers it. */
export const SECONDS = 10;
const place = document.getElementById("toast");
let stack = [];
let timer;

function line(entry) {
	return h("div", h("span", entry.text), entry.undo && button(texts.main.undo, () => {
		stack = stack.filter((other) => other !== entry);
		entry.undo();
		show();
	}));
}

/** Shows the latest that can be taken back and, above it, what has been said since. */
function show() {
	clearTimeout(timer);
	const now = Date.now();
	stack = stack.filter((entry) => entry.until > now);
	const last = stack.at(-1);
	const shown = [!last?.undo && last, stack.filter((entry) => entry.undo).at(-1)].filter(Boolean);
	place.hidden = !last;
	const active = place.contains(document.activeElement) && document.activeElement;
	place.replaceChildren(...shown.map((entry) => (entry.line ??= line(entry))));
	if (active?.isConnected) active.focus();
	if (last) timer = setTimeout(show, Math.min(...shown.map((entry) => entry.until)) - now);
}

/** Says what has happened; with `undo`, offers to take it back: a press of this page. */
export function toast(text, undo, press) {
	stack.push({ text, undo, press, until: Date.now() + SECONDS * 1000 });
	say(text);
	show();
}

/** Says why something did not work. */
export function fault(error) {
	toast(error?.message ? `${texts.failed}: ${error.message}` : texts.failed);
}

/** Logs to a goal; at once on the screen, and on its way to the relay. */
export function press(wanted) {
	const made = store.presses.make(wanted);
	const [value, title] = [signed(made.value), store.title(made.goal)];
	toast(texts.main.logged(value, title), () => {
		store.presses.undo(made).then(() => {
			if (made.isUnwanted || made.state === "undone") toast(texts.main.undone(value, title));
		}, fault);
	}, made);
}

store.presses.addEventListener("told", (event) => toast(event.detail));
for (const name of ["rejected", "refused"]) {
	store.presses.addEventListener(name, ({ detail: press }) => {
		stack = stack.filter((entry) => entry.press !== press);
		toast(texts.main.ended(name, `${signed(press.value)} ${store.title(press.goal)}`, press.why ?? ""));
	});
}
