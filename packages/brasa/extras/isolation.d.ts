/** A classic script that is also the service worker it registers. It exports nothing. */
export {};
