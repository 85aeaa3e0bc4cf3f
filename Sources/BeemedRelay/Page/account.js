// The Beeminder account: which one, another one, none.
import { api } from "./api.js";
import { h } from "./dom.js";
import { confirm } from "./parts.js";
import { store } from "./store.js";
import { texts } from "./texts.js";
import { fault } from "./toast.js";

const t = texts.account;

/** A form to connect by OAuth or by a pasted token; `done()` when Beeminder has said whose it is. */
export function connectForm(done) {
  const token = h("input", { type: "password", name: "token", autocomplete: "off", required: true, spellcheck: "false" });
  const result = h("p", { role: "status" });
  const button = h("button", { class: "primary" }, t.connect);
  const send = async (event) => {
    event.preventDefault();
    button.disabled = true;
    result.className = "soft";
    result.textContent = t.checking;
    try {
      const answer = await api.connect(token.value.trim());
      token.value = "";
      result.textContent = answer.verified ? t.as(answer.user) : t.saved;
      store.load();
      done();
    } catch (error) {
      result.className = "bad";
      result.textContent = error.message;
    } finally { button.disabled = false; }
  };
  const source = "beeminder.com/api/v1/auth_token.json";
  return h("form", { class: "stack", onsubmit: send },
    h("div", { class: "row" }, h("a", { class: "button", href: "/oauth/start" }, t.oauth)),
    h("label", { class: "field" }, t.token, token),
    h("p", { class: "soft small" }, `${t.tokenHelp} `,
      h("a", { href: `https://www.${source}`, target: "_blank", rel: "noopener noreferrer" }, source)),
    result, h("div", { class: "row" }, button));
}

/** The section of the settings. */
export function accountSection() {
  const state = h("p", {});
  const out = h("button", { type: "button", class: "danger", onclick: async () => {
    if (!await confirm(t.signOutAsk)) return;
    try { await api.disconnect(); } catch (error) { fault(error); }
    load();
  } }, t.signOut);
  const form = connectForm(() => load());
  const box = h("section", { class: "card stack", "aria-labelledby": "account" }, h("h2", { id: "account" }, t.title), state,
    h("div", { class: "row" }, out), form);
  async function load() {
    try {
      const answer = await api.connection();
      const isNone = answer.state === "notConnected";
      state.textContent = isNone ? t.none : answer.state === "signInAgain" ? t.again
        : answer.verified ? t.as(answer.user) : t.saved;
      if (answer.source === "environment") state.textContent += ` ${t.fromEnvironment}`;
      out.hidden = isNone;
      form.hidden = !isNone && answer.state !== "signInAgain" && answer.verified;
    } catch (error) { state.textContent = error.message; }
  }
  let sync;
  box.update = () => {
    if (sync === store.state) return;
    sync = store.state;
    load();
  };
  box.update();
  return box;
}
