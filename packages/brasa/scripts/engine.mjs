// Runs an engine of the built package behind pipes, for the fuzzer:
//   node packages/brasa/scripts/engine.mjs node|chromium [--device cpu|webgpu] [--variant single|threads|fused|checked] [--threads N]
// Messages of commands arrive on stdin, each after its length; replies go to stdout, framed by `tests/remote.ts`.
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import v8 from 'node:v8';
import { build } from 'esbuild';
import { withBrowser } from './browser.mjs';
import { serve } from './serve.mjs';

const HOME = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const DIST = path.join(HOME, 'dist');
const LENGTH_BYTES = 4;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    device: { type: 'string', default: 'cpu' },
    variant: { type: 'string', default: 'single' },
    threads: { type: 'string', default: '1' },
  },
});
const setting = { ...values, threads: Number(values.threads) };

/** Bundles the script that starts the engine. */
async function program() {
  const { outputFiles } = await build({
    entryPoints: [path.join(HOME, 'tests/remote.ts')],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
    external: ['node:*'],
    logLevel: 'warning',
  });
  return outputFiles[0].text;
}

/** Splits a stream into messages, each after its length. */
async function* messagesOf(stream) {
  let [held, bytes, wanted, isLength] = [[], 0, LENGTH_BYTES, true];
  for await (const chunk of stream) {
    held.push(chunk);
    bytes += chunk.length;
    while (bytes >= wanted) {
      const all = Buffer.concat(held);
      const part = all.subarray(0, wanted);
      [held, bytes] = [[all.subarray(wanted)], bytes - wanted];
      if (!isLength) yield Uint8Array.from(part);
      wanted = isLength ? part.readUInt32LE(0) : LENGTH_BYTES;
      isLength = !isLength;
    }
  }
}

let end;
const ended = new Promise((resolve) => (end = resolve));
const messages = messagesOf(process.stdin);
/** The next message. Read while the engine computes, so that the end of stdin also stops a hanging engine. */
let nextMessage;
function receive() {
  nextMessage = messages.next();
  nextMessage.then(({ done }) => done && end());
}
receive();

async function exchange(replies) {
  process.stdout.write(replies);
  const { value } = await nextMessage;
  receive();
  return value;
}

async function runInNode() {
  // Node 20 has relaxed SIMD behind a flag.
  if (setting.variant === 'fused' && process.versions.node.startsWith('20.')) v8.setFlagsFromString('--experimental-wasm-relaxed-simd');
  const url = `data:text/javascript;base64,${Buffer.from(await program()).toString('base64')}`;
  const { runEngine } = await import(url);
  await runEngine({ ...setting, base: pathToFileURL(`${DIST}/`).href }, exchange);
}

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
}

async function runInChromium() {
  const text = await program();
  const answers = {
    '/remote.js': async () => ({ type: '.js', text }),
    '/exchange': async (request) => {
      const message = await exchange(await bodyOf(request));
      return message ? { type: '.bin', text: message } : { status: 204 };
    },
  };
  const pages = { '/': '<!doctype html><meta charset="utf-8"><title>Brasa: an engine</title>' };
  const server = await serve({ folders: { '/dist/': DIST }, pages, answers });
  await withBrowser(async (context) => {
    const page = await context.newPage();
    const crashed = new Promise((_, reject) => page.on('crash', () => reject(new Error('the page has crashed'))));
    await page.goto(`${server.address}/`);
    const running = page.evaluate(async (setting) => {
      const { runEngine } = await import('/remote.js');
      await runEngine({ ...setting, base: '/dist/' }, async (body) => {
        const response = await fetch('/exchange', { method: 'POST', body });
        return response.status === 200 ? new Uint8Array(await response.arrayBuffer()) : undefined;
      });
    }, setting);
    await Promise.race([running, crashed, ended]);
  });
}

await (positionals[0] === 'chromium' ? runInChromium() : Promise.race([runInNode(), ended]));
process.exit(0);
