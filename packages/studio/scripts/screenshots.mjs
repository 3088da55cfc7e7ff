// Takes the screenshots of the README:  node packages/studio/scripts/screenshots.mjs
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { withBrowser } from '../../brasa/scripts/browser.mjs';
import { mnist } from './mnist.mjs';
import { site } from './site.mjs';

const IMAGES = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../docs/images');

/** Maximum size of a screenshot, in bytes. */
const MAX_BYTES = 240_000;

/** Draws a seven and selects a parameter. */
async function draw(page) {
  await page.getByLabel('Parameter', { exact: true }).selectOption('0.weight');
  const box = await page.getByTestId('pad').boundingBox();
  const at = (x, y) => page.mouse.move(box.x + box.width * x, box.y + box.height * y, { steps: 8 });
  await at(0.3, 0.24);
  await page.mouse.down();
  await at(0.7, 0.24);
  await at(0.46, 0.8);
  await page.mouse.up();
}

/** Each screenshot: example or command, panel, training steps, theme and user actions. */
const SCREENSHOTS = [
  { name: 'studio-train', task: 'digits-mlp', panel: 'train', steps: 2500, theme: 'light', act: draw },
  { name: 'studio-graph', task: 'digits-cnn', panel: 'graph', steps: 100, theme: 'light', act: (page) => page.locator('.box.call', { hasText: 'features.0' }).click() },
  { name: 'studio-compiler', task: 'text', panel: 'compiler', steps: 20, theme: 'dark', act: (page) => page.getByRole('button', { name: 'Profile step' }).click() },
  { name: 'studio-code', task: 'spiral', panel: 'code', steps: 20, theme: 'dark', act: addMistake },
  { name: 'studio-native', command: 'train digits --model mlp --epochs 100', panel: 'train', steps: 2500, theme: 'light' },
];

/** Edits the model so that it fails, which marks the line. */
async function addMistake(page) {
  await page.getByText('model.forward(x), y').click();
  await page.keyboard.press('Home');
  const at = (await page.locator('.cm-line', { hasText: 'model.forward(x), y' }).innerText()).indexOf('(x), y') + 2;
  for (let n = 0; n < at - 2; n += 1) await page.keyboard.press('ArrowRight');
  await page.keyboard.type('.flatten()');
  await page.getByRole('button', { name: 'Run model' }).click();
}

/** Starts a native run; returns the address of its studio and a function that stops it. */
async function startNative(command) {
  const out = fs.mkdtempSync(path.join(os.tmpdir(), 'brasa-picture-'));
  const line = `run --release --quiet --package brasa-cli -- ${command} --studio --studio-port 0 --out`;
  const child = spawn('cargo', [...line.split(' '), path.join(out, 'digits')], { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  const close = async () => {
    process.kill(-child.pid, 'SIGKILL');
    await once(child, 'close');
    fs.rmSync(out, { recursive: true, force: true });
  };
  for await (const text of createInterface({ input: child.stderr })) {
    const address = /^Brasa studio +(\S+)/.exec(text)?.[1];
    if (address !== undefined) return { address, close };
  }
  throw new Error(`\`brasa ${command}\` ended without printing an address`);
}

const server = await site({ port: 0, mnist: await mnist(console.log) });
fs.mkdirSync(IMAGES, { recursive: true });
for (const { name, task, command, panel, steps, theme, act } of SCREENSHOTS) {
  const run = command === undefined ? { address: `${server.address}/?task=${task}`, close: () => undefined } : await startNative(command);
  await withBrowser(async (context) => {
    const page = await context.newPage();
    await page.goto(`${run.address}#${panel}`);
    const isThere = (count) => Number(document.querySelector('.studio')?.dataset.step) >= count;
    await page.waitForFunction(isThere, steps, { timeout: 300_000 });
    await act?.(page);
    await page.waitForTimeout(2000);
    const { length } = await page.screenshot({ path: path.join(IMAGES, `${name}.png`) });
    console.log(`${name}.png: ${Math.round(length / 1000)} kB`);
    if (length > MAX_BYTES) throw new Error(`${name}.png is larger than ${MAX_BYTES} bytes`);
  }, { viewport: { width: 1280, height: 800 }, colorScheme: theme }).finally(run.close);
}
server.close();
