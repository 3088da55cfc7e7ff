// For pages without modules: <script src="…/brasa/extras/torch.js"></script> makes the global `torch`, which has
// all of Brasa once `await torch.init()` or `await torch.initWebGPUAsync()` is done. It may come from another server.
(() => {
  const address = new URL('../dist/inline.js', document.currentScript.src).href;
  let loading;
  const loaded = () => (loading ??= import(address).then((all) => Object.assign(torch, all)));
  // Both are replaced by what is loaded.
  const torch = (globalThis.torch = {
    init: async (options) => (await loaded()).init(options),
    initWebGPUAsync: async (options) => (await loaded()).initWebGPUAsync(options),
  });
})();
