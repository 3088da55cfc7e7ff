// For pages without modules: <script src="…/brasa/extras/torch.js"></script> defines the global `torch`, which has
// all of Brasa after `await torch.init()` or `await torch.initWebGPUAsync()`. The script may be on another server.
(() => {
  const address = new URL('../dist/inline.js', document.currentScript.src).href;
  let loading;
  const load = () => (loading ??= import(address).then((all) => Object.assign(torch, all)));
  // Loading replaces both.
  const torch = (globalThis.torch = {
    init: async (options) => (await load()).init(options),
    initWebGPUAsync: async (options) => (await load()).initWebGPUAsync(options),
  });
})();
