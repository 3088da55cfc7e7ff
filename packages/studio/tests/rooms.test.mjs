// The other rooms: source, graph and compiler, and what is said when something goes wrong.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { edit, figure, room, state, steps } from './steps.mjs';

/** A loss that ails the model, and what is said of it. */
const ailing = (loss, said) => ({
  async body(page, go) {
    await go('?task=spiral');
    await steps(page, 3);
    await edit(page, (source) => source.replace('return crossEntropy(model.forward(x), y);', loss));
    await page.locator('.health').getByText(said).first().waitFor();
    assert.equal(await page.locator('.health li.good').count(), 0);
  },
});

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
      await page.getByRole('button', { name: 'Undo edits' }).click();
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
      await page.locator('.health').getByText(/The loss became NaN at step 0, first in the loss or its gradient: log gives values that are not finite\./).waitFor();
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
      await page.locator('.health').getByText(/The loss became NaN at step 0, first at 2: log gives values that are not finite\./).waitFor();
      await room(page, 'Train');
      await page.getByRole('button', { name: 'Show line 5' }).click();
      await page.locator('.cm-lit', { hasText: 'x.sub(1000).log()' }).waitFor();
      // The very node is opened, with what it holds.
      await page.getByRole('button', { name: 'Show it in the graph' }).click();
      const about = page.getByRole('complementary', { name: 'About log' });
      await about.getByText(/None of the .* values is finite/).waitFor();
      assert.match(await about.innerText(), /Module\s*2\b/);
    },
  },

  'a model that diverges late is found where it overflows, and can go on from before': {
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 3);
      await page.getByLabel('Optimizer').selectOption('sgd');
      // Without bends, and with squares for a loss, a large rate makes weights grow without bound.
      await edit(page, (source) => source.replaceAll('  new nn.Tanh(),\n', '').replace('return crossEntropy(model.forward(x), y);', 'return model.forward(x).sub(1).square().mean();'));
      await steps(page, 400);
      await page.getByLabel('Learning rate', { exact: true }).fill('3');
      await page.keyboard.press('Enter');
      const said = page.locator('.health li.bad').filter({ hasText: /The loss became|Looking/ });
      await said.filter({ hasText: /not finite|not known/ }).waitFor();
      const text = await said.innerText();
      const [, step] = /The loss became (?:NaN|Infinity|-Infinity) at step (\d+)/.exec(text);
      assert.ok(Number(step) > 400, text);
      // The numbers of then are at hand again, so the very node is found, with its line.
      assert.match(text, /first (at \w+|in the loss or its gradient).*: .* values that are not finite\./);
      await page.getByRole('button', { name: /Show line \d+/ }).first().waitFor();
      await page.getByLabel('Learning rate', { exact: true }).fill('0.001');
      await page.keyboard.press('Enter');
      const good = Number(/Resume from step ([\d,]+)/.exec(text)[1].replace(',', ''));
      assert.ok(good < Number(step), text);
      await page.getByRole('button', { name: /Resume from step/ }).click();
      await page.waitForFunction(() => document.querySelector('.studio').dataset.state === 'running');
      await steps(page, Number(step) + 20);
      assert.equal(await page.locator('.health li.bad').filter({ hasText: 'The loss became' }).count(), 0);
    },
  },

  'what is written but not run is kept, for each example': {
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 3);
      await room(page, 'Code');
      await page.locator('.cm-content').click();
      await page.keyboard.press('ControlOrMeta+Home');
      await page.keyboard.type('// a note of mine\n');
      const first = page.locator('.cm-line').first();
      await room(page, 'Train');
      await room(page, 'Code');
      assert.equal(await first.innerText(), '// a note of mine');
      await page.locator('.task', { hasText: 'Names' }).click();
      await page.locator('.code h2', { hasText: 'Names' }).waitFor();
      assert.notEqual(await first.innerText(), '// a note of mine');
      await page.locator('.task', { hasText: 'Spiral' }).click();
      await page.locator('.code h2', { hasText: 'Spiral' }).waitFor();
      assert.equal(await first.innerText(), '// a note of mine');
      await page.getByText('model.js, changed').waitFor();
      // Also when the page is loaded again.
      await page.reload();
      await page.getByText('model.js, changed').waitFor();
      assert.equal(await first.innerText(), '// a note of mine');
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
      // Parts of the model are found by their paths, and Enter goes from one to the next.
      await page.getByLabel('Search the graph').fill('2');
      await page.getByLabel('Search the graph').press('Enter');
      const [, first, all] = /^(\d+) of (\d+) found$/.exec(await page.locator('.graph .bar small').innerText());
      assert.ok(Number(all) > 2, all);
      const one = await page.locator('.inspector h2').innerText();
      await page.getByLabel('Search the graph').press('Enter');
      await page.getByText(`${(Number(first) % Number(all)) + 1} of ${all} found`).waitFor();
      await page.getByLabel('Search the graph').press('Shift+Enter');
      await page.getByText(`${first} of ${all} found`).waitFor();
      assert.equal(await page.locator('.inspector h2').innerText(), one);
      // Names of wires can be read.
      const sizes = await page.locator('.wire').evaluateAll((all) => all.map((text) => text.getBoundingClientRect().height));
      assert.ok(sizes.length > 0 && Math.min(...sizes) >= 11, `${sizes}`);
      await page.getByRole('button', { name: 'Backward' }).click();
      await page.locator('.box.backward').first().waitFor();
      // Several types along one wire are counted.
      await page.getByRole('button', { name: 'Fold all' }).click();
      await page.locator('.wire', { hasText: /\+\d/ }).first().waitFor();
    },
  },

  'any node shows its value while the model trains': {
    async body(page, go) {
      await go('?task=digits-cnn');
      await steps(page, 3);
      await room(page, 'Graph');
      // What a layer gives, as images, again and again.
      await page.locator('.box.call', { hasText: 'features.1' }).click();
      const about = page.locator('.inspector');
      await about.getByRole('img', { name: 'Grid of images of the values' }).waitFor();
      const shown = about.locator('h3 small');
      const first = await shown.innerText();
      await page.waitForFunction((first) => document.querySelector('.inspector h3 small').textContent !== first, first);
      // A node in the middle of a call.
      await page.getByLabel('Search the graph').fill('cross_entropy');
      await page.getByLabel('Search the graph').press('Enter');
      await page.getByRole('complementary', { name: 'About cross_entropy', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Open', exact: true }).click();
      await page.getByLabel('Search the graph').fill('exp');
      await page.getByLabel('Search the graph').press('Enter');
      await page.getByRole('complementary', { name: 'About exp', exact: true }).waitFor();
      await about.getByRole('img', { name: 'Histogram of the values' }).waitFor();
      // A gradient has the shape of what it is the gradient of, and is not nothing.
      await page.getByRole('button', { name: 'Backward' }).click();
      await page.getByRole('button', { name: 'Forward' }).click();
      await page.waitForFunction(() => !document.querySelector('.box.forward') && document.querySelector('.box.call.backward'));
      await page.locator('.box.call.backward').first().click();
      await about.getByRole('heading', { name: 'Value' }).waitFor();
      const norm = about.locator('.facts div', { has: page.locator('dt:text-is("Norm")') }).locator('dd');
      assert.ok(Number(await norm.innerText()) > 0);
      // A parameter too.
      await page.getByRole('button', { name: 'Forward' }).click();
      await page.getByLabel('Search the graph').fill('head.weight');
      await page.getByLabel('Search the graph').press('Enter');
      await page.getByRole('complementary', { name: 'About head.weight' }).waitFor();
      await about.getByRole('img', { name: 'Heat map of the values' }).waitFor();
    },
  },

  'a pooling shows the largest elements, not their places': {
    async body(page, go) {
      await go('?task=digits-cnn');
      await steps(page, 3);
      await room(page, 'Graph');
      await page.getByRole('button', { name: 'Pause' }).click();
      const greatest = async (name) => {
        await page.locator('.box.call', { hasText: name }).first().click();
        const about = page.getByRole('complementary', { name: `About ${name}` });
        await about.getByRole('img', { name: 'Grid of images of the values' }).waitFor();
        return about.locator('.facts div', { has: page.locator('dt:text-is("To")') }).locator('dd').innerText();
      };
      // No window loses its largest element. Steps that are under way may still come in between.
      const pairs = [];
      while (pairs.length < 5 && (pairs.length === 0 || pairs.at(-1)[0] !== pairs.at(-1)[1])) {
        pairs.push([await greatest('relu'), await greatest('max_pool2d')]);
      }
      assert.equal(pairs.at(-1)[1], pairs.at(-1)[0], pairs.join(' then '));
    },
  },

  'a model of three thousand nodes stays usable': {
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 1);
      await edit(page, (source) => source.replace('new nn.Linear(48, 48),', '...Array.from({ length: 70 }, () => new nn.Linear(48, 48)),'));
      await steps(page, 1);
      await room(page, 'Graph');
      await page.locator('.box').first().waitFor();
      const counted = await page.locator('.graph .bar small').innerText();
      assert.ok(Number(/^\d+/.exec(counted)[0]) > 3000, counted);
      // Folded so far that it can be laid out; what is searched for is found and shown.
      assert.ok((await page.locator('.box').count()) <= 300);
      await page.getByLabel('Search the graph').fill('30.weight');
      await page.getByLabel('Search the graph').press('Enter');
      await page.locator('.inspector h2').waitFor();
      await room(page, 'Compiler');
      await page.locator('.kernels .row').first().waitFor();
    },
  },

  'what is too much to be laid out is refused, and all can be folded': {
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 1);
      const many = `class Many extends nn.Module {\n  forward(x) {\n    for (let n = 0; n < 400; n += 1) x = n % 2 ? x.sin() : x.cos();\n    return x;\n  }\n}\n\n// Three`;
      await edit(page, (source) => source.replace('// Three', many).replace('new nn.Linear(48, 3),', 'new Many(), new nn.Linear(48, 3),'));
      await steps(page, 1);
      await room(page, 'Graph');
      await page.locator('.box').first().waitFor();
      const before = await page.locator('.box').count();
      await page.getByRole('button', { name: 'Fold all' }).click();
      await page.waitForFunction((before) => document.querySelectorAll('.box').length < before, before);
      const open = async (box) => {
        await box.click();
        await page.getByRole('button', { name: 'Open', exact: true }).click();
      };
      // Two hundred fit, and two hundred more do not.
      await open(page.locator('.box.module', { hasText: '400' }));
      await page.getByLabel('Search the graph').fill('sin');
      await page.getByLabel('Search the graph').press('Enter');
      await page.getByRole('complementary', { name: 'About sin' }).waitFor();
      await page.getByRole('button', { name: 'Open', exact: true }).click();
      await page.getByText(/^200 found|of 200 found/).waitFor();
      await page.getByLabel('Search the graph').fill('cos');
      await page.getByLabel('Search the graph').press('Enter');
      await page.getByRole('complementary', { name: 'About cos' }).waitFor();
      await page.getByRole('button', { name: 'Open', exact: true }).click();
      await page.getByRole('alert').getByText(/there would be \d+ boxes; 300 can be laid out/).waitFor();
      assert.ok((await page.locator('.box').count()) > 0);
      await page.getByRole('button', { name: 'Fold all' }).click();
      await page.locator('.box.module', { hasText: '400' }).waitFor();
    },
  },

  'gradients that explode are told': ailing('return crossEntropy(model.forward(x), y).mul(1e6);', /Gradients explode at 0\.weight: norm .* Try a lower learning rate\./),
  'gradients that vanish are told': ailing('return crossEntropy(model.forward(x).mul(1e-7).add(model[4].bias), y);', /Gradients vanish at 0\.weight: .* times smaller than the largest\./),
  'gradients that are all zero are told': ailing('return crossEntropy(model.forward(x).mul(0), y);', /All gradients are zero: nothing is learned\./),
  'dead units are told': {
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 3);
      // Far below zero no unit of a ReLU gives anything.
      const dead = 'class Dead extends nn.Module {\n  forward(x) {\n    return x.sub(1000).relu();\n  }\n}\n\n// Three';
      await edit(page, (source) => source.replace('// Three', dead).replace('new nn.Tanh(),', 'new Dead(),'));
      await page.locator('.health').getByText('100 % of the units of 1 give zero for every example.').waitFor();
      assert.equal(await page.locator('.health li.good').count(), 0);
    },
  },

  'keys reach boxes and kernels': {
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 3);
      await room(page, 'Graph');
      const call = page.locator('.react-flow__node', { hasText: 'cross_entropy' });
      await call.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('complementary', { name: 'About cross_entropy' }).waitFor();
      const before = await page.locator('.box').count();
      await page.keyboard.press('Enter');
      await page.waitForFunction((before) => document.querySelectorAll('.box').length > before, before);
      await room(page, 'Compiler');
      await page.locator('.kernels .row').first().click();
      await page.keyboard.press('ArrowDown');
      await page.locator('.kernels .row.lit', { hasText: /^1/ }).waitFor();
    },
  },

  'an engine that cannot be loaded is told': {
    allows: /Failed to load resource/,
    async body(page, go) {
      await page.context().route('**/brasa/index.js', (route) => route.abort());
      await go('?task=spiral');
      await page.locator('.health').getByText(/The engine cannot be loaded/).waitFor();
      assert.equal((await state(page)).state, 'failed');
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
      await page.getByRole('button', { name: 'Fold', exact: true }).click();
      await page.getByRole('complementary', { name: 'About features.0' }).waitFor();
      await page.getByRole('button', { name: 'Fold', exact: true }).click();
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
