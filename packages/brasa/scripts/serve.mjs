// A static server on loopback. With `isolated`, pages are cross-origin isolated and can use threads.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.bin': 'application/octet-stream',
};

export const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** The path of a request; `undefined` if it is invalid. */
function pathOf(target) {
  try {
    return decodeURIComponent(new URL(target, 'http://localhost').pathname);
  } catch {
    return undefined;
  }
}

/**
 * Serves folders by prefix, `{ '/': 'dist' }`, and pages by path; without `isolated`, to pages of any origin. `answers` maps
 * paths to functions of the request that resolve with status, type and text or bytes. Every response has `headers`.
 * Resolves with the address.
 */
export async function serve({ folders, pages = {}, answers = {}, isolated = true, port = 0, headers: own = {} }) {
  const headers = { 'Cache-Control': 'no-store', ...(isolated ? ISOLATION : { 'Access-Control-Allow-Origin': '*' }), ...own };
  const prefixes = Object.keys(folders).sort((a, b) => b.length - a.length);
  const find = (url) => {
    const prefix = prefixes.find((start) => url.startsWith(start));
    if (prefix === undefined) return undefined;
    const folder = path.resolve(folders[prefix]);
    const file = path.join(folder, url.slice(prefix.length));
    const isInside = file === folder || file.startsWith(folder + path.sep);
    return isInside && fs.existsSync(file) && fs.statSync(file).isFile() ? file : undefined;
  };
  const server = http.createServer((request, response) => {
    const url = pathOf(request.url ?? '/');
    if (url === undefined) {
      response.writeHead(400, headers);
      response.end('invalid URL');
      return;
    }
    if (pages[url] !== undefined) {
      response.writeHead(200, { ...headers, 'Content-Type': TYPES['.html'] });
      response.end(pages[url]);
      return;
    }
    if (answers[url] !== undefined) {
      answers[url](request).then(
        ({ status = 200, type = '.html', text = '' }) => response.writeHead(status, { ...headers, 'Content-Type': TYPES[type] }).end(text),
        (error) => response.writeHead(500, headers).end(error.stack ?? String(error)),
      );
      return;
    }
    const file = find(url);
    if (file === undefined) {
      response.writeHead(404, headers);
      response.end(`${url} not found`);
      return;
    }
    response.writeHead(200, { ...headers, 'Content-Type': TYPES[path.extname(file)] ?? 'application/octet-stream' });
    // If the file disappears meanwhile, only this response fails.
    pipeline(fs.createReadStream(file), response, () => undefined);
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = `http://127.0.0.1:${server.address().port}`;
  return { address, close: () => server.close() };
}
