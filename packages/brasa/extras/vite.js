// A Vite plug-in that enables threads: it makes pages cross-origin isolated, so that workers can share memory.
//   import { isolation } from 'brasa/vite';
//   export default { plugins: [isolation()] };
const HEADERS = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** Sends the headers of cross-origin isolation with everything the dev and preview servers serve. */
export function isolation() {
  const use = (server) => {
    server.middlewares.use((_request, response, next) => {
      for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
      next();
    });
  };
  return {
    name: 'brasa:isolation',
    configureServer: use,
    configurePreviewServer: use,
    // The package finds its worker and wasm next to itself; pre-bundling would move it.
    config: () => ({ optimizeDeps: { exclude: ['brasa'] } }),
  };
}

export default isolation;
