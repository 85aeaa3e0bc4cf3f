// The last requests, export and import, and which browsers are signed in.
import { api } from "./api.js";
import { dialog, h } from "./dom.js";
import { confirm, copyButton, section } from "./parts.js";
import { qrCode } from "./qr.js";
import { clock } from "./time.js";
import { texts } from "./texts.js";
import { fault } from "./toast.js";

/** The last requests of devices, and how each was read. */
export function requestsSection() {
  const t = texts.requests;
  const list = h("ul", { class: "list" });
  async function load() {
    const { requests } = await api.requests();
    list.replaceChildren(...(requests.length ? requests.map(row) : [h("li", { class: "soft" }, t.none)]));
  }
  const row = (request) => h("li", {},
    h("div", { class: "row spread" }, h("code", {}, `${request.method ?? "?"} ${request.path ?? ""}`),
      h("span", { class: `badge ${request.status >= 400 ? "refused" : ""}` }, request.status ?? t.waiting)),
    h("p", { class: "soft small" }, [clock(request.time), request.device ?? t.stranger, request.peer].join(" · ")),
    request.read && h("p", { class: "small" }, `${t.read} `, h("code", {}, JSON.stringify(request.read))),
    request.unreadable && h("p", { class: "small" }, h("code", {}, request.unreadable)),
    request.detail && h("p", { class: "bad small" }, request.detail));
  return section(t.title, [h("p", { class: "soft small" }, t.help), list,
    h("div", { class: "row" }, h("button", { type: "button", onclick: () => load().catch(fault) }, t.show))], load);
}

/** A text as a file of this browser. */
function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = h("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

// What begins like a formula is one to a spreadsheet, and a comment may come from anybody.
const cell = (value) => {
  const text = String(value ?? "");
  return `"${(/^[=+@\t-]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text).replaceAll("\"", "\"\"")}"`;
};

/** All events as a file, and presses from one. */
export function archiveSection() {
  const t = texts.archive;
  const state = h("p", { role: "status" });
  async function all() {
    let events = [], before;
    do {
      const answer = await api.events({ limit: 500, before });
      events = events.concat(answer.events);
      before = answer.next;
      state.textContent = t.working(events.length);
    } while (before);
    return events.reverse();
  }
  const columns = ["timestamp", "daystamp", "goal", "value", "comment", "device", "id", "requestid", "state", "received"];
  const csv = async () => download("beemed-events.csv", [columns.join(","),
    ...(await all()).map((event) => columns.map((name) => cell(event[name])).join(","))].join("\r\n"));
  const lines = async () => download("beemed-events.jsonl", (await all()).map((event) => JSON.stringify(event)).join("\n"));
  const take = h("button", { type: "button", class: "primary", hidden: true });
  const file = h("input", { type: "file", accept: ".json,.jsonl,.ndjson,.txt", onchange: async () => {
    take.hidden = true;
    if (!file.files[0]) return;
    try {
      const text = await file.files[0].text();
      const judged = await api.importEvents(text, true);
      const good = judged.events.filter((event) => event.outcome !== "refused").length;
      const bad = judged.events.find((event) => event.outcome === "refused");
      state.textContent = [t.judged(good, judged.events.length - good), bad?.detail ?? ""].join(" ");
      take.textContent = t.take(good);
      take.hidden = !good;
      take.onclick = async () => {
        take.hidden = true;
        try { state.textContent = t.taken((await api.importEvents(text, false)).accepted); } catch (error) { fault(error); }
      };
    } catch (error) { state.textContent = error.message; }
  } });
  const button = (text, work) => h("button", { type: "button", onclick: () => work().catch(fault) }, text);
  return section(t.title, [h("div", { class: "row" }, button(t.csv, csv), button(t.lines, lines)),
    h("label", { class: "field" }, t.import, file), h("p", { class: "soft small" }, t.help), state, h("div", { class: "row" }, take)]);
}

/** Other browsers, and an end for this one. */
export function browserSection() {
  const t = texts.browser;
  const link = async () => {
    const url = location.origin + (await api.ownerLink()).path;
    await dialog(t.link, (close) => [h("p", { class: "soft" }, t.linkHelp), qrCode(url, texts.devices.qr(t.link)),
      h("div", { class: "code" }, h("pre", { tabindex: "0" }, h("code", {}, url)), copyButton(() => url)),
      h("div", { class: "actions" }, h("button", { type: "button", onclick: () => close() }, texts.close))]);
  };
  const leave = (work) => async () => { await work(); location.assign("/"); };
  const button = (text, work, style = "") => h("button", { type: "button", class: style, onclick: () => work().catch(fault) }, text);
  return section(t.title, h("div", { class: "row" }, button(t.link, link), button(t.out, leave(api.signOut), "danger"),
    button(t.everywhere, async () => { if (await confirm(t.everywhereAsk)) await leave(api.signOutEverywhere)(); }, "danger")));
}
