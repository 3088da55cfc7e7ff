// A development server for the package, until Ctrl-C:  node packages/brasa/scripts/dev.mjs [--port N]
// `/tests/` runs the suites in the visiting browser, on each device; `/samples/` are small programs, read from disk with
// each visit. The console output of these pages is printed here too, via `/__log`.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { mnist } from '../../studio/scripts/mnist.mjs';
import { serve } from './serve.mjs';
import { bundle } from './suites.mjs';

const HOME = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const SAMPLES = path.join(HOME, 'samples');
const SHARED = path.resolve(HOME, '../../../shared');
/** The largest log line. */
const MOST_BYTES = 1 << 20;

const page = (title, body) => `<!doctype html>
<meta charset="utf-8"><title>Brasa: ${title}</title>
<link rel="stylesheet" href="/dev/style.css">
<script type="importmap">{ "imports": { "brasa": "/dist/index.js" } }</script>
<script type="module" src="/dev/console.js"></script>
<h1>${title}</h1>
${body}`;

const samples = () => fs.readdirSync(SAMPLES).filter((name) => name.endsWith('.js')).map((name) => name.slice(0, -3)).sort();

function index() {
  const links = samples().map((name) => `<li><a href="/samples/${name}/">${name}</a>`);
  return page('index', `<ul><li><a href="/tests/">tests</a>, all of them, on each device\n${links.join('\n')}</ul>`);
}

/** The body of a request; `undefined` if it is too long. */
async function textOf(request) {
  const parts = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += part.length;
    if (bytes > MOST_BYTES) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Control characters, which a terminal would interpret. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Accepts console lines, only from pages of this origin: other sites could post here too. */
function logHandler(log) {
  return async (request) => {
    const { origin, host } = request.headers;
    if (request.method !== 'POST' || origin !== `http://${host}` || !/^(127\.0\.0\.1|localhost):\d+$/.test(host)) return { status: 403 };
    const text = await textOf(request);
    if (text === undefined) return { status: 413 };
    try {
      const { level, where, line } = JSON.parse(text);
      log(`${where} | ${level}: ${line}`.replaceAll(CONTROLS, ' '));
      return { status: 204 };
    } catch {
      return { status: 400 };
    }
  };
}

/** Serves the site; `log` receives the lines that its pages write. */
export async function site({ port = 0, log = console.log, digits } = {}) {
  const folders = { '/dist/': path.join(HOME, 'dist'), '/dev/': path.join(HOME, 'dev'), '/samples/': SAMPLES };
  if (fs.existsSync(SHARED)) folders['/shared/'] = SHARED;
  if (digits) folders['/mnist/'] = digits;
  const has = JSON.stringify({ shared: '/shared/' in folders, mnist: '/mnist/' in folders });
  const samplePage = (name) => async () => ({ text: page(name, `<pre id="output"></pre>\n<script type="module" src="/samples/${name}.js"></script>`) });
  const answers = {
    '/': async () => ({ text: index() }),
    '/tests/': async () => ({ text: page('tests', `<script type="module" src="/dev/tests.js" data-has='${has}'></script>`) }),
    '/suites.js': async () => ({ type: '.js', text: await bundle('/dist/index.js') }),
    '/__log': logHandler(log),
    ...Object.fromEntries(samples().map((name) => [`/samples/${name}/`, samplePage(name)])),
  };
  return serve({ folders, answers, port });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '4174' } } });
  const { address } = await site({ port: Number(values.port), digits: await mnist(() => undefined) });
  console.log(`== serve: ${address}/ (Ctrl-C ends it)`);
}
