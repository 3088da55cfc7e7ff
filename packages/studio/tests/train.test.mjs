// The training panel: training starts on load and can be controlled.
import assert from 'node:assert/strict';
import { assertFits, figure, openPanel, state, steps } from './helpers.mjs';

/** Texts whose contrast with their background is below 4.5. */
function paleTexts() {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const ground = (element) => {
    const own = rgba(getComputedStyle(element).backgroundColor);
    return own[3] === 1 || !element.parentElement ? own : over(own, ground(element.parentElement));
  };
  const light = ([r, g, b]) => {
    const [R, G, B] = [r, g, b].map((x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * R + 0.7152 * G + 0.0722 * B;
  };
  const found = new Set();
  const walk = document.createTreeWalker(document.getElementById('studio'), NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const element = node.parentElement;
    if (node.textContent.trim() === '' || !element.checkVisibility() || element.closest(':disabled, svg')) continue;
    const below = ground(element);
    const [a, b] = [light(over(rgba(getComputedStyle(element).color), below)), light(below)];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) found.add(`${contrast.toFixed(2)} ${element.className} ${node.textContent.slice(0, 24)}`);
  }
  return [...found];
}

export const tests = {
  'the page trains a digit classifier on load': {
    async body(page, go) {
      await go();
      await steps(page, 20);
      await page.waitForFunction(() => Number(document.querySelector('.studio').dataset.metric) > 0.9);
      assert.ok(Number.parseFloat(await figure(page, 'Loss')) < 1.5);
      assert.match(await figure(page, 'Parameters'), /101\.8 k/);
      assert.match(await page.locator('.status').innerText(), /CPU thread/);
      await page.getByRole('img', { name: 'Gradient norms: layers by steps' }).waitFor();
      await page.getByText('every layer is learning').waitFor();
    },
  },

  'pause, single step and restart': {
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 5);
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.waitForTimeout(300);
      const paused = await state(page);
      await page.waitForTimeout(300);
      assert.equal((await state(page)).step, paused.step);
      await page.getByRole('button', { name: 'Single step' }).click();
      await page.waitForFunction((step) => Number(document.querySelector('.studio').dataset.step) === step, paused.step + 1);
      await page.getByRole('button', { name: 'Restart' }).click();
      await page.waitForFunction(() => document.querySelector('.studio').dataset.step === '0' && document.querySelector('.studio').dataset.state === 'paused');
      await page.getByRole('button', { name: 'Start', exact: true }).click();
      await steps(page, 5);
    },
  },

  'the same seed gives the same losses': {
    async body(page, go) {
      await go('?task=spiral');
      const losses = [];
      for (let run = 0; run < 2; run += 1) {
        await steps(page, 1);
        await page.getByRole('button', { name: 'Restart' }).click();
        await page.waitForFunction(() => document.querySelector('.studio').dataset.state === 'paused');
        for (let step = 1; step <= 4; step += 1) {
          await page.getByRole('button', { name: 'Single step' }).click();
          await page.waitForFunction((step) => Number(document.querySelector('.studio').dataset.step) === step, step);
          if (run === 0 || step !== 2) continue;
          // Profiling does not change the model.
          await openPanel(page, 'Compiler');
          await page.getByText('kernel time per step').waitFor();
          // A step requested while profiling is queued, not lost.
          await page.evaluate(() => {
            [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Profile step').click();
            document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 's', bubbles: true }));
          });
          await page.waitForFunction((step) => Number(document.querySelector('.studio').dataset.step) === step, step += 1);
          await openPanel(page, 'Train');
        }
        losses.push(await figure(page, 'Loss'));
      }
      assert.equal(losses[0], losses[1]);
    },
  },

  'a learning rate set while the engine starts is applied': {
    async body(page, go) {
      let isSet;
      const set = new Promise((resolve) => {
        isSet = resolve;
      });
      await page.context().route('**/brasa/index.js', async (route) => {
        await set;
        await route.continue();
      });
      await go('?task=spiral');
      await page.getByLabel('Learning rate', { exact: true }).fill('0.000000001');
      await page.keyboard.press('Enter');
      isSet();
      await steps(page, 300);
      // Unchanged: 300 steps at the default rate would have halved it.
      assert.ok(Number(await figure(page, 'Loss')) > 1, await figure(page, 'Loss'));
      assert.equal(await page.getByLabel('Learning rate', { exact: true }).inputValue(), '1e-9');
    },
  },

  'charts and gradient flow show the value under the cursor': {
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 50);
      await page.getByRole('button', { name: 'Pause' }).click();
      const reading = page.locator('.chart', { has: page.getByRole('heading', { name: 'Loss' }) }).locator('.reading');
      assert.equal(await reading.innerText(), '');
      await page.getByRole('img', { name: 'Loss over steps' }).hover();
      await reading.getByText(/^step [\d,]+: \d\.\d+/).waitFor();
      await page.getByRole('img', { name: 'Gradient norms: layers by steps' }).hover();
      await page.locator('.flow h2 small', { hasText: /^2, step [\d,]+: norm \d/ }).waitFor();
      assert.equal(await page.locator('.flow .ends span').count(), 2);
    },
  },

  'text has enough contrast in both themes': {
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 10);
      for (const name of ['Train', 'Graph', 'Compiler', 'Code']) {
        await openPanel(page, name);
        await page.waitForTimeout(500);
        for (const _ of ['light', 'dark']) {
          const pale = await page.evaluate(paleTexts);
          assert.deepEqual(pale, [], `in ${name}`);
          await page.getByRole('button', { name: /(Light|Dark) theme/ }).click();
        }
      }
    },
  },

  'keyboard shortcuts control the run and switch panels': {
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
      // They also work after a button was clicked.
      await page.getByRole('button', { name: 'Single step' }).click();
      await page.keyboard.press('3');
      await page.locator('.compiler').waitFor();
      await page.keyboard.press('1');
      await page.locator('.figures').waitFor();
    },
  },

  'a tiny learning rate applies immediately, without a restart': {
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

  'selecting a parameter shows its histograms': {
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 3);
      await page.getByLabel('Parameter', { exact: true }).selectOption('0.weight');
      await page.getByRole('img', { name: 'Histogram: Values' }).waitFor();
      await page.getByRole('img', { name: 'Histogram: Gradient' }).waitFor();
    },
  },

  'training causes no layout shift': {
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

  'the page fits a phone': {
    settings: { viewport: { width: 390, height: 844 } },
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 3);
      for (const name of ['Graph', 'Compiler', 'Code', 'Train']) {
        await page.getByRole('navigation').getByRole('button', { name }).click();
        await page.waitForTimeout(150);
        await assertFits(page);
      }
      assert.match(await page.locator('.status').innerText(), /^Training$/);
      await page.getByRole('button', { name: 'Settings' }).click();
      await page.getByLabel('Optimizer').selectOption('sgd');
      await assertFits(page);
      await steps(page, 3);
    },
  },

  'the theme can be switched and is remembered': {
    settings: { colorScheme: 'dark' },
    async body(page, go) {
      await go('?task=spiral');
      const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const dark = await ground();
      await page.getByRole('button', { name: 'Light theme' }).click();
      assert.notEqual(await ground(), dark);
      await page.reload();
      await page.getByRole('button', { name: 'Dark theme' }).click();
      assert.equal(await ground(), dark);
    },
  },
};
