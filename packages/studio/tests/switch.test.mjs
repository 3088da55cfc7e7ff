// One example takes the place of another: at any time, in any panel, and nothing of the one before is left.
import assert from 'node:assert/strict';
import { assertResponds, room, steps } from './steps.mjs';

const EXAMPLES = ['Digits, MLP', 'Spiral', 'Digits, CNN', 'Names, LSTM', 'Text, GPT', 'Digits, VAE'];

const choose = (page, title) => page.locator('.task', { hasText: title }).click();

/** A walk that passes from every example to every other just once: each place leads on to the one that it has not yet. */
function tour() {
  const left = EXAMPLES.map((from) => EXAMPLES.filter((to) => to !== from));
  const walk = [];
  // Hierholzer: go on while there is a way, and put detours in where there is none.
  const path = [0];
  while (path.length > 0) {
    const next = left[path.at(-1)].shift();
    if (next === undefined) walk.unshift(EXAMPLES[path.pop()]);
    else path.push(EXAMPLES.indexOf(next));
  }
  assert.equal(new Set(walk.slice(1).map((to, n) => `${walk[n]} > ${to}`)).size, EXAMPLES.length * (EXAMPLES.length - 1));
  return walk;
}

/** What each panel says of the model that it shows, once it does. */
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

/** What the page says, once that is what is waited for. */
async function until(page, look, isIt, what) {
  const start = performance.now();
  for (;;) {
    const said = await page.evaluate(look);
    if (isIt(said)) return said;
    if (performance.now() - start > 30_000) assert.fail(`${what}: ${said}`);
    await page.waitForTimeout(30);
  }
}

/** Every example after every other while one panel is shown: it always says the same of one, and of no other. */
const follows = (panel) => ({
  async body(page, go) {
    const [first, ...others] = tour();
    await go('?task=digits-mlp');
    await steps(page, 1);
    await room(page, panel);
    const of = new Map();
    const look = async (title) => {
      const others = [...of].filter(([other]) => other !== title).map(([, said]) => said);
      const isNew = (said) => said !== false && !others.includes(said);
      const shown = await until(page, SHOWN[panel], isNew, `${title} after the others`);
      assert.equal(await page.locator('.task.chosen b').innerText(), title);
      assert.equal(of.get(title) ?? shown, shown, `${title} is shown as something else`);
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

/** Numbers from 0 to 1 that a seed decides. */
function draws(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 15), 1 | state);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
  };
}

/** Where a walk may click. */
const TARGETS = ['nav button', '.task', '.transport button', '.box', '.rows .row', 'main button', '.fields select'];

/** One click at random on something of what there is, or a setting that is changed. */
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

/** A walk of clicks, after which the example that is chosen trains, and its model is the one that is shown. */
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
    await room(page, 'Train');
    await page.waitForFunction((title) => document.querySelector('.picture h2')?.firstChild.textContent === title, title);
    await page.waitForFunction(() => document.querySelector('.studio').dataset.state !== 'loading');
    await page.getByRole('button', { name: 'Restart' }).click();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await steps(page, 1);
    await room(page, 'Code');
    await page.locator('.code h2', { hasText: title }).waitFor();
  } catch (error) {
    throw new Error(`walk ${seed}, after ${did.join('; ')}: ${error.stack}`);
  }
}

export const tests = {
  'every example follows every other while it trains': follows('Train'),
  'every example follows every other in the graph': follows('Graph'),
  'every example follows every other in the compiler': follows('Compiler'),
  'every example follows every other in the code': follows('Code'),

  'another example may be chosen while the first one starts': {
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

  'examples that are chosen in haste leave the last one': {
    async body(page, go) {
      await go('?task=spiral');
      for (const title of [...EXAMPLES, ...EXAMPLES.slice(0, 4)]) await choose(page, title);
      await assertResponds(page);
      await until(page, SHOWN.Train, (said) => said.toString().startsWith('Names, LSTM Bits per letter'), 'the last example');
    },
  },

  'a setting may be changed right after another example was chosen': {
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

  'clicks at random break nothing': {
    async body(page, go) {
      for (let seed = 1; seed <= 8; seed += 1) await walk(page, go, seed);
    },
  },

  'a panel that fails says so, and can be reloaded': {
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
      await room(page, 'Code');
      // The editor observes sizes itself, once it is loaded.
      await page.locator('.cm-content').first().waitFor();
      await page.evaluate(() => void (window.isBroken = true));
      await room(page, 'Train');
      const alert = page.getByRole('alert');
      await alert.getByText('broken on purpose').waitFor();
      // All else goes on.
      const { step } = await steps(page, 3);
      await steps(page, step + 10);
      await page.evaluate(() => void (window.isBroken = false));
      await alert.getByRole('button', { name: 'Reload panel' }).click();
      await page.locator('.figures').waitFor();
      // Another run is another try.
      await room(page, 'Code');
      // The editor observes sizes itself, once it is loaded.
      await page.locator('.cm-content').first().waitFor();
      await page.evaluate(() => void (window.isBroken = true));
      await room(page, 'Train');
      await alert.getByText('broken on purpose').waitFor();
      await page.evaluate(() => void (window.isBroken = false));
      await alert.getByRole('button', { name: 'Restart' }).click();
      await page.locator('.figures').waitFor();
    },
  },
};
