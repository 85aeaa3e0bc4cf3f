// Shows the page when the relay is out of reach: the network first, else what was kept. Nothing that the
// relay answers about goals, presses or devices is ever kept here.
const NAME = "beemed-page";
const SHELL = "/page/index.html";

async function fill() {
  const cache = await caches.open(NAME);
  const shell = await fetch(SHELL, { cache: "no-cache" });
  const files = [...(await shell.clone().text()).matchAll(/"(\/page\/[^"]+)"/g)].map((match) => match[1]);
  await cache.put(SHELL, shell);
  await cache.addAll(files);
}

addEventListener("install", (event) => event.waitUntil(fill().then(() => self.skipWaiting())));
addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
addEventListener("fetch", (event) => {
  const { pathname, origin } = new URL(event.request.url);
  const isHome = pathname === "/" && event.request.mode === "navigate";
  if (event.request.method !== "GET" || origin !== location.origin || !(isHome || pathname.startsWith("/page/"))) return;
  event.respondWith((async () => {
    try {
      const response = await fetch(event.request);
      if (!isHome && response.ok) (await caches.open(NAME)).put(event.request, response.clone());
      return response;
    } catch (error) {
      const kept = await caches.match(isHome ? SHELL : event.request);
      if (kept) return kept;
      throw error;
    }
  })());
});
