// Shows the page when the relay is out of reach: the network first, else what was kept. Nothing that the relay
// answers about goals, presses or devices is ever kept here.

// Where the page's files are: below a path behind some proxies.
const FOLDER = new URL("./", location);
// The page of a phone that is a device registers it for this folder alone, the owner's for all above.
const isPhone = registration.scope === FOLDER.href;
const HOME = isPhone ? `${FOLDER.pathname}phone.html` : new URL("../", FOLDER).pathname;
const KIND = isPhone ? "beemed-phone-" : "beemed-page-";
// The relay replaces VERSION by a digest of all files of the page. So a browser installs this worker anew when any of
// them has changed, and what is kept is always of one version.
const NAME = `${KIND}VERSION`;
// Away from home an address may lead nowhere, without an error: then a page that is kept does not wait for long.
const PATIENCE = 3000;
// For the page's other files: where the page itself has come, what was kept may be of another version.
const LONG_PATIENCE = 30_000;
let impatientUntil = 0;

/** Keeps a file and all that it names. */
async function keep(cache, path, known = new Set()) {
	if (known.has(path)) return;
	known.add(path);
	const response = await fetch(path, { cache: "no-cache" });
	// At home stands the page or, not to be stored, how to sign in.
	const isPassing = response.headers.get("Cache-Control")?.includes("no-store");
	if (!response.ok || response.redirected || isPassing) throw new Error(path);
	await cache.put(path, response.clone());
	if (!/(\.js|\.html|\/)$/.test(path)) return;
	const named = (await response.text()).matchAll(/"(?:page|\.)\/([a-z0-9.-]+\.\w+)"/g);
	await Promise.all([...named].map(([, name]) => keep(cache, name, known)));
}

async function install() {
	await keep(await caches.open(NAME), HOME);
	await skipWaiting();
}

async function activate() {
	const names = (await caches.keys()).filter((name) => name.startsWith(KIND) && name !== NAME);
	await Promise.all(names.map((name) => caches.delete(name)));
	await clients.claim();
}

/** The network's answer in time, else what is kept. If the page itself was kept, its other files do not wait. */
async function answer(request, isHome) {
	const fresh = fetch(request);
	const kept = await (await caches.open(NAME)).match(request, { ignoreSearch: true, ignoreVary: true });
	if (!kept) return fresh;
	fresh.catch(() => {});
	const patience = isHome ? PATIENCE : Date.now() < impatientUntil ? 0 : LONG_PATIENCE;
	const late = new Promise((done) => { setTimeout(done, patience); });
	let response;
	try { response = await Promise.race([fresh, late]); } catch { /* Nobody answers. */ }
	if (isHome) impatientUntil = response ? 0 : Date.now() + LONG_PATIENCE;
	return response ?? kept;
}

addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("activate", (event) => event.waitUntil(activate()));
addEventListener("fetch", (event) => {
	const { pathname, origin } = new URL(event.request.url);
	const isHome = pathname === HOME && event.request.mode === "navigate";
	if (origin === location.origin && (isHome || pathname.startsWith(FOLDER.pathname))) event.respondWith(answer(event.request, isHome));
});
