// Shows the page when the relay is out of reach: the network first, else what was kept. Nothing that the relay
// answers about goals, presses or devices is ever kept here.
const NAME = "beemed-page";
const SHELL = "index.html";
// Where the page is: below a path behind some proxies.
const HOME = new URL("../", location).pathname;

/** Keeps a file and all that it names. */
async function keep(cache, path, known = new Set()) {
	if (known.has(path)) return;
	known.add(path);
	const response = await fetch(path, { cache: "no-cache" });
	if (!response.ok) throw new Error(path);
	await cache.put(path, response.clone());
	if (!/\.(js|html)$/.test(path)) return;
	const named = (await response.text()).matchAll(/"(?:page|\.)\/([a-z0-9.-]+\.\w+)"/g);
	await Promise.all([...named].map(([, name]) => keep(cache, name, known)));
}

addEventListener("install", (event) => event.waitUntil(caches.open(NAME).then((cache) => keep(cache, SHELL)).then(() => skipWaiting())));
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
	const { pathname, origin } = new URL(event.request.url);
	const isHome = pathname === HOME && event.request.mode === "navigate";
	if (origin !== location.origin || !(isHome || pathname.startsWith(`${HOME}page/`))) return;
	event.respondWith(fetch(event.request).then((response) => {
		if (!isHome && response.ok) caches.open(NAME).then((cache) => cache.put(event.request, response.clone()));
		return response.clone();
	}).catch(async (error) => {
		const kept = await caches.match(isHome ? SHELL : event.request);
		if (kept) return kept;
		throw error;
	}));
});
