// Devices: a token of its own for each, shown once, with what is needed to put it to work.
import { api } from "./api.js";
import { actions, button, dialog, field, fillList, h, join, link, note, row, stack, submit } from "./dom.js";
import { cancelOr, confirm, copied, form, goalSelect, inPlace, nameInput, qrCode } from "./parts.js";
import { store } from "./store.js";
import { now, number, relative, span } from "./time.js";
import { texts } from "./texts.js";
import { fault } from "./toast.js";

const t = texts.devices;
const RIGHTS = ["log", "read", "health", "manage"];
/** The seconds of silence after which a device of which nothing else is known is said to be silent. */
const SILENCE = 2 * 86_400;

/** For each kind of `texts.devices.kinds`: a text to copy, the recipe's file. */
function deviceLines({ address, goal, token }) {
	const url = `${address}/log/${goal}`;
	const known = store.goal(goal);
	// Of a reading, as of a weight, 1 is not one more.
	const one = known?.adds === false ? known.lastValue ?? 0 : 1;
	const post = `POST ${url}\nAuthorization: Bearer ${token}`;
	return [
		[phoneLink({ address, goal, token })],
		[`curl -H "Authorization: Bearer ${token}" -d '${one > 0 ? "+" : ""}${number(one)}' ${url}`, "press.sh"],
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
		[`single=post://any:${token}@${url.replace(/^https?:[/][/]/, "")}`, "mystrom.md"],
	];
}

/** The page that makes a phone a device, which presses with this token. */
const phoneLink = ({ address, goal, token }) => `${address}/page/phone.html#${new URLSearchParams({ goal, token })}`;

/** A token, once: as text, QR code, and lines for each kind of device, which reach the relay at `address`. */
function tokenCard(name, token, goal, address = location.origin) {
	const place = { address, goal: goal || store.pins[0] || store.goals[0]?.slug || "GOAL", token };
	const lines = deviceLines(place);
	const code = h("code");
	const recipe = h("a", { target: "_blank" }, t.whole);
	const show = () => {
		const [text, file] = lines[kind.value];
		code.textContent = text;
		recipe.hidden = !file;
		recipe.href = `docs/recipes/${file}?goal=${place.goal}`;
	};
	const kind = h("select", { onchange: show }, t.kinds.map((label, value) => h("option", { value }, label)));
	show();
	const url = goal ? phoneLink(place) : `${address}/page/phone.html#token=${token}`;
	return stack(h("p.banner", t.once), copied(h("code.token", token)),
		qrCode(url, t.qr(name)), note(t.scan, " ", link(url, t.here)), field(t.kind, kind), copied(code), h("p", recipe));
}

/** A dialogue with what a new token needs. */
const showToken = (name, card) => dialog(t.tokenOf(name), (close) => [card, actions(button(t.done, () => close(), "primary"))]);

/** Makes a device; answers its name and what it needs. */
export async function makeDevice(wanted) {
	const made = await api.addDevice(wanted);
	const { url } = await api.devices().catch(() => ({}));
	return [made.name, tokenCard(made.name, made.token, wanted.goal, url), made.token, url ?? location.origin];
}

/** Asks for a name and a goal; `done(name, card)` with what the new device needs. */
export function deviceForm(done, close) {
	const name = nameInput();
	const goal = goalSelect(t.anyGoal, store.pins[0] ?? store.goals[0]?.slug);
	const only = h("input", { type: "checkbox" });
	const limit = () => { only.checked = Boolean(goal.value); only.disabled = !goal.value; };
	goal.addEventListener("change", limit);
	limit();
	const send = async () => {
		const wanted = { name: name.value };
		if (goal.value) wanted.goal = goal.value;
		if (only.checked) wanted.goals = [goal.value];
		done(...await makeDevice(wanted));
	};
	const act = submit(t.make);
	return form(send, field(t.name, name), field(t.goal, goal), h("label.check", only, t.only), close ? cancelOr(close, act) : row(act));
}

/** Asks which goals and rights a device has. */
function changeDevice({ name, can, goal, goals }) {
	return dialog(t.changeOf(name), (close) => {
		const check = (label, checked) => {
			const box = h("input", { type: "checkbox", checked });
			return { box, line: h("label.check", box, label) };
		};
		const rights = RIGHTS.map((right) => check(t.rights[right], can.includes(right)));
		const all = check(t.anyGoal, !goals);
		const slugs = [...new Set([...store.goals.map(({ slug }) => slug), ...goals ?? []])];
		const some = slugs.map((slug) => check(store.title(slug), Boolean(goals?.includes(slug))));
		const limits = h("fieldset", h("legend", t.onlyThese), some.map(({ line }) => line));
		const standard = goalSelect(t.noGoal, goal ?? "");
		const show = () => { limits.hidden = all.box.checked; };
		all.box.addEventListener("change", show);
		show();
		const send = async () => {
			const chosen = all.box.checked ? null : slugs.filter((_, place) => some[place].box.checked);
			await api.changeDevice(name, { can: RIGHTS.filter((_, place) => rights[place].box.checked), goals: chosen, goal: standard.value || null });
			close(true);
		};
		return form(send, h("fieldset", h("legend", t.mayDo), rights.map(({ line }) => line)), all.line, limits,
			field(t.goal, standard), cancelOr(close, submit(texts.save)));
	});
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

/** The seconds for which a device has been silent, if that is longer than it should be. */
function silenceOf({ lastSeen, expect }) {
	if (!lastSeen) return 0;
	const [, count, unit] = /^(\d+)([dhm])$/.exec(expect ?? "") ?? [];
	const silent = now() - lastSeen;
	return silent > (count ? count * { d: 86_400, h: 3600, m: 60 }[unit] : SILENCE) ? silent : 0;
}

function show(place) {
	const list = h("ul.list");
	let address;
	const add = () => dialog(t.add, (close) => deviceForm((name, card) => {
		close();
		showToken(name, card).then(load).catch(fault);
	}, close));

	async function load() {
		const answer = await api.devices();
		address = answer.url;
		fillList(list, answer.devices, line, t.none);
	}
	const act = (work) => () => inPlace(async () => {
		try { await work(); } catch (error) { fault(error); }
		await load().catch(fault);
	});
	const line = (device) => {
		const { name, lastSeen, can, goals, goal } = device;
		return h("li", { "data-device": name },
			h("div.row.spread", h("strong", name), h("span", { class: silenceOf(device) ? "small warn" : "small soft" }, lastSeen ? t.seen(relative(lastSeen)) : t.never)),
			note(t.says(can, goals?.map((slug) => store.title(slug)))),
			row(button(texts.change, act(() => changeDevice(device))),
				button(t.rotate, act(async () => {
					if (!await confirm(t.rotateAsk(name), t.rotate)) return;
					const { token } = await api.rotateDevice(name);
					await showToken(name, tokenCard(name, token, goal ?? goals?.[0], address));
				})),
				button(texts.remove, act(async () => { if (await confirm(t.removeAsk(name), texts.removeOne(name))) await api.removeDevice(name); }), "danger")));
	};
	place.append(list, row(button(t.add, add, "primary"), button(t.adopt, () => adoptDevices().then(load).catch(fault))));
	load().catch(fault);
}

export const devicesPage = {
	title: t.title, show,
	async state() {
		const { devices } = await api.devices();
		const silent = devices.filter(silenceOf).map((device) => t.silent(device.name, span(silenceOf(device))));
		return devices.length ? join(String(devices.length), ...silent) : t.none;
	},
};
