// The last requests, export and import, and which browsers are signed in.
import { api } from "./api.js";
import { actions, button, dialog, field, fillList, h, join, note, row } from "./dom.js";
import { confirm, copied, goalSelect, qrCode, section } from "./parts.js";
import { clock } from "./time.js";
import { texts } from "./texts.js";
import { fault } from "./toast.js";

/** What a button does, once at a time. */
function tried(work) {
	let isRunning = false;
	return async () => {
		if (isRunning) return;
		isRunning = true;
		await work().catch(fault);
		isRunning = false;
	};
}

/** The last requests of devices, and how each was read. */
export function requestsSection() {
	const t = texts.requests;
	const list = h("ul.list");
	async function load() {
		const { requests } = await api.requests();
		fillList(list, requests, line, t.none);
	}
	const line = (request) => h("li",
		h("div.row.spread", h("code", `${request.method ?? "?"} ${[request.path, request.query].filter(Boolean).join("?")}`),
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
	let bytes, turn = 0;

	/** Sends the file, at first in a dry run; answers nothing if it is refused, or another one was chosen meanwhile. */
	async function send(dryRun) {
		const mine = ++turn;
		take.hidden = true;
		faults.replaceChildren();
		if (!dryRun) progress(mine);
		try {
			// The bytes as they are: as a text a browser would replace those that are not UTF-8.
			const content = dryRun ? await file.files[0].arrayBuffer() : bytes;
			if (mine !== turn) return;
			bytes = content;
			const found = await api.importEvents(bytes, { dryRun, goal: goal.value });
			return mine === turn && found;
		} catch (error) {
			if (mine !== turn) return;
			state.textContent = error.message;
			faults.replaceChildren(...(error.errors ?? []).map(({ line, detail }) => h("li.bad", t.line(line, detail))));
		} finally { if (mine === turn) turn += 1; }
	}
	async function progress(mine) {
		const { state: stage, events, done } = await api.importProgress().catch(() => ({}));
		if (mine !== turn) return;
		state.textContent = stage === "taking" ? t.progress(done, events) : t.working;
		setTimeout(() => progress(mine), 500);
	}
	async function look() {
		const found = file.files[0] && await send(true);
		if (!found) return;
		state.textContent = t.judged(found);
		take.textContent = t.take(found.taken);
		take.hidden = !found.taken;
	}
	/** Takes what was judged; another file waits until that is over. */
	const take = button("", async () => {
		file.disabled = goal.disabled = true;
		const done = await send(false);
		file.disabled = goal.disabled = false;
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
