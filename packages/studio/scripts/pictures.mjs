// Makes the pictures of the README:  node packages/studio/scripts/pictures.mjs
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { withBrowser } from '../../brasa/scripts/browser.mjs';
import { mnist } from './mnist.mjs';
import { site } from './site.mjs';

const IMAGES = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../docs/images');

/** Bytes of a picture, at most. */
const MOST = 200_000;

/** Draws a seven, and looks into a parameter. */
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

/** What is shown: an example, a room, how long it has trained, and what a person does there. */
const PICTURES = [
  { name: 'studio-train', task: 'digits-mlp', room: 'train', steps: 2500, theme: 'light', act: draw },
  { name: 'studio-graph', task: 'digits-cnn', room: 'graph', steps: 100, theme: 'light', act: (page) => page.locator('.box.call', { hasText: 'features.0' }).click() },
  { name: 'studio-compiler', task: 'text', room: 'compiler', steps: 20, theme: 'dark', act: (page) => page.getByRole('button', { name: 'Time a step' }).click() },
];

const server = await site({ port: 0, mnist: await mnist(console.log) });
fs.mkdirSync(IMAGES, { recursive: true });
for (const { name, task, room, steps, theme, act } of PICTURES) {
  await withBrowser(async (context) => {
    const page = await context.newPage();
    await page.goto(`${server.address}/?task=${task}#${room}`);
    const isThere = (count) => Number(document.querySelector('.studio')?.dataset.step) >= count;
    await page.waitForFunction(isThere, steps, { timeout: 300_000 });
    await act(page);
    await page.waitForTimeout(2000);
    const { length } = await page.screenshot({ path: path.join(IMAGES, `${name}.png`) });
    console.log(`${name}.png: ${Math.round(length / 1000)} kB`);
    if (length > MOST) throw new Error(`${name}.png is larger than ${MOST} bytes`);
  }, { viewport: { width: 1280, height: 800 }, colorScheme: theme });
}
server.close();
