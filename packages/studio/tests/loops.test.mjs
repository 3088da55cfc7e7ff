// Infinite loops in the user's code: the page stays responsive, the text is kept, and the code can be stopped.
import assert from 'node:assert/strict';
import { assertResponds, edit, openPanel, state, steps } from './helpers.mjs';

const ENDLESS = 'while (true) {}';

/** Runs the spiral example with code inserted into its loss, or at module level. */
const runWith = async (page, go, at, code) => {
  await go('?task=spiral');
  await steps(page, 3);
  const places = { loss: (source) => source.replace('  return crossEntropy', `  ${code}\n  return crossEntropy`), module: (source) => `${source}\n${code}\n` };
  await edit(page, places[at]);
};

const stopButton = (page) => page.locator('.code').getByRole('button', { name: 'Stop' });

const stops = (at) => ({
  async body(page, go) {
    await runWith(page, go, at, ENDLESS);
    await stopButton(page).waitFor();
    await assertResponds(page);
    await page.locator('.code footer').getByText(/The code has not responded for \d+ s/).waitFor();
    await stopButton(page).click();
    await page.getByText('Stopped. Change the code').first().waitFor();
    assert.equal((await state(page)).state, 'failed');
    // The text is kept, and the next model runs.
    assert.match(await page.locator('.cm-content').innerText(), /while \(true\) \{\}/);
    await page.getByRole('button', { name: 'Undo edits' }).click();
    await page.getByRole('button', { name: 'Run model' }).click();
    await steps(page, 3);
    await assertResponds(page);
  },
});

export const tests = {
  'a loss with an infinite loop is stopped by a button': stops('loss'),
  'a module with an infinite loop is stopped by a button': stops('module'),

  'an infinite loop is stopped after the timeout': {
    async body(page, go) {
      await runWith(page, go, 'loss', ENDLESS);
      await page.locator('.health').getByText(/The code did not respond for 10 s and was stopped/).waitFor();
      assert.equal((await state(page)).state, 'failed');
      await openPanel(page, 'Train');
      // Run the same code again, then switch to another example.
      await page.getByRole('button', { name: 'Restart' }).click();
      await page.getByRole('button', { name: 'Start', exact: true }).click();
      await page.getByRole('button', { name: 'Stop' }).waitFor();
      await page.locator('.task', { hasText: 'Names' }).click();
      await steps(page, 3);
      await openPanel(page, 'Code');
      await page.locator('.task', { hasText: 'Spiral' }).click();
      await page.locator('.code h2', { hasText: 'Spiral' }).waitFor();
      assert.match(await page.locator('.cm-content').innerText(), /while \(true\) \{\}/);
      await steps(page, 3);
    },
  },

  'slow code continues after Keep going': {
    async body(page, go) {
      await runWith(page, go, 'module', 'for (const end = Date.now() + 3000; Date.now() < end; ) {}');
      await stopButton(page).waitFor();
      await page.getByRole('button', { name: 'Keep going' }).first().click();
      await steps(page, 3);
      assert.equal(await stopButton(page).count(), 0);
    },
  },

  'an asynchronous error is shown with its line': {
    async body(page, go) {
      await runWith(page, go, 'module', "setTimeout(() => { throw new Error('much later'); }, 300);");
      await page.getByText(/^Line \d+: (Uncaught Error: )?much later/).waitFor();
    },
  },
};
