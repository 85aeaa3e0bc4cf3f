// Devices: a token of its own for each, shown once, with what is needed to put it to work.
import { api } from "./api.js";
import { actions, button, dialog, field, fillList, h, note, row, stack, submit } from "./dom.js";
import { cancelOr, confirm, copied, form, goalSelect, inPlace, nameInput, qrCode, section } from "./parts.js";
import { store } from "./store.js";
import { relative } from "./time.js";
import { texts } from "./texts.js";
import { fault } from "./toast.js";

const t = texts.devices;

/** For each kind of `texts.devices.kinds`: a text to copy, the recipe's file. */
function deviceLines({ address, goal, token }) {
	const url = `${address}/log/${goal}`;
	const known = store.goal(goal);
	const one = known?.adds === false ? known.lastValue ?? 0 : 1;
	const post = `POST ${url}\nAuthorization: Bearer ${token}`;
	return [
		[`curl -H "Authorization: Bearer ${token}" -d '${one > 0 ? "+" : ""}${one}' ${url}`, "press.sh"],
		[post, "shortcuts.md"],
		[`const char *URL = "${url}";\nconst char *TOKEN = "${token}";`, "esp32-arduino.ino"],
		[`on_press:\n  - http_request.post:\n      url: ${url}\n      request_headers: {Authorization: Bearer ${token}}\n      json: {value: "${one}"}`, "esphome.yaml"],
		[`requests.post("${url}", json={"value": ${one}, "id": id},\n    headers={"Authorization": "Bearer ${token}"}, timeout=5)`, "micropython.py"],
		[`rest_command:\n  beeminder:\n    url: "${url}"\n    method: post\n    headers: {Authorization: "Bearer ${token}"}\n    content_type: application/json\n    payload: '{"value": {{ value | default(${one}) }}, "id": "{{ id }}"}'`, "home-assistant.yaml"],
		[`${url}/trigger?value=${one}&token=${token}`, "shelly-gen2.js"],
		[`Rule1 ON Button1#State=10 DO WebQuery ${url} POST [Authorization:Bearer ${token}] {"value":${one}} ENDON`, "tasmota.be"],
		[post, "node-red.json"],
		[post, "tasker.md"],
		[post, "flic.js"],
		[`single=post://any:${token}@${url.replace(/^https?:\/\//, "")}`, "mystrom.md"],
	];
}

/** A token, once: as text, QR code, and lines for each kind of device, which reach the relay at `address`. */
function tokenCard(name, token, goal, address = location.origin) {
	const url = `${address}/log${goal ? `/${goal}` : ""}?token=${token}`;
	const lines = deviceLines({ address, goal: goal || "GOAL", token });
	const code = h("code");
	const recipe = h("a", { target: "_blank" }, t.whole);
	const show = () => {
		const [text, file] = lines[kind.value];
		code.textContent = text;
		recipe.href = `docs/recipes/${file}${goal ? `?goal=${goal}` : ""}`;
	};
	const kind = h("select", { onchange: show }, t.kinds.map((label, value) => h("option", { value }, label)));
	show();
	return stack(h("p.banner", t.once), copied(h("code.token", token)),
		qrCode(url, t.qr(name)), note(t.scan), field(t.kind, kind), copied(code), h("p", recipe));
}

/** Asks for a name and a goal; `done(name, card)` with what the new device needs. */
export function deviceForm(done) {
	const name = nameInput();
	const goal = goalSelect(t.anyGoal, store.pins[0]);
	const only = h("input", { type: "checkbox" });
	const limit = () => { only.checked = Boolean(goal.value); only.disabled = !goal.value; };
	goal.addEventListener("change", limit);
	limit();
	const send = async () => {
		const wanted = { name: name.value };
		if (goal.value) wanted.goal = goal.value;
		if (only.checked) wanted.goals = [goal.value];
		const made = await api.addDevice(wanted);
		const { url } = await api.devices().catch(() => ({}));
		done(made.name, tokenCard(made.name, made.token, goal.value, url));
	};
	return form(send, field(t.name, name), field(t.goal, goal), h("label.check", only, t.only), row(submit(t.make)));
}

/** Asks for lines of `device export`: devices of another relay, which keep their tokens. */
const adoptDevices = () => dialog(t.adopt, (close) => {
	const lines = h("textarea", { rows: 4, required: true, spellcheck: "false", "aria-label": t.adopt });
	const send = async () => {
		for (const line of lines.value.trim().split("\n")) {
			let device;
			try { device = JSON.parse(line); } catch { throw new Error(t.noLine); }
			await api.adoptDevice(device);
		}
		close();
	};
	return form(send, note(t.adoptHelp), lines, cancelOr(close, submit(t.adoptNow)));
});

export function devicesSection() {
	const list = h("ul.list");
	let address;
	const showToken = (name, card) => dialog(t.tokenOf(name), (close) => [card,
		actions(button(t.done, () => close(), "primary"))]);
	const add = () => dialog(t.add, (close) => deviceForm((name, card) => {
		close();
		showToken(name, card).then(load).catch(fault);
	}));

	async function load() {
		const answer = await api.devices();
		address = answer.url;
		fillList(list, answer.devices, line, t.none);
	}
	const act = (ask, change) => () => inPlace(async () => {
		if (!await confirm(ask)) return;
		try { await change(); } catch (error) { fault(error); }
		await load().catch(fault);
	});
	const line = ({ name, lastSeen, can, goals, goal }) => h("li", { "data-device": name },
		h("div.row.spread", h("strong", name),
			h("span.soft.small", lastSeen ? t.seen(relative(lastSeen)) : t.never)),
		note(t.may(can), goals && ` ${t.to(goals)}`),
		row(button(t.rotate, act(t.rotateAsk(name), async () => {
			const { token } = await api.rotateDevice(name);
			await showToken(name, tokenCard(name, token, goal ?? goals?.[0], address));
		})), button(texts.remove, act(t.removeAsk(name), () => api.removeDevice(name)), "danger")));
	return section(t.title, [list, row(button(t.add, add, "primary"), button(t.adopt, () => adoptDevices().then(load).catch(fault)))], load);
}
