// Switching examples at any time and in any panel: nothing of the previous run remains.
import assert from 'node:assert/strict';
import { assertResponds, openPanel, steps } from './helpers.mjs';

const EXAMPLES = ['Digits, MLP', 'Spiral', 'Digits, CNN', 'Names, LSTM', 'Text, GPT', 'Digits, VAE'];

const choose = (page, title) => page.locator('.task', { hasText: title }).click();

/** A walk with every ordered pair of examples exactly once (an Eulerian circuit). */
function tour() {
  const left = EXAMPLES.map((from) => EXAMPLES.filter((to) => to !== from));
  const walk = [];
  // Hierholzer's algorithm.
  const path = [0];
  while (path.length > 0) {
    const next = left[path.at(-1)].shift();
    if (next === undefined) walk.unshift(EXAMPLES[path.pop()]);
    else path.push(EXAMPLES.indexOf(next));
  }
  assert.equal(new Set(walk.slice(1).map((to, n) => `${walk[n]} > ${to}`)).size, EXAMPLES.length * (EXAMPLES.length - 1));
  return walk;
}

/** For each panel, a function that reads what it shows of the model; false until it is ready. */
const SHOWN = {
  Train: () => {
    const figure = [...document.querySelectorAll('.figures div')].find((div) => div.firstChild.textContent === 'Parameters');
    const parameters = figure?.lastChild.textContent;
    const title = document.querySelector('.picture h2').firstChild.textContent;
    const metric = document.querySelectorAll('.chart h2')[1].textContent;
    return Number(document.querySelector('.studio').dataset.step) > 0 && parameters !== '–' && `${title} ${metric} ${parameters}`;
  },
  Graph: () => {
    const boxes = [...document.querySelectorAll('.box b')].map((box) => box.textContent);
    const part = ['letters', 'characters', 'encoder.', 'features.', '0.weight'].find((name) => boxes.some((box) => box.includes(name)));
    return part !== undefined && `${document.querySelector('.graph .bar small').textContent} ${part}`;
  },
  Compiler: () => {
    const bar = document.querySelector('.compiler .bar small')?.textContent;
    return bar !== undefined && `${bar} ${document.querySelector('.source .cm-content').textContent}`;
  },
  Code: () => {
    const title = document.querySelector('.code h2')?.firstChild.textContent;
    return title !== undefined && Number(document.querySelector('.studio').dataset.step) > 0 && `${title} ${document.querySelector('.cm-content').textContent}`;
  },
};

/** Polls `look` in the page until `isIt` accepts the result. */
async function until(page, look, isIt, what) {
  const start = performance.now();
  for (;;) {
    const shown = await page.evaluate(look);
    if (isIt(shown)) return shown;
    if (performance.now() - start > 30_000) assert.fail(`${what}: ${shown}`);
    await page.waitForTimeout(30);
  }
}

/** Switches through all pairs of examples in one panel: each shows the same text every time, different from all others. */
const switches = (panel) => ({
  async body(page, go) {
    const [first, ...others] = tour();
    await go('?task=digits-mlp');
    await steps(page, 1);
    await openPanel(page, panel);
    const of = new Map();
    const look = async (title) => {
      const others = [...of].filter(([other]) => other !== title).map(([, shown]) => shown);
      const isNew = (shown) => shown !== false && !others.includes(shown);
      const shown = await until(page, SHOWN[panel], isNew, `${title} after the others`);
      assert.equal(await page.locator('.task.chosen b').innerText(), title);
      assert.equal(of.get(title) ?? shown, shown, `${title} shows another text than before`);
      of.set(title, shown);
    };
    await look(first);
    for (const title of others) {
      await choose(page, title);
      await look(title);
      await assertResponds(page);
    }
    assert.equal(of.size, EXAMPLES.length);
  },
});

/** Seeded uniform random numbers. */
function draws(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 15), 1 | state);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
  };
}

/** Elements that random clicks may hit. */
const TARGETS = ['nav button', '.task', '.transport button', '.box', '.rows .row', 'main button', '.fields select'];

/** Clicks a random element or changes a random setting. */
const click = (page, uniform) =>
  page.evaluate(([targets, kind, which, option]) => {
    const isThere = (found) => !found.disabled && found.checkVisibility() && found.textContent !== 'Export trace';
    const all = targets.map((target) => [...document.querySelectorAll(target)].filter(isThere)).filter((found) => found.length > 0);
    const kinds = all[Math.floor(kind * all.length)];
    const found = kinds[Math.floor(which * kinds.length)];
    if (!(found instanceof HTMLSelectElement)) {
      found.click();
      return found.textContent.slice(0, 20) || found.ariaLabel;
    }
    found.selectedIndex = Math.floor(option * found.options.length);
    found.dispatchEvent(new Event('change', { bubbles: true }));
    return found.value;
  }, [TARGETS, uniform(), uniform(), uniform()]);

