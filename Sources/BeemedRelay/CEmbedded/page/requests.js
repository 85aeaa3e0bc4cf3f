// The last requests of devices, and how each was read.
import { api } from "./api.js";
import { button, fillList, h, join, note, row } from "./dom.js";
import { tried } from "./parts.js";
import { clock } from "./time.js";
import { texts } from "./texts.js";
import { fault } from "./toast.js";

const t = texts.requests;

const line = (request) => h("li",
	h("div.row.spread", h("code", `${request.method ?? "?"} ${[request.path, request.query].filter(Boolean).join("?")}`),
		h("span", { class: `badge ${request.status >= 400 ? "bad" : ""}` }, request.status ?? t.waiting)),
	note(join(clock(request.time), request.device ?? t.stranger, request.peer)),
	request.read && h("p.small", `${t.read} `, h("code", JSON.stringify(request.read))),
	request.unreadable && h("p.small", h("code", request.unreadable)),
	request.detail && h("p.bad.small", request.detail));

export const requestsPage = {
	title: t.title, help: t.help,
	show(place) {
		const list = h("ul.list");
		const load = async () => fillList(list, (await api.requests()).requests, line, t.none);
		place.append(list, row(button(t.show, tried(load))));
		load().catch(fault);
	},
};
