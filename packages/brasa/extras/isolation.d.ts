/** A classic script, which also is the service worker that it registers: there is nothing to import. */
export {};
