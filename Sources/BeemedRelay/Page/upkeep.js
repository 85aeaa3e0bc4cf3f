// The last requests, export and import, and which browsers are signed in.
import { api } from "./api.js";
import { actions, button, dialog, field, fillList, h, join, note, row } from "./dom.js";
import { confirm, copied, section } from "./parts.js";
import { qrCode } from "./qr.js";
import { clock } from "./time.js";
import { texts } from "./texts.js";
import { fault } from "./toast.js";

const tried = (work) => () => work().catch(fault);

/** The last requests of devices, and how each was read. */
export function requestsSection() {
	const t = texts.requests;
	const list = h("ul.list");
	async function load() {
		const { requests } = await api.requests();
		fillList(list, requests, line, t.none);
	}
	const line = (request) => h("li",
		h("div.row.spread", h("code", `${request.method ?? "?"} ${request.path ?? ""}`),
			h("span", { class: `badge ${request.status >= 400 ? "refused" : ""}` }, request.status ?? t.waiting)),
		note(join(clock(request.time), request.device ?? t.stranger, request.peer)),
		request.read && h("p.small", `${t.read} `, h("code", JSON.stringify(request.read))),
		request.unreadable && h("p.small", h("code", request.unreadable)),
		request.detail && h("p.bad.small", request.detail));
	return section(t.title, [note(t.help), list, row(button(t.show, tried(load)))], load);
}

/** All events as a file, and presses from one. */
export function archiveSection() {
	const t = texts.archive;
	const state = h("p", { role: "status" });
	async function all() {
		let events = [], before;
		do {
			const answer = await api.events({ limit: 500, before });
			events = events.concat(answer.events);
			before = answer.next;
			state.textContent = t.working(events.length);
		} while (before);
		return events.reverse();
	}
	const lines = async () => {
		const text = (await all()).map((event) => JSON.stringify(event)).join("\n");
		const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
		h("a", { href: url, download: "beemed-events.jsonl" }).click();
		setTimeout(() => URL.revokeObjectURL(url), 60_000);
	};
	let text;
	const take = button("", tried(async () => {
		take.hidden = true;
		state.textContent = t.taken((await api.importEvents(text, false)).accepted);
	}), "primary");
	take.hidden = true;
	const judge = async () => {
		take.hidden = true;
		if (!file.files[0]) return;
		text = await file.files[0].text();
		const { events } = await api.importEvents(text, true);
		const bad = events.filter((event) => event.outcome === "refused");
		const good = events.length - bad.length;
		state.textContent = `${t.judged(good, bad.length)} ${bad[0]?.detail ?? ""}`;
		take.textContent = t.take(good);
		take.hidden = !good;
	};
	const file = h("input", { type: "file", onchange: tried(judge) });
	return section(t.title, [row(button(t.lines, tried(lines))), field(t.import, file), note(t.help), state, row(take)]);
}

/** Other browsers, and an end for this one. */
export function browserSection() {
	const t = texts.browser;
	const link = async () => {
		const { address } = await api.devices();
		const url = `${location.protocol}//${address}${(await api.ownerLink()).path}`;
		await dialog(t.link, (close) => [h("p", t.linkHelp), qrCode(url, texts.devices.qr(t.link)), copied(h("code", url)),
			actions(button(texts.close, () => close()))]);
	};
	const leave = async (work) => { await work(); location.assign("/"); };
	return section(t.title, row(button(t.link, tried(link)), button(t.out, tried(() => leave(api.signOut)), "danger"),
		button(t.everywhere, tried(async () => { if (await confirm(t.everywhereAsk)) await leave(api.signOutEverywhere); }), "danger")));
}
