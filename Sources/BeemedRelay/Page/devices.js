// Devices: a token of its own for each, shown once, with what is needed to put it to work.
import { api } from "./api.js";
import { actions, button, dialog, field, h, note, row, stack, submit } from "./dom.js";
import { deviceLines } from "./lines.js";
import { confirm, copied, goalSelect, section } from "./parts.js";
import { qrCode } from "./qr.js";
import { store } from "./store.js";
import { relative } from "./time.js";
import { texts } from "./texts.js";
import { fault } from "./toast.js";

const t = texts.devices;

/** A token, once: as text, as QR code, in lines for each kind of device. `told` is where devices reach the relay. */
function tokenCard(name, token, goal, told) {
  const address = `${location.protocol}//${told ?? location.host}`;
  const url = `${address}/log${goal ? `/${goal}` : ""}?token=${token}`;
  const lines = deviceLines({ address, goal: goal || "GOAL", token });
  const code = h("code");
  const recipe = h("a", { target: "_blank" }, t.whole);
  const show = () => {
    const [, text, file] = lines[kind.value];
    code.textContent = text;
    recipe.href = `/docs/recipes/${file}${goal ? `?goal=${goal}` : ""}`;
  };
  const kind = h("select", { onchange: show }, lines.map(([label], index) => h("option", { value: index }, label)));
  show();
  return stack(h("p", { class: "banner" }, t.once), copied(h("code", { class: "token" }, token)),
    qrCode(url, t.qr(name)), note(t.scan), field(t.kind, kind), copied(code), h("p", {}, recipe));
}

/** Asks for a name and a goal; `done(name, card)` with what the new device needs. */
export function deviceForm(done) {
  const name = h("input", { name: "name", required: true, pattern: "[A-Za-z0-9_\\-]{1,32}", autocapitalize: "none", autocomplete: "off" });
  const goal = goalSelect(t.anyGoal, store.pins[0]);
  const only = h("input", { type: "checkbox", checked: true });
  const problem = h("p", { class: "bad", role: "alert" });
  const send = async (event) => {
    event.preventDefault();
    const wanted = { name: name.value };
    if (goal.value) wanted.goal = goal.value;
    if (goal.value && only.checked) wanted.goals = [goal.value];
    try {
      const made = await api.addDevice(wanted);
      const { address } = await api.devices().catch(() => ({}));
      done(made.name, tokenCard(made.name, made.token, goal.value, address));
    } catch (error) { problem.textContent = error.message; }
  };
  return h("form", { class: "stack", onsubmit: send }, field(t.name, name), field(t.goal, goal),
    h("label", { class: "check" }, only, t.only), problem, row(submit(t.make)));
}

/** The section of the settings. */
export function devicesSection() {
  const list = h("ul", { class: "list" });
  let address;
  const showToken = (name, card) => dialog(t.tokenOf(name), (close) => [card,
    actions(button(t.done, () => close(), "primary"))]).then(load);
  const add = () => dialog(t.add, (close) => deviceForm((name, card) => { close(); showToken(name, card); }));

  async function load() {
    const answer = await api.devices();
    address = answer.address;
    list.replaceChildren(...(answer.devices.length ? answer.devices.map(line) : [h("li", { class: "soft" }, t.none)]));
  }
  const act = (ask, change) => async () => {
    if (!await confirm(ask)) return;
    try { await change(); } catch (error) { fault(error); }
    load().catch(fault);
  };
  const line = ({ name, lastSeen, can, goals, goal }) => h("li", { "data-device": name },
    h("div", { class: "row spread" }, h("strong", {}, name),
      h("span", { class: "soft small" }, lastSeen ? t.seen(relative(lastSeen)) : t.never)),
    note(t.may(can), goals && ` ${t.to(goals)}`),
    row(button(t.rotate, act(t.rotateAsk(name), async () => {
      const { token } = await api.rotateDevice(name);
      showToken(name, tokenCard(name, token, goal ?? goals?.[0], address));
    })), button(texts.remove, act(t.removeAsk(name), () => api.removeDevice(name)), "danger")));
  return section(t.title, [list, row(button(t.add, add, "primary"))], load);
}
