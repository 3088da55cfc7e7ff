// What the tests say again and again.
import assert from 'node:assert/strict';

/** The state of the run, as the page shows it. */
export const state = (page) =>
  page.evaluate(() => {
    const { state, step, metric } = document.querySelector('.studio').dataset;
    return { state, step: Number(step), metric: metric === '' ? undefined : Number(metric) };
  });

/** Waits until so many steps were taken; a run that fails meanwhile fails the test. */
export async function steps(page, count) {
  await page.waitForFunction((count) => {
    const { state, step } = document.querySelector('.studio').dataset;
    return state === 'failed' || Number(step) >= count;
  }, count);
  const now = await state(page);
  if (now.state === 'failed') assert.fail(`the run has failed: ${await page.locator('.health').innerText()}`);
  return now;
}

/** A figure of the training room. */
export const figure = (page, name) => page.locator('.figures div', { has: page.locator(`dt:text-is("${name}")`) }).locator('dd').innerText();

export const room = (page, name) => page.getByRole('navigation').getByRole('button', { name }).click();

/** Replaces the text of the editor and runs it. */
export async function edit(page, change) {
  await room(page, 'Code');
  await page.locator('.cm-content').click();
  const source = await page.evaluate(() => [...document.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n'));
  const changed = change(source);
  assert.notEqual(changed, source, 'the text to be changed is not there');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(changed);
  await page.getByRole('button', { name: 'Run this model' }).click();
}

/** Whether something sticks out of the page sideways. */
export async function assertFits(page) {
  const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(inner <= outer, `the page is ${inner} pixels wide in a window of ${outer}`);
}

/** Whether the page does what it is asked to within a second. */
export async function assertResponds(page) {
  const tick = page.evaluate(() => {
    const start = performance.now();
    return new Promise((resolve) => setTimeout(() => resolve(performance.now() - start)));
  });
  const never = new Promise((resolve) => setTimeout(resolve, 10_000, Infinity));
  const took = await Promise.race([tick, never]);
  assert.ok(took < 1000, `the page has answered after ${took} ms`);
}
