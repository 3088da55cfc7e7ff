// Serves the studio until Ctrl-C, or with --check opens it headless and checks that a model trains:
//   node packages/studio/scripts/start.mjs [--port N] [--no-open] [--check [--screenshot FILE]]
import { spawn } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { withBrowser } from '../../brasa/scripts/browser.mjs';
import { mnist } from './mnist.mjs';
import { site } from './site.mjs';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4173' },
    'no-open': { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    screenshot: { type: 'string', default: 'studio.png' },
  },
});

const log = (text) => console.log(`== start: ${text}`);

function openBrowser(address) {
  const hasScreen = process.platform !== 'linux' || process.env.DISPLAY || process.env.WAYLAND_DISPLAY;
  if (!hasScreen) return;
  const commands = { darwin: ['open'], win32: ['cmd', '/c', 'start'] };
  const [command, ...options] = commands[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...options, address], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}

/** The check passes at this test accuracy, and times out after `TIMEOUT` seconds. */
const TARGET_ACCURACY = 0.9;
const TIMEOUT = 180;

async function check(address) {
  await withBrowser(async (context) => {
    const page = await context.newPage();
    const problems = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    await page.goto(`${address}/`);
    const look = () => page.evaluate(() => {
      const { state, step, metric } = document.querySelector('.studio')?.dataset ?? {};
      const text = document.querySelector('.health .bad, .failed')?.textContent;
      return { state, step: Number(step), metric: Number(metric), text };
    });
    const start = performance.now();
    const seconds = () => (performance.now() - start) / 1000;
    for (let reported = 0; ; ) {
      const { state, step, metric, text } = await look();
      if (state === 'failed') throw new Error(`the page failed: ${text ?? problems.join('\n')}`);
      if (step > 0 && metric >= TARGET_ACCURACY) {
        log(`the page took ${step} steps in ${seconds().toFixed(1)} s; test accuracy ${(metric * 100).toFixed(1)} %`);
        break;
      }
      if (seconds() > TIMEOUT) {
        throw new Error(`after ${TIMEOUT} s: ${state}, ${step} steps, accuracy ${metric}\n${problems.join('\n')}`);
      }
      if (seconds() > reported + 10) {
        reported = seconds();
        log(`waiting: ${state ?? 'no page'}, ${step} steps, accuracy ${metric}`);
      }
      await page.waitForTimeout(100);
    }
    await page.screenshot({ path: values.screenshot });
    log(`screenshot: ${path.resolve(values.screenshot)}`);
    if (problems.length > 0) throw new Error(`errors in the page's console: ${problems.join('\n')}`);
  });
}

const folder = await mnist(log);
const server = await site({ port: values.check ? 0 : Number(values.port), mnist: folder });
if (values.check) {
  try {
    await check(server.address);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
  server.close();
} else {
  const address = server.address.replace('127.0.0.1', 'localhost');
  console.log(`\n  Brasa studio   ${address}\n\n  Press Ctrl-C to stop.\n`);
  if (!values['no-open']) openBrowser(address);
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));
}
