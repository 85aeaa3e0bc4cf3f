// The first start: an account, a few pins, a device, and its first press as it arrives.
import { api } from "./api.js";
import { connectForm } from "./account.js";
import { deviceForm } from "./devices.js";
import { button, h, row, setCurrent, stack } from "./dom.js";
import { pinList } from "./pins.js";
import { store } from "./store.js";
import { signed } from "./time.js";
import { texts } from "./texts.js";

const t = texts.start;

const finish = () => {
	store.begun();
	location.hash = "#goals";
};

export const start = () => startView;

/** Shows the steps; answers what brings them up to date. */
function startView(root) {
	let step, device, isOver = false;
	const pins = pinList();
	const list = h("ol.steps");
	const done = row(button(t.skip, finish, "quiet"));
	root.append(h("div.narrow", h("h1", t.title), list, done));

	const items = ["connect", "pin", "device"].map((name) => {
		const content = stack();
		const item = h("li.card.stack", h("h2", h("span.number", { "aria-hidden": "true" }), h("span", t[name])), content);
		item.content = content;
		return item;
	});
	list.append(...items);

	function show(next) {
		if (step === next) return;
		step = next;
		items.forEach((item, index) => {
			// A step that was passed over is not done.
			const isDone = index < step && (index !== 1 || store.pins.length > 0);
			item.className = `card stack ${isDone ? "done" : index === step ? "now" : "later"}`;
			setCurrent(item, index === step && "step");
			item.querySelector(".number").textContent = isDone ? "✓" : String(index + 1);
			if (index > step) item.content.replaceChildren();
		});
		if (step === 0) items[0].content.replaceChildren(connectForm(() => store.load()));
		if (step === 1) {
			items[1].content.replaceChildren(pins, row(button(t.next, () => show(2), "primary")));
		} else if (step > 1) items[1].content.replaceChildren(h("p.soft", t.pinned(store.pins.length)));
		if (step === 2) items[2].content.replaceChildren(deviceForm((name, card) => {
			device = name;
			items[2].content.replaceChildren(h("p", t.madeIt(name)), card, h("p", t.tryIt),
				h("p.banner", { role: "status", id: "first-press" }, t.listening));
			done.replaceChildren(button(t.finish, finish, "primary"));
		}));
		if (step > 0) items[step].querySelector("h2").scrollIntoView({ block: "nearest" });
	}

	async function hear() {
		if (!device || isOver) return;
		const { events } = await api.events({ device, limit: 1 }).catch(() => ({ events: [] }));
		if (!events.length || isOver) return;
		isOver = true;
		const place = document.getElementById("first-press");
		place.textContent = t.arrived(signed(events[0].value), store.title(events[0].goal), events[0].device);
		place.className = "banner good";
	}
	const update = () => {
		const isConnected = store.context && store.context.sync !== "notConnected";
		if (!isConnected) return show(0);
		if (!step) show(1);
		items[0].content.replaceChildren(h("p.soft", store.user ? texts.account.as(store.user) : texts.account.saved));
		pins.update();
		hear();
	};
	update();
	return { update };
}
