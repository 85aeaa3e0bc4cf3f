// Devices: a token of its own for each, shown once, with what is needed to put it to work.
import { api } from "./api.js";
import { copyText, dialog, h } from "./dom.js";
import { deviceLines } from "./lines.js";
import { qrCode } from "./qr.js";
import { store } from "./store.js";
import { relative } from "./time.js";
import { texts } from "./texts.js";
import { fault } from "./toast.js";
import { confirm, copyButton, goalSelect, section } from "./parts.js";

const t = texts.devices;

/** Where devices reach the relay: under the name that this browser uses, unless that means this very machine. */
function address(told) {
  const isHere = /^(localhost|127\.|\[::1\])/.test(location.host);
  return isHere && told ? `${location.protocol}//${told}` : location.origin;
}

/** A token, once: as text, as QR code, in lines for each kind of device. */
function tokenCard(name, token, goal, told) {
  const place = address(told);
  const url = `${place}/log${goal ? `/${goal}` : ""}?token=${token}`;
  const lines = deviceLines({ address: place, goal: goal || "GOAL", token });
  const code = h("code", {});
  const pre = h("pre", { tabindex: "0" }, code);
  const recipe = h("a", { target: "_blank" }, t.whole);
  const kind = h("select", { "aria-label": t.kind, onchange: () => show() },
    Object.entries(lines).map(([key, [label]]) => h("option", { value: key }, label)));
  const show = () => {
    const [, text, file] = lines[kind.value];
    code.textContent = text;
    recipe.href = `/docs/recipes/${file}${goal ? `?goal=${goal}` : ""}`;
  };
  show();
  return h("div", { class: "stack", "data-device": name },
    h("p", { class: "banner" }, t.once),
    h("div", { class: "code" }, h("pre", { tabindex: "0" }, h("code", { class: "token" }, token)), copyButton(() => token)),
    qrCode(url, t.qr(url)), h("p", { class: "soft small" }, t.scan),
    h("label", { class: "field" }, t.kind, kind),
    h("div", { class: "code" }, pre, copyButton(() => code.textContent)), h("p", {}, recipe));
}

/** Asks for a name and a goal; `done(name, card)` with what the new device needs. */
export function deviceForm(done) {
  const name = h("input", { name: "name", required: true, pattern: "[A-Za-z0-9_\\-]{1,32}", maxlength: "32",
    autocapitalize: "none", autocomplete: "off", spellcheck: "false" });
  const goal = goalSelect(t.anyGoal, store.pins[0]);
  const only = h("input", { type: "checkbox", checked: true });
  const problem = h("p", { class: "bad", role: "alert" });
  const send = async (event) => {
    event.preventDefault();
    problem.textContent = "";
    const wanted = { name: name.value };
    if (goal.value) {
      wanted.goal = goal.value;
      if (only.checked) wanted.goals = [goal.value];
    }
    try {
      const made = await api.addDevice(wanted);
      const told = (await api.devices().catch(() => ({}))).address;
      done(made.name, tokenCard(made.name, made.token, goal.value, told));
    } catch (error) { problem.textContent = error.message; }
  };
  return h("form", { class: "stack", onsubmit: send }, h("label", { class: "field" }, t.name, name),
    h("label", { class: "field" }, t.goal, goal), h("label", { class: "check" }, only, t.only), problem,
    h("div", { class: "row" }, h("button", { class: "primary" }, t.make)));
}

/** The section of the settings. */
export function devicesSection() {
  const list = h("ul", { class: "list" });
  let address;
  const showToken = (name, card) => dialog(t.tokenOf(name), (close) => [card,
    h("div", { class: "actions" }, h("button", { type: "button", class: "primary", onclick: () => close() }, t.done))]).then(load);
  const add = () => dialog(t.add, (close) => deviceForm((name, card) => { close(); showToken(name, card); }));

  async function load() {
    const answer = await api.devices();
    address = answer.address;
    list.replaceChildren(...(answer.devices.length ? answer.devices.map(row) : [h("li", { class: "soft" }, t.none)]));
  }
  const act = (ask, change) => async () => {
    if (!await confirm(ask)) return;
    try { await change(); } catch (error) { fault(error); }
    load().catch(fault);
  };
  const row = (device) => h("li", { "data-device": device.name },
    h("div", { class: "row spread" }, h("strong", {}, device.name),
      h("span", { class: "soft small" }, device.lastSeen ? t.seen(relative(device.lastSeen)) : t.never)),
    h("p", { class: "soft small" }, [t.may(device.can), device.goals && t.to(device.goals)].filter(Boolean).join(" ")),
    h("div", { class: "row" },
      h("button", { type: "button", onclick: act(t.rotateAsk(device.name), async () => {
        const made = await api.rotateDevice(device.name);
        showToken(made.name, tokenCard(made.name, made.token, device.goal ?? device.goals?.[0], address));
      }) }, t.rotate),
      h("button", { type: "button", class: "danger", onclick: act(t.removeAsk(device.name), () => api.removeDevice(device.name)) },
        texts.remove)));
  return section(t.title, [list, h("div", { class: "row" }, h("button", { type: "button", class: "primary", onclick: add }, t.add))], load);
}
