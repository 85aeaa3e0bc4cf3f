// All events as a file, and datapoints from one.
import { api } from "./api.js";
import { button, field, h, note, row } from "./dom.js";
import { goalSelect } from "./parts.js";
import { texts } from "./texts.js";

const t = texts.archive;

function show(place) {
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
	place.append(h("h2", t.export), row(link("csv", t.table), link("jsonl", t.lines)), note(t.exportHelp),
		h("h2", t.importing), note(t.help), field(t.import, file), field(texts.goal.goal, goal), state, faults, row(take));
}

export const archivePage = { title: t.title, show, state: () => t.state };
