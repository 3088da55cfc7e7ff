// Cross-origin isolation for hosts whose headers cannot be set. Copy this file next to the page and load it
// first, as a plain script:  <script src="isolation.js"></script>
// It installs itself as a service worker that adds the headers, and reloads the page once.
// Without service workers the page stays on one thread.
(() => {
  const isWorker = typeof window === 'undefined';
  if (isWorker) {
    self.addEventListener('install', () => self.skipWaiting());
    self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
    self.addEventListener('fetch', (event) => {
      const { request } = event;
      // Chromium sends this combination from its cache; `fetch` would reject it.
      if (request.cache === 'only-if-cached' && request.mode !== 'same-origin') return;
      event.respondWith(isolated(request));
    });
    return;
  }

  const RELOADED = 'brasa-isolation-reloaded';
  if (window.crossOriginIsolated || !window.isSecureContext || !navigator.serviceWorker) {
    sessionStorage.removeItem(RELOADED);
    return;
  }
  navigator.serviceWorker.register(document.currentScript.src).then(async () => {
    await navigator.serviceWorker.ready;
    // One reload puts the page under the worker's control; a second would not help.
    if (sessionStorage.getItem(RELOADED)) return;
    sessionStorage.setItem(RELOADED, 'yes');
    location.reload();
  }, (error) => console.warn(`brasa: the page stays on one thread: ${error.message}`));

  /** The network's response, with the isolation headers added. */
  async function isolated(request) {
    const response = await fetch(request);
    // The headers of an opaque response cannot be changed.
    if (response.status === 0) return response;
    const headers = new Headers(response.headers);
    headers.set('Cross-Origin-Opener-Policy', 'same-origin');
    headers.set('Cross-Origin-Embedder-Policy', 'require-corp');
    headers.set('Cross-Origin-Resource-Policy', 'cross-origin');
    const { status, statusText } = response;
    const body = [101, 204, 205, 304].includes(status) ? null : response.body;
    return new Response(body, { status, statusText, headers });
  }
})();
