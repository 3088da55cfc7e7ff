// The studio as a site on loopback: the page, the engine beside it, and data.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { serve } from '../../brasa/scripts/serve.mjs';

const HOME = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
/** How many ports are tried, from the wanted one on. */
const PORTS = 20;

/** `watched` is what `watch` gives for the log of a run. */
export async function site({ port, mnist, watched }) {
  const dist = path.join(HOME, 'dist');
  const options = {
    folders: { '/': dist, '/brasa/': path.join(HOME, '../brasa/dist'), ...(mnist && { '/data/mnist/': mnist }) },
    pages: {
      '/': fs.readFileSync(path.join(dist, 'index.html'), 'utf8'),
      '/data/sources.json': JSON.stringify({ mnist: mnist !== undefined, events: watched?.address }),
    },
    routes: watched ? { '/events': watched.route } : {},
  };
  for (let n = 0; ; n += 1) {
    try {
      return await serve({ ...options, port: port === 0 ? 0 : port + n });
    } catch (error) {
      if (error.code !== 'EADDRINUSE' || n + 1 === PORTS) throw error;
    }
  }
}
