// Code that never comes back: the page stays at hand, what was written is kept, and it can be stopped.
import assert from 'node:assert/strict';
import { assertResponds, edit, room, state, steps } from './steps.mjs';

const ENDLESS = 'while (true) {}';

/** Runs the spiral with something in its loss, or before all else. */
const begins = async (page, go, at, code) => {
  await go('?task=spiral');
  await steps(page, 3);
  const places = { loss: (source) => source.replace('  return crossEntropy', `  ${code}\n  return crossEntropy`), module: (source) => `${source}\n${code}\n` };
  await edit(page, places[at]);
};

const stopButton = (page) => page.locator('.code').getByRole('button', { name: 'Stop' });

const stops = (at) => ({
  async body(page, go) {
    await begins(page, go, at, ENDLESS);
    await stopButton(page).waitFor();
    await assertResponds(page);
    await page.locator('.code footer').getByText(/The code has been running for \d+ s without coming back/).waitFor();
    await stopButton(page).click();
    await page.getByText('Stopped. Change the code').first().waitFor();
    assert.equal((await state(page)).state, 'failed');
    // What was written is still there, and the next model runs.
    assert.match(await page.locator('.cm-content').innerText(), /while \(true\) \{\}/);
    await page.getByRole('button', { name: 'Undo edits' }).click();
    await page.getByRole('button', { name: 'Run this model' }).click();
    await steps(page, 3);
    await assertResponds(page);
  },
});

export const tests = {
  'a loss that never ends is stopped by a button': stops('loss'),
  'a module that never ends is stopped by a button': stops('module'),

  'code that never ends is stopped after a while': {
    async body(page, go) {
      await begins(page, go, 'loss', ENDLESS);
      await page.locator('.health').getByText(/The code ran for 10 s without coming back and was stopped/).waitFor();
      assert.equal((await state(page)).state, 'failed');
      await room(page, 'Train');
      // The same code again, and now another example instead of it.
      await page.getByRole('button', { name: 'Restart' }).click();
      await page.getByRole('button', { name: 'Start', exact: true }).click();
      await page.getByRole('button', { name: 'Stop' }).waitFor();
      await page.locator('.task', { hasText: 'Names' }).click();
      await steps(page, 3);
      await room(page, 'Code');
      await page.locator('.task', { hasText: 'Spiral' }).click();
      await page.locator('.code h2', { hasText: 'Spiral' }).waitFor();
      assert.match(await page.locator('.cm-content').innerText(), /while \(true\) \{\}/);
      await steps(page, 3);
    },
  },

  'code that is only slow goes on by itself': {
    async body(page, go) {
      await begins(page, go, 'module', 'for (const end = Date.now() + 3000; Date.now() < end; ) {}');
      await stopButton(page).waitFor();
      await page.getByRole('button', { name: 'Keep going' }).first().click();
      await steps(page, 3);
      assert.equal(await stopButton(page).count(), 0);
    },
  },

  'an error that the code makes later is told at its line': {
    async body(page, go) {
      await begins(page, go, 'module', "setTimeout(() => { throw new Error('much later'); }, 300);");
      await page.getByText(/^Line \d+: (Uncaught Error: )?much later/).waitFor();
    },
  },
};
