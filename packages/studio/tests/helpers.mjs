// Helpers shared by the studio's browser tests.
import assert from 'node:assert/strict';

/** State, step and metric of the run, from the page's data attributes. */
export const state = (page) =>
  page.evaluate(() => {
    const { state, step, metric } = document.querySelector('.studio').dataset;
    return { state, step: Number(step), metric: metric === '' ? undefined : Number(metric) };
  });

/** Waits until `count` steps were taken. Fails the test if the run fails. */
export async function steps(page, count) {
  await page.waitForFunction((count) => {
    const { state, step } = document.querySelector('.studio').dataset;
    return state === 'failed' || Number(step) >= count;
  }, count);
  const now = await state(page);
  if (now.state === 'failed') assert.fail(`the run failed: ${await page.locator('.health').innerText()}`);
  return now;
}

/** A key figure of the training panel. */
export const figure = (page, name) => page.locator('.figures div', { has: page.locator(`dt:text-is("${name}")`) }).locator('dd').innerText();

export const openPanel = (page, name) => page.getByRole('navigation').getByRole('button', { name }).click();

/** Changes the editor's text and runs it. */
export async function edit(page, change) {
  await openPanel(page, 'Code');
  await page.locator('.cm-content').click();
  const source = await page.evaluate(() => [...document.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n'));
  const changed = change(source);
  assert.notEqual(changed, source, 'the text to change was not found');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(changed);
  await page.getByRole('button', { name: 'Run model' }).click();
}

/** Asserts that the page does not scroll horizontally. */
export async function assertFits(page) {
  const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(inner <= outer, `the page is ${inner} pixels wide in a window of ${outer}`);
}

/** Asserts that the page's main thread responds within a second. */
export async function assertResponds(page) {
  const tick = page.evaluate(() => {
    const start = performance.now();
    return new Promise((resolve) => setTimeout(() => resolve(performance.now() - start)));
  });
  const never = new Promise((resolve) => setTimeout(resolve, 10_000, Infinity));
  const took = await Promise.race([tick, never]);
  assert.ok(took < 1000, `the page responded after ${took} ms`);
}
