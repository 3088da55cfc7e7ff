// Makes the pictures of the README:  node packages/studio/scripts/pictures.mjs
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { withBrowser } from '../../brasa/scripts/browser.mjs';
import { mnist } from './mnist.mjs';
import { site } from './site.mjs';

const IMAGES = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../docs/images');

/** What is shown: an example, a room, and how long it has trained. */
const PICTURES = [
  { name: 'studio-train', task: 'digits-mlp', room: 'train', steps: 600, theme: 'light' },
  { name: 'studio-graph', task: 'digits-cnn', room: 'graph', steps: 30, theme: 'light' },
  { name: 'studio-compiler', task: 'text', room: 'compiler', steps: 10, theme: 'dark' },
];

const server = await site({ port: 0, mnist: await mnist(console.log) });
fs.mkdirSync(IMAGES, { recursive: true });
for (const { name, task, room, steps, theme } of PICTURES) {
  await withBrowser(async (context) => {
    const page = await context.newPage();
    await page.goto(`${server.address}/?task=${task}#${room}`);
    const isThere = (count) => Number(document.querySelector('.studio')?.dataset.step) >= count;
    await page.waitForFunction(isThere, steps, { timeout: 300_000 });
    await page.waitForTimeout(2000);
    await page.screenshot({ path: path.join(IMAGES, `${name}.png`) });
    console.log(`${name}.png`);
  }, { viewport: { width: 1280, height: 800 }, colorScheme: theme });
}
server.close();
