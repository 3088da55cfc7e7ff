// Native runs: the page follows the log of a run, its graph and its kernels, given the token.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { figure, openPanel } from './helpers.mjs';

const COMMAND = 'run --release --quiet --package brasa-cli --';

/** Starts a command that serves the studio; returns the address that it prints and a function that stops it. */
async function serve(line, folder) {
  const child = spawn('cargo', [...COMMAND.split(' '), ...line.split(' '), folder], { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const close = async () => {
    const closed = once(child, 'close');
    process.kill(-child.pid, 'SIGKILL');
    await closed;
  };
  const address = new Promise((resolve, reject) => {
    const seen = [];
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (text) => {
        seen.push(text);
        const found = /^Brasa studio +(\S+)/.exec(text)?.[1];
        if (found !== undefined) resolve(new URL(found));
      });
    }
    child.on('close', () => reject(new Error(`\`brasa ${line}\` ended without printing an address:\n${seen.join('\n')}`)));
  });
  return { address: await address, close };
}

/** Calls `body` with a temporary folder. */
async function inFolder(body) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'brasa-log-'));
  try {
    await body(folder);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

const line = (entry) => `${JSON.stringify({ time: 0, ...entry })}\n`;
const hasStatus = (page, text) => page.locator('.status', { hasText: text }).waitFor();

export const tests = {
  'a growing log is followed': {
    allows: /409 \(Conflict\)/,
    body: (page) => inFolder(async (folder) => {
      const log = path.join(folder, 'events.jsonl');
      fs.writeFileSync(log, line({ event: 'start', step: 0, steps: 40, parameters: 4547 }));
      const server = await serve('studio --no-open --port 0', folder);
      try {
        await page.goto(server.address.href);
        await hasStatus(page, 'Run in progress');
        // A line written in two parts is read once it is complete.
        const step = line({ event: 'step', step: 1, epoch: 1, loss: 1.25, lr: 0.1, examples: 64, seconds: 0.5 });
        fs.appendFileSync(log, step.slice(0, 20));
        fs.appendFileSync(log, step.slice(20));
        await page.waitForFunction(() => document.querySelector('.remote .figures').textContent.includes('1.25'));
        fs.appendFileSync(log, line({ event: 'epoch', epoch: 1, step: 2, loss: 1, measures: { accuracy: 0.5 }, seconds: 1 }));
        await page.getByText('Test accuracy').waitFor();
        fs.appendFileSync(log, line({ event: 'gradients', step: 2, norms: [['0.weight', 1e-9], ['2.weight', 1]] }));
        await page.locator('.health').getByText(/Gradients vanish at 0\.weight/).waitFor();
        fs.appendFileSync(log, line({ event: 'end', ended: 'early', step: 2, seconds: 1 }));
        await hasStatus(page, 'Run finished: early');
        assert.equal(await figure(page, 'Step of 40'), '2');
        // Without a plan there is no graph.
        await openPanel(page, 'Graph');
        await page.getByText('No graph for this run: the run has no plan').waitFor();
        assert.equal((await fetch(new URL('/events?token=guess', server.address))).status, 403);
        // A run that resumes after its end, and fails.
        fs.appendFileSync(log, line({ event: 'start', step: 2, steps: 40, parameters: 4547 }));
        await hasStatus(page, 'Run in progress');
        // Killed within a line and resumed: step 3 is repeated, and step 4 is missing.
        const taken = (step, loss) => line({ event: 'step', step, epoch: 1, loss, lr: 0.1, examples: 64, seconds: 2 });
        fs.appendFileSync(log, `${taken(3, 9.5)}{"time":0,"eve\nnull\n${line({ event: 'start', step: 2, steps: 40 })}`);
        fs.appendFileSync(log, taken(3, 0.5) + taken(5, 0.75));
        await openPanel(page, 'Train');
        await page.locator('.remote .figures', { hasText: '0.75' }).waitFor();
        fs.appendFileSync(log, line({ event: 'failed', step: 3, why: 'the loss is NaN at step 3' }));
        await page.locator('.health').getByText('the loss is NaN at step 3').waitFor();
      } finally {
        await server.close();
      }
    }),
  },

  'a native run is inspected while it trains': {
    body: (page) => inFolder(async (folder) => {
      const server = await serve('train spiral --epochs 100000 --schedule constant --checkpoint-every 100 --studio --studio-port 0 --out', path.join(folder, 'run'));
      try {
        await page.goto(server.address.href);
        await hasStatus(page, 'Run in progress');
        await page.waitForFunction(() => Number(document.querySelector('.studio').dataset.step) > 100);
        await page.getByRole('img', { name: 'Gradient norms: layers by steps' }).waitFor();
        await page.locator('.health').getByText('every layer is learning').waitFor();
        assert.match(await page.locator('.about').innerText(), /Task\s*spiral/);
        // Its graph, with values from the last checkpoint.
        await openPanel(page, 'Graph');
        await page.locator('.box', { hasText: 'cross_entropy' }).first().waitFor();
        await page.getByLabel('Search the graph').fill('0.weight');
        await page.getByLabel('Search the graph').press('Enter');
        await page.getByRole('complementary', { name: 'About 0.weight' }).waitFor();
        await page.getByRole('img', { name: 'Histogram of the values' }).waitFor();
        // Its kernels, with times and source locations.
        await openPanel(page, 'Compiler');
        await page.getByText('kernel time per step').waitFor();
        await page.getByLabel('Source locations').getByText(/\.rs:\d+/).first().waitFor();
      } finally {
        await server.close();
      }
    }),
  },
};
