// The studio's server: its responses, and the content security policy of its pages.
import assert from 'node:assert/strict';
import http from 'node:http';
import { steps } from './helpers.mjs';

/** The response status for a request target that is sent unnormalized. */
const status = (address, target) =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(address);
    http.get({ hostname, port, path: target }, (answer) => resolve(answer.resume().statusCode)).on('error', reject);
  });

export const tests = {
  'malformed request targets are refused, and the server keeps responding': {
    async body(_page, _go, address) {
      const rows = [['/%', 400], ['/%ff', 400], ['//', 400], ['/%00', 404], ['/../package.json', 404], ['/..%2fpackage.json', 404], ['/nothing', 404]];
      for (const [target, wanted] of rows) {
        assert.equal(await status(address, target), wanted, target);
        assert.equal(await status(address, '/'), 200, `after ${target}`);
      }
    },
  },

  'a page can only connect to its own server': {
    allows: /Content Security Policy|Failed to load resource|localhost:9/,
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 3);
      // The policy blocks each request before anything is sent.
      const refused = () => page.evaluate(async () => {
        const found = [];
        addEventListener('securitypolicyviolation', ({ effectiveDirective }) => found.push(effectiveDirective));
        const far = 'localhost:9';
        await fetch(`http://${far}/`).catch(() => undefined);
        await import(`http://${far}/x.js`).catch(() => undefined);
        new Image().src = `http://${far}/x.png`;
        new WebSocket(`ws://${far}/`);
        while (found.length < 4) await new Promise((resolve) => setTimeout(resolve, 10));
        return found.sort();
      });
      assert.deepEqual(await refused(), ['connect-src', 'connect-src', 'img-src', 'script-src-elem']);
    },
  },
};
