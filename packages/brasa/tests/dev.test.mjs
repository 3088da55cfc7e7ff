// The development site: tests in the visiting browser, and samples whose console output goes to the terminal.
import assert from 'node:assert/strict';

/** Posts a log line; resolves with the status. */
const status = (address, headers, body = '{}', method = 'POST') =>
  fetch(`${address}/__log`, { method, headers, ...(method === 'POST' && { body }) }).then((answer) => answer.status);

export const tests = {
  'a page runs the suites on each device and lists the results': {
    async body({ page, address, lines }) {
      await page.goto(`${address}/tests/?only=basics: a`);
      await page.waitForSelector('body[data-done=passed]');
      const titles = await page.locator('h2').allTextContents();
      const cores = await page.evaluate(() => navigator.hardwareConcurrency);
      const several = cores > 1 ? [`cpu, ${cores} threads`] : [];
      assert.deepEqual(titles.map((title) => title.split(':')[0]), ['cpu, 1 thread', ...several, 'webgpu, 1 thread']);
      const passed = titles.map((title) => Number(/(\d+) passed, 0 failed/.exec(title)?.[1]));
      assert.ok(passed.every((count) => count > 0), titles.join('; '));
      assert.equal(await page.locator('li.passed').count(), passed.reduce((sum, count) => sum + count));
      await lines((all) => titles.every((title) => all.includes(`/tests/ | log: ${title}`)));
    },
  },

  'the server prints the console output of samples': {
    async body({ page, address, lines }) {
      await page.goto(`${address}/`);
      await page.getByRole('link', { name: 'line' }).click();
      await lines((all) => all.includes('/samples/line/ | log: y = 2.00 x + 1.00'));
      await page.goto(`${address}/samples/xor/`);
      await lines((all) => all.includes('/samples/xor/ | log: 0 0, 0 1, 1 0, 1 1 give 0, 1, 1, 0'));
      assert.match(await page.locator('#output').textContent(), /^step 0: loss /);
      await page.evaluate(() => void Promise.reject(new Error('unhandled')));
      await lines((all) => all.some((line) => line.startsWith('/samples/xor/ | error: Error: unhandled')));
    },
  },

  'the server accepts log lines only from its own pages': {
    async body({ address, lines }) {
      const line = JSON.stringify({ level: 'log', where: '/', line: 'a\u001b[2Jb' });
      assert.equal(await status(address, {}, line), 403);
      assert.equal(await status(address, { Origin: 'http://example.org' }, line), 403);
      assert.equal(await status(address, { Origin: address }, '', 'GET'), 403);
      assert.equal(await status(address, { Origin: address }, 'no JSON'), 400);
      assert.equal(await status(address, { Origin: address }, ' '.repeat(2 << 20)), 413);
      assert.equal(await status(address, { Origin: address }, line), 204);
      // Control characters are removed.
      await lines((all) => all.length === 1 && all[0] === '/ | log: a [2Jb');
    },
  },
};
