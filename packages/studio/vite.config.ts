// How the studio is bundled. The engine stays outside: the page's import map names it, so that the
// editor's modules and the worker that runs them share one, and a new engine needs no new bundle.
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
