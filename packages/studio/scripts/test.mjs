// Drives the built studio in Chromium, room by room:  node packages/studio/scripts/test.mjs [--only TEXT]
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { withBrowser } from '../../brasa/scripts/browser.mjs';
import { site } from './site.mjs';

const HOME = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const { values } = parseArgs({ options: { only: { type: 'string' } } });

/** How long a page may take for what it is waited for, in ms. */
const PATIENCE = 60_000;

const tests = [];
for (const file of fs.readdirSync(path.join(HOME, 'tests')).filter((name) => name.endsWith('.test.mjs')).sort()) {
  const suite = await import(pathToFileURL(path.join(HOME, 'tests', file)).href);
  for (const [name, { settings = {}, allows, body }] of Object.entries(suite.tests)) {
    tests.push({ name: `${file.slice(0, -9)}: ${name}`, settings, allows, body });
  }
}

// No test needs the network: digits are those that the page draws by itself.
const server = await site({ port: 0, mnist: undefined });
const failed = [];
let passed = 0;
for (const { name, settings, allows, body } of tests) {
  if (values.only && !name.includes(values.only)) continue;
  const start = performance.now();
  const problems = [];
  let skipped;
  try {
    await withBrowser(async (context) => {
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE);
      page.on('pageerror', (error) => problems.push(`error in the page: ${error.message}`));
      page.on('console', (message) => {
        // Some tests break something, which the browser notes.
        const isExpected = allows?.test(message.text()) ?? false;
        if (message.type() === 'error' && !isExpected) problems.push(`the page complains: ${message.text()}`);
      });
      page.context().on('request', (request) => {
        // Nothing in the studio reaches the network.
        const { protocol, hostname } = new URL(request.url());
        const isHere = ['blob:', 'data:'].includes(protocol) || hostname === '127.0.0.1';
        if (!isHere && !allows?.test(request.url())) problems.push(`the page asks for ${request.url()}`);
      });
      const go = async (address = '') => {
        await page.goto(`${server.address}/${address}`);
        await page.waitForSelector('.studio');
      };
      // A test that cannot be made here gives the reason.
      skipped = await body(page, go, server.address);
    }, settings);
  } catch (error) {
    problems.unshift(error.stack ?? String(error));
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  if (problems.length > 0) failed.push(name);
  else if (skipped === undefined) passed += 1;
  const outcome = problems.length > 0 ? 'FAILED ' : skipped === undefined ? 'ok     ' : 'skipped';
  console.log(`${outcome} ${name} (${skipped ?? `${seconds} s`})`);
  for (const problem of problems) console.log(problem.replace(/^/gm, '        '));
}
server.close();
console.log(`${passed} passed, ${failed.length} failed`);
process.exit(failed.length > 0 || passed === 0 ? 1 : 0);
