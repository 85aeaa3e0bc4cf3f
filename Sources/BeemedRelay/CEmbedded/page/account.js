// The Beeminder account: which one, another one, none.
import { api } from "./api.js";
import { button, field, h, note, row, submit } from "./dom.js";
import { confirm, form } from "./parts.js";
import { store } from "./store.js";
import { texts } from "./texts.js";
import { fault } from "./toast.js";

const t = texts.account;
const SOURCE = "beeminder.com/api/v1/auth_token.json";

/** A form to connect by OAuth or by a pasted token; `done()` when Beeminder has said whose it is. */
export function connectForm(done) {
	const token = h("input", { type: "password", name: "token", autocomplete: "off", required: true });
	const result = h("p.soft", { role: "status" });
	const send = async () => {
		result.textContent = t.checking;
		try {
			const answer = await api.connect(token.value.trim());
			token.value = "";
			result.textContent = answer.verified ? t.as(answer.user) : t.saved;
			store.load();
			done();
		} catch (error) {
			result.textContent = "";
			throw error;
		}
	};
	return form(send, row(h("a.button", { href: "oauth/start" }, t.oauth)),
		field(t.token, token),
		note(`${t.tokenHelp} `, h("a", { href: `https://www.${SOURCE}`, target: "_blank", rel: "noreferrer" }, SOURCE)),
		result, row(submit(t.connect)));
}

export function accountSection() {
	const state = h("p");
	const out = button(t.signOut, async () => {
		if (!await confirm(t.signOutAsk)) return;
		await api.disconnect().catch(fault);
		load();
	}, "danger");
	const form = connectForm(() => load());
	const box = h("section.card.stack", h("h2", t.title), state, row(out), form);
	async function load() {
		try {
			const { state: now, user, verified, source } = await api.connection();
			const isNone = now === "notConnected", isOver = now === "signInAgain";
			state.textContent = [isNone ? t.none : isOver ? t.again : verified ? `${t.as(user)}.` : t.saved,
				source === "environment" && t.fromEnvironment].filter(Boolean).join(" ");
			out.hidden = isNone;
			form.hidden = !isNone && !isOver && verified;
		} catch (error) { state.textContent = error.message; }
	}
	let shown;
	box.update = () => {
		if (shown === store.state) return;
		shown = store.state;
		load();
	};
	box.update();
	return box;
}
