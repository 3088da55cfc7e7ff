// The other rooms: source, graph and compiler, and what is said when something goes wrong.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { edit, figure, room, state, steps } from './steps.mjs';

export const tests = {
  'a model that one changes is run': {
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 3);
      await edit(page, (source) => source.replaceAll('48', '20'));
      await steps(page, 3);
      await room(page, 'Train');
      // 2·20 + 20 + 20·20 + 20 + 20·3 + 3
      assert.equal(await figure(page, 'Parameters'), '543');
    },
  },

  'what is no JavaScript is told at its line': {
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 3);
      await edit(page, (source) => source.replace('export function loss(x, y) {', 'export function loss(x, y {'));
      await page.getByText(/Line 13: This is not JavaScript/).waitFor();
      await page.locator('.cm-lint-marker-error').waitFor();
    },
  },

  'shapes that do not fit are told at their line': {
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 3);
      await edit(page, (source) => source.replace('model.forward(x), y', 'model.forward(x.reshape([-1])), y'));
      await page.getByText(/^Line 14: /).waitFor();
      assert.equal((await state(page)).state, 'failed');
      await page.locator('.cm-lint-marker-error').waitFor();
      await page.getByRole('button', { name: 'As it was' }).click();
      await page.getByRole('button', { name: 'Run this model' }).click();
      await steps(page, 3);
    },
  },

  'a loss that is not finite stops the run and is found': {
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 3);
      await edit(page, (source) => source.replace('return crossEntropy(model.forward(x), y);', 'return crossEntropy(model.forward(x).sub(1000).log(), y);'));
      await page.waitForFunction(() => document.querySelector('.studio').dataset.state === 'failed');
      await page.locator('.health').getByText(/The loss became NaN at step 0, first in the loss or its gradient\./).waitFor();
      await page.getByText(/^Line 14: The loss became NaN/).waitFor();
      await page.locator('.cm-lint-marker-error').waitFor();
    },
  },

  'a part that gives what is not finite is found with its line': {
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 3);
      const broken = 'class Broken extends nn.Module {\n  forward(x) {\n    return x.sub(1000).log();\n  }\n}\n\n// Three';
      await edit(page, (source) => source.replace('// Three', broken).replace('new nn.Linear(48, 48)', 'new Broken(), new nn.Linear(48, 48)'));
      await page.locator('.health').getByText(/The loss became NaN at step 0, first at 2\./).waitFor();
      await room(page, 'Train');
      await page.getByRole('button', { name: 'Show line 5' }).click();
      await page.locator('.cm-lit', { hasText: 'x.sub(1000).log()' }).waitFor();
    },
  },

  'the graph is shown, folded, searched and looked into': {
    async body(page, go) {
      await go('?task=digits-mlp');
      await steps(page, 3);
      await room(page, 'Graph');
      const boxes = page.locator('.box');
      await boxes.first().waitFor();
      const folded = await boxes.count();
      await page.locator('.box.call', { hasText: 'cross_entropy' }).click();
      await page.getByRole('complementary', { name: 'About cross_entropy' }).waitFor();
      await page.getByRole('button', { name: 'Line 12 of model.js' }).waitFor();
      await page.getByRole('button', { name: 'Open', exact: true }).click();
      await page.waitForFunction((before) => document.querySelectorAll('.box').length > before, folded);
      // The update of parameters is no part of what is computed forward.
      assert.equal(await page.locator('.box', { hasText: /write|fixed/ }).count(), 0);
      await page.getByLabel('Search the graph').fill('2.weight');
      await page.getByText('1 found').waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('img', { name: 'Histogram of the values' }).waitFor();
      await page.getByRole('button', { name: 'Backward' }).click();
      await page.locator('.box.backward').first().waitFor();
    },
  },

  'a part of the model is folded into one box': {
    async body(page, go) {
      await go('?task=digits-cnn');
      await steps(page, 3);
      await room(page, 'Graph');
      await page.locator('.box.call', { hasText: 'features.0' }).click();
      const before = await page.locator('.box').count();
      // First the part itself, then the one around it, with all that is in it.
      await page.getByRole('button', { name: 'Fold' }).click();
      await page.getByRole('complementary', { name: 'About features.0' }).waitFor();
      await page.getByRole('button', { name: 'Fold' }).click();
      await page.getByRole('complementary', { name: 'About features', exact: true }).waitFor();
      await page.waitForFunction((before) => document.querySelectorAll('.box').length <= before - 5, before);
      const folded = await page.locator('.box').count();
      await page.getByRole('button', { name: 'Open', exact: true }).click();
      await page.waitForFunction((folded) => document.querySelectorAll('.box').length > folded, folded);
    },
  },

  'a kernel is followed from its source to its program': {
    async body(page, go) {
      await go('?task=digits-mlp');
      await steps(page, 3);
      await room(page, 'Compiler');
      const kernels = page.locator('.kernels .row');
      await kernels.first().waitFor();
      await page.locator('.kernels .row', { hasText: 'contract' }).first().click();
      await page.locator('.nodes .row.lit').first().waitFor();
      await page.locator('.source .cm-lit').first().waitFor();
      assert.match(await page.locator('.listing').innerText(), /contract/);
      assert.ok((await page.locator('.why').innerText()).length > 3);
      await page.getByRole('img', { name: 'Memory plan: offset against time' }).waitFor();
    },
  },

  'the kernels of a step are timed and exported': {
    async body(page, go) {
      await go('?task=digits-mlp');
      await steps(page, 3);
      await room(page, 'Compiler');
      const waiting = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export trace' }).click();
      const { traceEvents } = JSON.parse(fs.readFileSync(await (await waiting).path(), 'utf8'));
      assert.equal(traceEvents.length, await page.locator('.kernels .row').count());
      assert.ok(traceEvents.some((event) => event.dur > 0));
      // The slowest is shown by itself, and again when one asks.
      const slowest = traceEvents.reduce((best, event, n) => (event.dur > traceEvents[best].dur ? n : best), 0);
      const isShown = (n) => page.locator('.program h2 small', { hasText: new RegExp(`^kernel ${n}$`) }).waitFor();
      await isShown(slowest);
      const other = slowest === 0 ? 1 : 0;
      await page.locator('.kernels .row').nth(other).click();
      await isShown(other);
      await page.getByRole('button', { name: 'Slowest kernel' }).click();
      await isShown(slowest);
    },
  },
};
