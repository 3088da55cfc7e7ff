// A run elsewhere is shown as its log grows, to those who have the token.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { site } from '../scripts/site.mjs';
import { watch } from '../scripts/watch.mjs';
import { figure } from './steps.mjs';

const line = (entry) => `${JSON.stringify({ time: 0, ...entry })}\n`;

export const tests = {
  'a log that grows is followed': {
    async body(page) {
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'brasa-log-'));
      const log = path.join(folder, 'events.jsonl');
      const server = await site({ port: 0, mnist: undefined, watched: watch(folder) });
      try {
        fs.writeFileSync(log, line({ event: 'start', step: 0, steps: 40, parameters: 4547 }));
        await page.goto(`${server.address}/?task=spiral#watch`);
        await page.getByText('The run is under way.').waitFor();
        // A line that is cut in two is read once it is whole.
        const step = line({ event: 'step', step: 1, epoch: 1, loss: 1.25, lr: 0.1, examples: 64, seconds: 0.5 });
        fs.appendFileSync(log, step.slice(0, 20));
        fs.appendFileSync(log, step.slice(20));
        await page.waitForFunction(() => document.querySelector('.watch .figures').textContent.includes('1.25'));
        fs.appendFileSync(log, line({ event: 'epoch', epoch: 1, step: 2, loss: 1, measures: { accuracy: 0.5 }, seconds: 1 }));
        await page.getByText('Measured: accuracy').waitFor();
        fs.appendFileSync(log, line({ event: 'end', ended: 'early', step: 2, seconds: 1 }));
        await page.getByText('The run has ended: early.').waitFor();
        assert.equal(await figure(page, 'Step'), '2 of 40');
        assert.equal((await fetch(`${server.address}/events?token=guess`)).status, 403);
      } finally {
        server.close();
        fs.rmSync(folder, { recursive: true, force: true });
      }
    },
  },
};
