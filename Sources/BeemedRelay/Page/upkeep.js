// The last requests, export and import, and which browsers are signed in.
import { api } from "./api.js";
import { actions, button, dialog, field, fillList, h, join, note, row } from "./dom.js";
import { confirm, copied, goalSelect, qrCode, section } from "./parts.js";
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

/** All events as a file, and datapoints from one. */
export function archiveSection() {
	const t = texts.archive;
	const state = h("p", { role: "status" });
	const faults = h("ul.list");
	const file = h("input", { type: "file", accept: ".csv,.jsonl,.json,.txt,text/*", onchange: () => look() });
	const goal = goalSelect(t.anyGoal);
	goal.onchange = () => look();
	let bytes, isOver;

	/** Sends the file; without a promise that it is taken in a dry run. */
	async function send(dryRun) {
		take.hidden = true;
		faults.replaceChildren();
		isOver = false;
		if (!dryRun) progress();
		try { return await api.importEvents(bytes, { dryRun, goal: goal.value }); } catch (error) {
			state.textContent = error.message;
			faults.replaceChildren(...(error.errors ?? []).map(({ line, detail }) => h("li.bad", t.line(line, detail))));
		} finally { isOver = true; }
	}
	async function progress() {
		const { state: stage, events, done } = await api.importProgress().catch(() => ({}));
		if (isOver) return;
		state.textContent = stage === "taking" ? t.progress(done, events) : t.working;
		setTimeout(progress, 500);
	}
	async function look() {
		if (!file.files[0]) return;
		// The bytes as they are: as a text a browser would replace those that are not UTF-8.
		bytes = await file.files[0].arrayBuffer();
		const found = await send(true);
		if (!found) return;
		state.textContent = t.judged(found);
		take.textContent = t.take(found.taken);
		take.hidden = !found.taken;
	}
	const take = button("", async () => {
		const done = await send(false);
		if (done) state.textContent = t.taken(done.taken);
	}, "primary");
	take.hidden = true;
	const link = (format, name) => h("a.button", { href: `export?format=${format}`, download: "" }, name);
	return section(t.title, [row(link("csv", t.table), link("jsonl", t.lines)), note(t.exportHelp),
		field(t.import, file), field(t.goal, goal), note(t.help), state, faults, row(take)],
	async () => { goal.replaceChildren(...goalSelect(t.anyGoal).childNodes); goal.value = ""; });
}

/** Other browsers, and an end for this one. */
export function browserSection() {
	const t = texts.browser;
	const link = async () => {
		const { url: home } = await api.devices();
		const url = home + (await api.ownerLink()).path;
		await dialog(t.link, (close) => [h("p", t.linkHelp), qrCode(url, texts.devices.qr(t.link)), copied(h("code", url)),
			actions(button(texts.close, () => close()))]);
	};
	const leave = async (work) => { await work(); location.assign("./"); };
	return section(t.title, row(button(t.link, tried(link)), button(t.out, tried(() => leave(api.signOut)), "danger"),
		button(t.everywhere, tried(async () => { if (await confirm(t.everywhereAsk)) await leave(api.signOutEverywhere); }), "danger")));
}
