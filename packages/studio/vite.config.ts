// Bundler configuration. The engine is external: the page's import map resolves it, so that the editor's modules and
// the worker share one instance, and a new engine needs no new bundle.
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  base: './',
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    chunkSizeWarningLimit: 2000,
    rolldownOptions: { external: ['brasa'] },
  },
});
