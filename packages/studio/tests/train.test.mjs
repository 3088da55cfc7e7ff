// The training room: a page that opens shows a model that learns, and a person can drive it.
import assert from 'node:assert/strict';
import { assertFits, figure, room, state, steps } from './steps.mjs';

export const tests = {
  'a page that opens shows a model that learns digits': {
    async body(page, go) {
      await go();
      await steps(page, 20);
      await page.waitForFunction(() => Number(document.querySelector('.studio').dataset.metric) > 0.9);
      assert.ok(Number.parseFloat(await figure(page, 'Loss')) < 1.5);
      assert.match(await figure(page, 'Parameters'), /101\.8 k/);
      assert.match(await page.locator('.status').innerText(), /CPU thread/);
      await page.getByRole('img', { name: 'Norms of gradients: layers by steps' }).waitFor();
      await page.getByText('every layer learns').waitFor();
    },
  },

  'pause, one step, begin anew': {
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 5);
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.waitForTimeout(300);
      const paused = await state(page);
      await page.waitForTimeout(300);
      assert.equal((await state(page)).step, paused.step);
      await page.getByRole('button', { name: 'One step' }).click();
      await page.waitForFunction((step) => Number(document.querySelector('.studio').dataset.step) === step, paused.step + 1);
      await page.getByRole('button', { name: 'Begin anew' }).click();
      await page.waitForFunction(() => document.querySelector('.studio').dataset.step === '0' && document.querySelector('.studio').dataset.state === 'paused');
      await page.getByRole('button', { name: 'Start' }).click();
      await steps(page, 5);
    },
  },

  'the same seed gives the same losses': {
    async body(page, go) {
      await go('?task=spiral');
      const losses = [];
      for (let run = 0; run < 2; run += 1) {
        await steps(page, 1);
        await page.getByRole('button', { name: 'Begin anew' }).click();
        await page.waitForFunction(() => document.querySelector('.studio').dataset.state === 'paused');
        for (let step = 1; step <= 4; step += 1) {
          await page.getByRole('button', { name: 'One step' }).click();
          await page.waitForFunction((step) => Number(document.querySelector('.studio').dataset.step) === step, step);
          if (run === 0 || step !== 2) continue;
          // Looking on leaves no trace: a step that is timed does not count.
          await room(page, 'Compiler');
          await page.getByText('for the kernels of one step').waitFor();
          await room(page, 'Train');
        }
        losses.push(await figure(page, 'Loss'));
      }
      assert.equal(losses[0], losses[1]);
    },
  },

  'keys drive the run and change rooms': {
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 3);
      await page.keyboard.press(' ');
      await page.waitForFunction(() => document.querySelector('.studio').dataset.state === 'paused');
      await page.waitForTimeout(200);
      const { step } = await state(page);
      await page.keyboard.press('s');
      await page.waitForFunction((step) => Number(document.querySelector('.studio').dataset.step) === step + 1, step);
      await page.keyboard.press('4');
      await page.locator('.cm-content').waitFor();
      await page.getByRole('navigation').getByRole('button', { name: 'Train' }).focus();
      await page.keyboard.press('Enter');
      await page.locator('.figures').waitFor();
    },
  },

  'a learning rate of nothing stops learning at once, without beginning anew': {
    async body(page, go) {
      await go('?task=spiral');
      const { step } = await steps(page, 30);
      await page.getByLabel('Learning rate', { exact: true }).fill('0.000000001');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Pause' }).waitFor();
      await page.waitForTimeout(200);
      const before = await page.evaluate(() => document.querySelector('.studio').dataset.metric);
      assert.ok((await steps(page, step + 60)).step > step);
      const after = await page.evaluate(() => document.querySelector('.studio').dataset.metric);
      assert.ok(Math.abs(Number(before) - Number(after)) < 0.05, `the accuracy went from ${before} to ${after}`);
    },
  },

  'values of a parameter are shown when one asks': {
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 3);
      await page.getByLabel('Parameter', { exact: true }).selectOption('0.weight');
      await page.getByRole('img', { name: 'Histogram: Values' }).waitFor();
      await page.getByRole('img', { name: 'Histogram: Gradient' }).waitFor();
    },
  },

  'nothing moves while a model trains': {
    async body(page, go) {
      await go();
      await steps(page, 60);
      await page.waitForTimeout(500);
      await page.evaluate(() => {
        window.shifts = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) window.shifts += entry.value;
        }).observe({ type: 'layout-shift' });
      });
      const { step } = await state(page);
      await steps(page, step + 100);
      await page.waitForTimeout(1000);
      assert.equal(await page.evaluate(() => window.shifts), 0);
    },
  },

  'it fits a phone': {
    settings: { viewport: { width: 390, height: 844 } },
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 3);
      for (const name of ['Graph', 'Compiler', 'Code', 'Train']) {
        await page.getByRole('navigation').getByRole('button', { name }).click();
        await page.waitForTimeout(150);
        await assertFits(page);
      }
      await page.getByRole('button', { name: 'Settings' }).click();
      await page.getByLabel('Optimizer').selectOption('sgd');
      await assertFits(page);
      await steps(page, 3);
    },
  },

  'dark or light, as one likes': {
    settings: { colorScheme: 'dark' },
    async body(page, go) {
      await go('?task=spiral');
      const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const dark = await ground();
      await page.getByRole('button', { name: 'Light colours' }).click();
      assert.notEqual(await ground(), dark);
      await page.reload();
      await page.getByRole('button', { name: 'Dark colours' }).click();
      assert.equal(await ground(), dark);
    },
  },
};
