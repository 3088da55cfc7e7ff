// Starts a headless Chromium, with WebGPU in software if there is no GPU.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';

const FLAGS = [
  '--headless=new',
  '--no-sandbox',
  '--no-first-run',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-component-update',
  '--disable-dev-shm-usage',
  '--disable-renderer-backgrounding',
  '--disable-sync',
  '--enable-unsafe-webgpu',
  '--js-flags=--expose-gc',
];

/** Pages get a new adapter after every device loss; by default only after the first. */
const ALLOW_LOSSES = '--disable-domain-blocking-for-3d-apis';

function program() {
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const usual = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  const found = [process.env.CHROME, ...usual].find((file) => file && fs.existsSync(file));
  if (!found) throw new Error('Chromium is missing: `cargo x test` adds it, or set CHROME to its program');
  return found;
}

/** Calls `body` with a browser context and always closes it afterwards. */
export async function withBrowser(body, { allowsLosses = true, ...options } = {}) {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'brasa-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: program(),
    headless: false,
    args: allowsLosses ? [...FLAGS, ALLOW_LOSSES] : FLAGS,
    viewport: { width: 1280, height: 800 },
    ...options,
  });
  try {
    return await body(context);
  } finally {
    await context.close();
    fs.rmSync(profile, { recursive: true, force: true });
  }
}
