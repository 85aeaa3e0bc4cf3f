// Other browsers, and an end for this one.
import { api } from "./api.js";
import { button, dialog, h, row } from "./dom.js";
import { closer, confirm, copied, qrCode, tried } from "./parts.js";
import { texts } from "./texts.js";

const t = texts.browser;

async function link() {
	const { url: home } = await api.devices();
	const url = home + (await api.ownerLink()).path;
	await dialog(t.link, (close) => [h("p", t.linkHelp), qrCode(url, texts.devices.qr(t.link)), copied(h("code", url)), closer(close, texts.close)]);
}

const leave = async (work) => { await work(); location.assign("./"); };

export const browsersPage = {
	title: t.title, help: t.help,
	show(place) {
		place.append(row(button(t.link, tried(link), "primary"), button(t.out, tried(() => leave(api.signOut))),
			button(t.everywhere, tried(async () => { if (await confirm(t.everywhereAsk, t.everywhere)) await leave(api.signOutEverywhere); }), "danger")));
	},
};
