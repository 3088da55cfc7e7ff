// Runs the tests of the built studio in Chromium:  node packages/studio/scripts/test.mjs [--only TEXT]
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { withBrowser } from '../../brasa/scripts/browser.mjs';
import { site } from './site.mjs';

const HOME = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const { values } = parseArgs({ options: { only: { type: 'string' } } });

/** Timeout of waits in the page, in ms. */
const TIMEOUT = 60_000;

const tests = [];
for (const file of fs.readdirSync(path.join(HOME, 'tests')).filter((name) => name.endsWith('.test.mjs')).sort()) {
  const suite = await import(pathToFileURL(path.join(HOME, 'tests', file)).href);
  for (const [name, { settings = {}, allows, body }] of Object.entries(suite.tests)) {
    tests.push({ name: `${file.slice(0, -9)}: ${name}`, settings, allows, body });
  }
}

// Tests need no network: they use synthetic digits.
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
      page.setDefaultTimeout(TIMEOUT);
      page.on('pageerror', (error) => problems.push(`error in the page: ${error.message}`));
      page.on('console', (message) => {
        // Some tests cause errors on purpose.
        const isExpected = allows?.test(message.text()) ?? false;
        if (message.type() === 'error' && !isExpected) problems.push(`console error: ${message.text()}`);
      });
      page.context().on('request', (request) => {
        // The studio must not access the network.
        const { protocol, hostname } = new URL(request.url());
        const isHere = ['blob:', 'data:'].includes(protocol) || hostname === '127.0.0.1';
        if (!isHere && !allows?.test(request.url())) problems.push(`unexpected request: ${request.url()}`);
      });
      const go = async (address = '') => {
        await page.goto(`${server.address}/${address}`);
        await page.waitForSelector('.studio');
      };
      // A test that cannot run here returns the reason.
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