const isBlank = () => {
  const main = document.querySelector('.studio main');
  return !main || main.innerText.trim() === '' || document.querySelector('.broken') !== null;
};

/** Makes random clicks, then checks that the selected example trains and is the one shown. */
async function walk(page, go, seed) {
  const uniform = draws(seed);
  const did = [];
  try {
    await go('?task=spiral');
    for (let n = 0; n < 30; n += 1) {
      did.push(await click(page, uniform));
      await page.waitForTimeout(uniform() < 0.5 ? 0 : uniform() * 250);
      assert.equal(await page.evaluate(isBlank), false, 'the page is blank');
    }
    await assertResponds(page);
    const title = await page.locator('.task.chosen b').innerText();
    await openPanel(page, 'Train');
    await page.waitForFunction((title) => document.querySelector('.picture h2')?.firstChild.textContent === title, title);
    await page.waitForFunction(() => document.querySelector('.studio').dataset.state !== 'loading');
    await page.getByRole('button', { name: 'Restart' }).click();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await steps(page, 1);
    await openPanel(page, 'Code');
    await page.locator('.code h2', { hasText: title }).waitFor();
  } catch (error) {
    throw new Error(`walk ${seed}, after ${did.join('; ')}: ${error.stack}`);
  }
}

export const tests = {
  'every switch between examples updates the training panel': switches('Train'),
  'every switch between examples updates the graph': switches('Graph'),
  'every switch between examples updates the compiler': switches('Compiler'),
  'every switch between examples updates the code': switches('Code'),

  'the example can be switched while the first one starts': {
    async body(page, go) {
      for (const [n, wait] of [0, 10, 40, 100, 200, 400, 800].entries()) {
        const title = EXAMPLES[n % EXAMPLES.length];
        await go('?task=spiral');
        await page.waitForTimeout(wait);
        await choose(page, title);
        await assertResponds(page);
        await steps(page, 1);
        assert.equal(await page.locator('.picture h2').evaluate((h2) => h2.firstChild.textContent), title);
      }
    },
  },

  'rapid switches end at the last example': {
    async body(page, go) {
      await go('?task=spiral');
      for (const title of [...EXAMPLES, ...EXAMPLES.slice(0, 4)]) await choose(page, title);
      await assertResponds(page);
      await until(page, SHOWN.Train, (shown) => shown.toString().startsWith('Names, LSTM Bits per letter'), 'the last example');
    },
  },

  'a setting can be changed right after a switch': {
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 3);
      await choose(page, 'Names, LSTM');
      await page.getByLabel('Batch').fill('16');
      await page.keyboard.press('Enter');
      await page.getByLabel('Optimizer').selectOption('sgd');
      await steps(page, 3);
      assert.equal(await page.getByLabel('Batch').inputValue(), '16');
      assert.equal(await page.locator('.task.chosen b').innerText(), 'Names, LSTM');
    },
  },

  'random clicks break nothing': {
    async body(page, go) {
      for (let seed = 1; seed <= 8; seed += 1) await walk(page, go, seed);
    },
  },

  'a panel that throws shows the error and can be reloaded': {
    allows: /broken on purpose/,
    async body(page, go) {
      await page.addInitScript(() => {
        const Observer = window.ResizeObserver;
        window.ResizeObserver = class extends Observer {
          constructor(listener) {
            if (window.isBroken) throw new Error('broken on purpose');
            super(listener);
          }
        };
      });
      await go('?task=spiral');
      await steps(page, 3);
      await openPanel(page, 'Code');
      // Load the editor first: it uses ResizeObserver too.
      await page.locator('.cm-content').first().waitFor();
      await page.evaluate(() => void (window.isBroken = true));
      await openPanel(page, 'Train');
      const alert = page.getByRole('alert');
      await alert.getByText('broken on purpose').waitFor();
      // Training continues.
      const { step } = await steps(page, 3);
      await steps(page, step + 10);
      await page.evaluate(() => void (window.isBroken = false));
      await alert.getByRole('button', { name: 'Reload panel' }).click();
      await page.locator('.figures').waitFor();
      // A restart also clears the error.
      await openPanel(page, 'Code');
      // Load the editor first: it uses ResizeObserver too.
      await page.locator('.cm-content').first().waitFor();
      await page.evaluate(() => void (window.isBroken = true));
      await openPanel(page, 'Train');
      await alert.getByText('broken on purpose').waitFor();
      await page.evaluate(() => void (window.isBroken = false));
      await alert.getByRole('button', { name: 'Restart' }).click();
      await page.locator('.figures').waitFor();
    },
  },
};
