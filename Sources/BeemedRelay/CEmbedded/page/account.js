// The Beeminder account: which one, another one, none.
import { api } from "./api.js";
import { button, field, h, link, row, submit } from "./dom.js";
import { confirm, form } from "./parts.js";
import { store } from "./store.js";
import { texts } from "./texts.js";
import { fault } from "./toast.js";

const t = texts.account;
const SOURCE = "https://www.beeminder.com/api/v1/auth_token.json";

/** A form to connect by a pasted token, or by OAuth where that is set up; `done()` when Beeminder has said whose it is. */
export function connectForm(done) {
	const token = h("input", { type: "password", name: "token", autocomplete: "off", required: true });
	const result = h("p.soft", { role: "status" });
	const oauth = h("a.button", { href: "oauth/start", hidden: true }, t.oauth);
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
	api.settings().then(({ settings }) => {
		oauth.hidden = !settings.some(({ name, from }) => name === "oauth-client-id" && from !== "default");
	}).catch(() => {});
	return form(send, h("p", link(SOURCE, t.open), ` ${t.tokenHelp}`), field(t.token, token), result, row(submit(t.connect), oauth));
}

/** How the connection stands, in a sentence. */
const sentence = ({ state, user, verified }) => ({ notConnected: t.none, signInAgain: t.again })[state] ?? (verified ? t.as(user) : t.saved);

export const accountPage = {
	title: t.title,
	state: async () => sentence(await api.connection()),
	show(place) {
		const state = h("p");
		const out = button(t.signOut, async () => {
			if (!await confirm(t.signOutAsk, t.signOut)) return;
			await api.disconnect().catch(fault);
			load();
		}, "danger");
		const connect = connectForm(() => load());
		place.append(state, row(out), connect);
		async function load() {
			try {
				const now = await api.connection();
				state.textContent = now.source === "environment" ? `${sentence(now)}. ${t.fromEnvironment}` : sentence(now);
				out.hidden = now.state === "notConnected";
				connect.hidden = now.verified && now.state !== "signInAgain" && !out.hidden;
			} catch (error) { state.textContent = error.message; }
		}
		let shown;
		return () => {
			if (shown === store.state) return;
			shown = store.state;
			load();
		};
	},
};
