// Serves the studio on loopback: the page, the engine and data.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { serve } from '../../brasa/scripts/serve.mjs';

const HOME = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
/** Number of ports tried, starting at the requested one. */
const PORTS = 20;

/**
 * Content security policy: no network access. `unsafe-inline` is for the import map and the editor's style sheets,
 * `blob:` for modules of the editor.
 */
const POLICY = [
  "default-src 'self'",
  "connect-src 'self'",
  "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' blob:",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "worker-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** `folders` and `pages` are served in addition to the studio's own. */
export async function site({ port, mnist, folders = {}, pages = {} }) {
  const dist = path.join(HOME, 'dist');
  const options = {
    folders: { '/': dist, '/brasa/': path.join(HOME, '../brasa/dist'), ...(mnist && { '/data/mnist/': mnist }), ...folders },
    pages: {
      '/': fs.readFileSync(path.join(dist, 'index.html'), 'utf8'),
      '/data/sources.json': JSON.stringify({ mnist: mnist !== undefined }),
      ...pages,
    },
    headers: { 'Content-Security-Policy': POLICY },
  };
  for (let n = 0; ; n += 1) {
    try {
      return await serve({ ...options, port: port === 0 ? 0 : port + n });
    } catch (error) {
      if (error.code !== 'EADDRINUSE' || n + 1 === PORTS) throw error;
    }
  }
}
