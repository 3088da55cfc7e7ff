// Runs the suites of tests/*.test.ts against the built package:
//   node packages/brasa/scripts/test.mjs [node|chromium] [--only TEXT] [--setting NAME]
// Each suite runs in every setting: one thread, several, WebGPU; in Node and in pages with and without cross-origin
// isolation. Ops, layers and compiled steps also run in checked mode.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import v8 from 'node:v8';
import vm from 'node:vm';
import { mnist } from '../../studio/scripts/mnist.mjs';
import { withBrowser } from './browser.mjs';
import { site } from './dev.mjs';
import { serve } from './serve.mjs';
import { bundle } from './suites.mjs';

const HOME = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const ROOT = path.resolve(HOME, '../..');
const SHARED = path.resolve(ROOT, '../shared');

const SETTINGS = [
  { name: 'node', where: 'node', device: 'cpu', threads: 1 },
  { name: 'node-checked', where: 'node', device: 'cpu', threads: 1, check: true, only: ['basics: ', 'compile: ', 'conformance: ', 'nn: '] },
  { name: 'node-threads', where: 'node', device: 'cpu', threads: 2 },
  { name: 'chromium', where: 'chromium', device: 'cpu', threads: 1, isolated: false },
  { name: 'chromium-threads', where: 'chromium', device: 'cpu', threads: 2, isolated: true },
  { name: 'chromium-webgpu', where: 'chromium', device: 'webgpu', threads: 1, isolated: true },
  { name: 'chromium-webgpu-checked', where: 'chromium', device: 'webgpu', threads: 1, isolated: true, check: true, only: ['basics: ', 'compile: '] },
  // Alone, since its device is lost permanently.
  { name: 'chromium-loss', where: 'chromium', device: 'cpu', threads: 2, isolated: true, only: 'loss: ' },
  // The site of `cargo x serve`.
  { name: 'chromium-dev', where: 'chromium', run: runOnSite },
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, setting: { type: 'string' } },
});

function reporter(setting) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const report = ({ suite, name, ms, problem, skipped, notes }) => {
    const label = `${setting.name} | ${suite}: ${name}`;
    if (problem) {
      counts.failed += 1;
      console.log(`FAILED  ${label}\n${problem.replace(/^/gm, '        ')}`);
    } else if (skipped) {
      counts.skipped += 1;
      console.log(`skipped ${label}: ${skipped}`);
    } else {
      counts.passed += 1;
      if (ms > 2000) console.log(`ok      ${label} (${(ms / 1000).toFixed(1)} s)`);
    }
    for (const note of notes) console.log(`        ${label}: ${note}`);
  };
  return { counts, report };
}

async function runInNode(setting, report) {
  // Chromium is started with the same flag.
  v8.setFlagsFromString('--expose-gc');
  globalThis.gc = vm.runInNewContext('gc');
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'brasa-suites-'));
  const file = path.join(folder, 'suites.mjs');
  await bundle(pathToFileURL(path.join(HOME, 'dist/index.js')).href, file);
  globalThis.brasaShared = fs.existsSync(SHARED) ? pathToFileURL(`${SHARED}/`).href : undefined;
  const digits = await mnist(() => undefined);
  globalThis.brasaMnist = digits && pathToFileURL(`${digits}/`).href;
  const { run, brasa } = await import(pathToFileURL(file).href);
  await brasa.init({ device: setting.device, threads: setting.threads, check: setting.check });
  await run({ ...setting, only: values.only ?? setting.only }, report);
  await brasa.terminate();
  fs.rmSync(folder, { recursive: true, force: true });
}

/** Whether the setting tests loss of the device. */
const losesDevice = ({ only }) => only === 'loss: ';

async function runInChromium(setting, report) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'brasa-suites-'));
  await bundle('/dist/index.js', path.join(folder, 'suites.js'));
  const folders = { '/dist/': path.join(HOME, 'dist'), '/suites/': folder };
  if (fs.existsSync(SHARED)) folders['/shared/'] = SHARED;
  const digits = await mnist(() => undefined);
  if (digits) folders['/mnist/'] = digits;
  const pages = { '/': '<!doctype html><meta charset="utf-8"><title>Brasa: tests</title>' };
  const server = await serve({ folders, pages, isolated: setting.isolated });
  try {
    await withBrowser(async (context) => {
      const page = await context.newPage();
      page.on('console', (message) => {
        if (message.type() === 'error') console.log(`        page: ${message.text()}`);
      });
      await page.exposeFunction('reportOutcome', report);
      if (losesDevice(setting)) {
        await page.exposeFunction('crashGpu', async () => {
          const session = await context.newCDPSession(page);
          await session.send('Browser.crashGpuProcess');
        });
      }
      await page.goto(`${server.address}/`);
      await page.evaluate(async ({ setting, only, folders }) => {
        globalThis.brasaShared = folders.includes('/shared/') ? `${location.origin}/shared/` : undefined;
        globalThis.brasaMnist = folders.includes('/mnist/') ? `${location.origin}/mnist/` : undefined;
        const { run, brasa } = await import('/suites/suites.js');
        await brasa.init({ device: setting.device, threads: setting.threads });
        await run({ ...setting, only }, (outcome) => window.reportOutcome(outcome));
        await brasa.terminate();
      }, { setting, only: values.only ?? setting.only, folders: Object.keys(folders) });
    }, { allowsLosses: !losesDevice(setting) });
  } finally {
    server.close();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** How long tests wait for a page of the site, in ms. */
const PAGE_TIMEOUT_MS = 60_000;

/** Tests of the development site, each with its own browser and server. */
async function runOnSite(_setting, report) {
  const { tests } = await import('../tests/dev.test.mjs');
  for (const [name, { body }] of Object.entries(tests)) {
    if (values.only && !`dev: ${name}`.includes(values.only)) continue;
    const start = performance.now();
    const outcome = { suite: 'dev', name, notes: [] };
    const written = [];
    const server = await site({ log: (line) => written.push(line) });
    /** Waits until the lines written by the server satisfy `isWanted`. */
    const lines = async (isWanted) => {
      for (const end = performance.now() + PAGE_TIMEOUT_MS; !isWanted(written); ) {
        if (performance.now() > end) throw new Error(`the server wrote ${JSON.stringify(written)}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    try {
      await withBrowser(async (context) => {
        const page = await context.newPage();
        page.setDefaultTimeout(PAGE_TIMEOUT_MS);
        await body({ page, address: server.address, lines });
      });
    } catch (error) {
      outcome.problem = error.stack ?? String(error);
    } finally {
      server.close();
    }
    report({ ...outcome, ms: performance.now() - start });
  }
}

const total = { passed: 0, failed: 0, skipped: 0 };
for (const setting of SETTINGS) {
  const isWanted = positionals.length === 0 || positionals.includes(setting.where);
  if (!isWanted || (values.setting && values.setting !== setting.name)) continue;
  const start = performance.now();
  const { counts, report } = reporter(setting);
  try {
    await (setting.run ?? (setting.where === 'node' ? runInNode : runInChromium))(setting, report);
  } catch (error) {
    counts.failed += 1;
    console.log(`FAILED  ${setting.name}: the run ended early\n${error.stack ?? error}`);
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${setting.name}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped in ${seconds} s`);
  for (const key of Object.keys(total)) total[key] += counts[key];
}
if (total.passed === 0) console.log('no test was run');
process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0);
