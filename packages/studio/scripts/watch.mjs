// Streams the event log of a run as it grows, to pages that know the token.
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/** How often the log is looked at, in ms. */
const PACE = 200;

/** What answers requests for the log in `folder`, and the address to ask at. */
export function watch(folder) {
  const file = path.join(folder, 'events.jsonl');
  const token = crypto.randomBytes(16).toString('hex');
  const route = (request, response) => {
    const url = new URL(request.url, 'http://localhost');
    if (url.searchParams.get('token') !== token) {
      response.writeHead(403);
      response.end('the token is missing or wrong');
      return;
    }
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    // A page that comes back tells how far it has read.
    let at = Number(request.headers['last-event-id'] ?? 0);
    const more = () => {
      if (!fs.existsSync(file)) return;
      const { size } = fs.statSync(file);
      if (size < at) at = 0;
      if (size === at) return;
      const bytes = Buffer.alloc(size - at);
      const handle = fs.openSync(file, 'r');
      fs.readSync(handle, bytes, 0, bytes.length, at);
      fs.closeSync(handle);
      // A line that is still being written waits for its end.
      const end = bytes.lastIndexOf(10) + 1;
      for (let start = 0; start < end; ) {
        const next = bytes.indexOf(10, start) + 1;
        response.write(`id: ${at + next}\ndata: ${bytes.toString('utf8', start, next - 1)}\n\n`);
        start = next;
      }
      at += end;
    };
    more();
    const timer = setInterval(more, PACE);
    response.on('close', () => clearInterval(timer));
  };
  return { route, address: `/events?token=${token}` };
}
