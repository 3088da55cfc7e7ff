// The code, graph and compiler panels, and health messages.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { edit, figure, openPanel, state, steps } from './helpers.mjs';

/** Runs the spiral example with a bad loss, and expects a health message. */
const reports = (loss, message) => ({
  async body(page, go) {
    await go('?task=spiral');
    await steps(page, 3);
    await edit(page, (source) => source.replace('return crossEntropy(model.forward(x), y);', loss));
    await page.locator('.health').getByText(message).first().waitFor();
    assert.equal(await page.locator('.health li.good').count(), 0);
  },
});

export const tests = {
  'an edited model runs': {
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 3);
      await edit(page, (source) => source.replaceAll('48', '20'));
      await steps(page, 3);
      await openPanel(page, 'Train');
      // 2·20 + 20 + 20·20 + 20 + 20·3 + 3
      assert.equal(await figure(page, 'Parameters'), '543');
    },
  },

  'a syntax error is shown at its line': {
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 3);
      await edit(page, (source) => source.replace('export function loss(x, y) {', 'export function loss(x, y {'));
      await page.getByText(/Line 13: Syntax error/).waitFor();
      await page.locator('.cm-lint-marker-error').waitFor();
    },
  },

  'a shape mismatch is shown at its line': {
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 3);
      await edit(page, (source) => source.replace('model.forward(x), y', 'model.forward(x.reshape([-1])), y'));
      await page.getByText(/^Line 14: /).waitFor();
      assert.equal((await state(page)).state, 'failed');
      await page.locator('.cm-lint-marker-error').waitFor();
      await page.getByRole('button', { name: 'Undo edits' }).click();
      await page.getByRole('button', { name: 'Run model' }).click();
      await steps(page, 3);
    },
  },

  'a NaN loss stops the run and its op is named': {
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 3);
      await edit(page, (source) => source.replace('return crossEntropy(model.forward(x), y);', 'return crossEntropy(model.forward(x).sub(1000).log(), y);'));
      await page.waitForFunction(() => document.querySelector('.studio').dataset.state === 'failed');
      await page.locator('.health').getByText(/The loss became NaN at step 0, first in the loss or its gradient: log returned NaN or infinity\./).waitFor();
      await page.getByText(/^Line 14: The loss became NaN/).waitFor();
      await page.locator('.cm-lint-marker-error').waitFor();
    },
  },

  'a module that returns NaN is located with its line': {
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 3);
      const broken = 'class Broken extends nn.Module {\n  forward(x) {\n    return x.sub(1000).log();\n  }\n}\n\n// Three';
      await edit(page, (source) => source.replace('// Three', broken).replace('new nn.Linear(48, 48)', 'new Broken(), new nn.Linear(48, 48)'));
      await page.locator('.health').getByText(/The loss became NaN at step 0, first in module 2: log returned NaN or infinity\./).waitFor();
      await openPanel(page, 'Train');
      await page.getByRole('button', { name: 'Show line 5' }).click();
      await page.locator('.cm-lit', { hasText: 'x.sub(1000).log()' }).waitFor();
      // The node itself is selected, with its value.
      await page.getByRole('button', { name: 'Show in graph' }).click();
      const about = page.getByRole('complementary', { name: 'About log' });
      await about.getByText(/All .* values are NaN or infinite/).waitFor();
      assert.match(await about.innerText(), /Module\s*2\b/);
    },
  },

  'a late divergence is located, and training resumes from a checkpoint': {
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 3);
      await page.getByLabel('Optimizer').selectOption('sgd');
      // A linear model with squared error diverges at a large learning rate.
      await edit(page, (source) => source.replaceAll('  new nn.Tanh(),\n', '').replace('return crossEntropy(model.forward(x), y);', 'return model.forward(x).sub(1).square().mean();'));
      await steps(page, 400);
      await page.getByLabel('Learning rate', { exact: true }).fill('3');
      await page.keyboard.press('Enter');
      const message = page.locator('.health li.bad').filter({ hasText: /The loss became/ });
      await message.filter({ hasText: /NaN or infinity|origin unknown/ }).waitFor();
      const text = await message.innerText();
      const [, step] = /The loss became (?:NaN|Infinity|-Infinity) at step (\d+)/.exec(text);
      assert.ok(Number(step) > 400, text);
      // The steps are replayed from a checkpoint, so the node itself is found, with its line.
      assert.match(text, /first in (module \w+|the loss or its gradient).*: .* NaN or infinity\./);
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

  'unsaved edits are kept for each example': {
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 3);
      await openPanel(page, 'Code');
      await page.locator('.cm-content').click();
      await page.keyboard.press('ControlOrMeta+Home');
      await page.keyboard.type('// a note of mine\n');
      const first = page.locator('.cm-line').first();
      await openPanel(page, 'Train');
      await openPanel(page, 'Code');
      assert.equal(await first.innerText(), '// a note of mine');
      await page.locator('.task', { hasText: 'Names' }).click();
      await page.locator('.code h2', { hasText: 'Names' }).waitFor();
      assert.notEqual(await first.innerText(), '// a note of mine');
      await page.locator('.task', { hasText: 'Spiral' }).click();
      await page.locator('.code h2', { hasText: 'Spiral' }).waitFor();
      assert.equal(await first.innerText(), '// a note of mine');
      await page.getByText('model.js, modified').waitFor();
      // Also after a reload.
      await page.reload();
      await page.getByText('model.js, modified').waitFor();
      assert.equal(await first.innerText(), '// a note of mine');
    },
  },

  'the graph is collapsed, searched and inspected': {
    async body(page, go) {
      await go('?task=digits-mlp');
      await steps(page, 3);
      await openPanel(page, 'Graph');
      const boxes = page.locator('.box');
      await boxes.first().waitFor();
      const folded = await boxes.count();
      await page.locator('.box.call', { hasText: 'cross_entropy' }).click();
      await page.getByRole('complementary', { name: 'About cross_entropy' }).waitFor();
      await page.getByRole('button', { name: 'Line 12 of model.js' }).waitFor();
      await page.getByRole('button', { name: 'Expand', exact: true }).click();
      await page.waitForFunction((before) => document.querySelectorAll('.box').length > before, folded);
      // Parameter updates are not part of the forward phase.
      assert.equal(await page.locator('.box', { hasText: /write|fixed/ }).count(), 0);
      await page.getByLabel('Search the graph').fill('2.weight');
      await page.getByText('1 found').waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('img', { name: 'Histogram of the values' }).waitFor();
      // Modules are found by path, and Enter selects the next match.
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
      // Wire labels are readable.
      const sizes = await page.locator('.wire').evaluateAll((all) => all.map((text) => text.getBoundingClientRect().height));
      assert.ok(sizes.length > 0 && Math.min(...sizes) >= 11, `${sizes}`);
      await page.getByRole('button', { name: 'Backward' }).click();
      await page.locator('.box.backward').first().waitFor();
      // A wire with several types shows their count.
      await page.getByRole('button', { name: 'Collapse all' }).click();
      await page.locator('.wire', { hasText: /\+\d/ }).first().waitFor();
    },
  },

  'any node shows its value while the model trains': {
    async body(page, go) {
      await go('?task=digits-cnn');
      await steps(page, 3);
      await openPanel(page, 'Graph');
      // The output of a layer as images, refreshed during training.
      await page.locator('.box.call', { hasText: 'features.1' }).click();
      const about = page.locator('.inspector');
      await about.getByRole('img', { name: 'Grid of images of the values' }).waitFor();
      const shown = about.locator('h3 small');
      const first = await shown.innerText();
      await page.waitForFunction((first) => document.querySelector('.inspector h3 small').textContent !== first, first);
      // A node inside of a call.
      await page.getByLabel('Search the graph').fill('cross_entropy');
      await page.getByLabel('Search the graph').press('Enter');
      await page.getByRole('complementary', { name: 'About cross_entropy', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Expand', exact: true }).click();
      await page.getByLabel('Search the graph').fill('exp');
      await page.getByLabel('Search the graph').press('Enter');
      await page.getByRole('complementary', { name: 'About exp', exact: true }).waitFor();
      await about.getByRole('img', { name: 'Histogram of the values' }).waitFor();
      // A gradient is not zero.
      await page.getByRole('button', { name: 'Backward' }).click();
      await page.getByRole('button', { name: 'Forward' }).click();
      await page.waitForFunction(() => !document.querySelector('.box.forward') && document.querySelector('.box.call.backward'));
      await page.locator('.box.call.backward').first().click();
      await about.getByRole('heading', { name: 'Value' }).waitFor();
      const norm = about.locator('.facts div', { has: page.locator('dt:text-is("Norm")') }).locator('dd');
      assert.ok(Number(await norm.innerText()) > 0);
      // A parameter.
      await page.getByRole('button', { name: 'Forward' }).click();
      await page.getByLabel('Search the graph').fill('head.weight');
      await page.getByLabel('Search the graph').press('Enter');
      await page.getByRole('complementary', { name: 'About head.weight' }).waitFor();
      await about.getByRole('img', { name: 'Heat map of the values' }).waitFor();
    },
  },

  'max pooling shows its maxima, not their indices': {
    async body(page, go) {
      await go('?task=digits-cnn');
      await steps(page, 3);
      await openPanel(page, 'Graph');
      await page.getByRole('button', { name: 'Pause' }).click();
      const greatest = async (name) => {
        await page.locator('.box.call', { hasText: name }).first().click();
        const about = page.getByRole('complementary', { name: `About ${name}` });
        await about.getByRole('img', { name: 'Grid of images of the values' }).waitFor();
        return about.locator('.facts div', { has: page.locator('dt:text-is("Max")') }).locator('dd').innerText();
      };
      // Pooling keeps the maximum. Steps in flight may still finish in between.
      const pairs = [];
      while (pairs.length < 5 && (pairs.length === 0 || pairs.at(-1)[0] !== pairs.at(-1)[1])) {
        pairs.push([await greatest('relu'), await greatest('max_pool2d')]);
      }
      assert.equal(pairs.at(-1)[1], pairs.at(-1)[0], pairs.join(' then '));
    },
  },

  'a graph of three thousand nodes stays usable': {
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 1);
      await edit(page, (source) => source.replace('new nn.Linear(48, 48),', '...Array.from({ length: 70 }, () => new nn.Linear(48, 48)),'));
      await steps(page, 1);
      await openPanel(page, 'Graph');
      await page.locator('.box').first().waitFor();
      const counted = await page.locator('.graph .bar small').innerText();
      assert.ok(Number(/^\d+/.exec(counted)[0]) > 3000, counted);
      // Collapsed enough to be laid out; search finds and shows nodes.
      assert.ok((await page.locator('.box').count()) <= 300);
      await page.getByLabel('Search the graph').fill('30.weight');
      await page.getByLabel('Search the graph').press('Enter');
      await page.locator('.inspector h2').waitFor();
      await openPanel(page, 'Compiler');
      await page.locator('.kernels .row').first().waitFor();
    },
  },

  'expanding too many boxes is refused, and everything can be collapsed': {
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 1);
      const many = `class Many extends nn.Module {\n  forward(x) {\n    for (let n = 0; n < 400; n += 1) x = n % 2 ? x.sin() : x.cos();\n    return x;\n  }\n}\n\n// Three`;
      await edit(page, (source) => source.replace('// Three', many).replace('new nn.Linear(48, 3),', 'new Many(), new nn.Linear(48, 3),'));
      await steps(page, 1);
      await openPanel(page, 'Graph');
      // Until then the graph is that of the model before.
      await page.getByText(/\d{4,} nodes recorded/).waitFor();
      await page.locator('.box').first().waitFor();
      const before = await page.locator('.box').count();
      await page.getByRole('button', { name: 'Collapse all' }).click();
      await page.waitForFunction((before) => document.querySelectorAll('.box').length < before, before);
      const expand = page.getByRole('button', { name: 'Expand', exact: true });
      // A click is lost if the layout replaces the box at that moment.
      const open = async (box) => {
        for (let n = 0; n < 5 && (await expand.count()) === 0; n += 1) {
          await box.click();
          await expand.waitFor({ timeout: 2000 }).catch(() => undefined);
        }
        await expand.click();
      };
      // Two hundred boxes fit, two hundred more do not.
      await open(page.locator('.box.module', { hasText: '400' }));
      await page.getByLabel('Search the graph').fill('sin');
      await page.getByLabel('Search the graph').press('Enter');
      await page.getByRole('complementary', { name: 'About sin' }).waitFor();
      await page.getByRole('button', { name: 'Expand', exact: true }).click();
      await page.getByText(/^200 found|of 200 found/).waitFor();
      await page.getByLabel('Search the graph').fill('cos');
      await page.getByLabel('Search the graph').press('Enter');
      await page.getByRole('complementary', { name: 'About cos' }).waitFor();
      await page.getByRole('button', { name: 'Expand', exact: true }).click();
      await page.getByRole('alert').getByText(/would show \d+ boxes; the limit is 300/).waitFor();
      assert.ok((await page.locator('.box').count()) > 0);
      await page.getByRole('button', { name: 'Collapse all' }).click();
      await page.locator('.box.module', { hasText: '400' }).waitFor();
    },
  },

  'exploding gradients are reported': reports('return crossEntropy(model.forward(x), y).mul(1e6);', /Gradients explode at 0\.weight: norm .* Try a lower learning rate\./),
  'vanishing gradients are reported': reports('return crossEntropy(model.forward(x).mul(1e-7).add(model[4].bias), y);', /Gradients vanish at 0\.weight: .* times smaller than the largest\./),
  'zero gradients are reported': reports('return crossEntropy(model.forward(x).mul(0), y);', /All gradients are zero: the model is not learning\./),
  'dead units are reported': {
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 3);
      // Inputs far below zero: every ReLU unit is zero.
      const dead = 'class Dead extends nn.Module {\n  forward(x) {\n    return x.sub(1000).relu();\n  }\n}\n\n// Three';
      await edit(page, (source) => source.replace('// Three', dead).replace('new nn.Tanh(),', 'new Dead(),'));
      await page.locator('.health').getByText('100 % of the units of 1 are dead: zero for every example.').waitFor();
      assert.equal(await page.locator('.health li.good').count(), 0);
    },
  },

  'boxes and kernels can be selected with the keyboard': {
    async body(page, go) {
      await go('?task=spiral');
      await steps(page, 3);
      await openPanel(page, 'Graph');
      const call = page.locator('.react-flow__node', { hasText: 'cross_entropy' });
      await call.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('complementary', { name: 'About cross_entropy' }).waitFor();
      const before = await page.locator('.box').count();
      await page.keyboard.press('Enter');
      await page.waitForFunction((before) => document.querySelectorAll('.box').length > before, before);
      await openPanel(page, 'Compiler');
      await page.locator('.kernels .row').first().click();
      await page.keyboard.press('ArrowDown');
      await page.locator('.kernels .row.lit', { hasText: /^1/ }).waitFor();
    },
  },

  'an engine that fails to load is reported': {
    allows: /Failed to load resource/,
    async body(page, go) {
      await page.context().route('**/brasa/index.js', (route) => route.abort());
      await go('?task=spiral');
      await page.locator('.health').getByText(/Failed to load the engine/).waitFor();
      assert.equal((await state(page)).state, 'failed');
    },
  },

  'a module is collapsed into one box': {
    async body(page, go) {
      await go('?task=digits-cnn');
      await steps(page, 3);
      await openPanel(page, 'Graph');
      await page.locator('.box.call', { hasText: 'features.0' }).click();
      const before = await page.locator('.box').count();
      // First the module, then the enclosing one.
      await page.getByRole('button', { name: 'Collapse', exact: true }).click();
      await page.getByRole('complementary', { name: 'About features.0' }).waitFor();
      await page.getByRole('button', { name: 'Collapse', exact: true }).click();
      await page.getByRole('complementary', { name: 'About features', exact: true }).waitFor();
      await page.waitForFunction((before) => document.querySelectorAll('.box').length <= before - 5, before);
      const folded = await page.locator('.box').count();
      await page.getByRole('button', { name: 'Expand', exact: true }).click();
      await page.waitForFunction((folded) => document.querySelectorAll('.box').length > folded, folded);
    },
  },

  'selecting a kernel highlights its source, nodes and program': {
    async body(page, go) {
      await go('?task=digits-mlp');
      await steps(page, 3);
      await openPanel(page, 'Compiler');
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
      await openPanel(page, 'Compiler');
      const waiting = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export trace' }).click();
      const { traceEvents } = JSON.parse(fs.readFileSync(await (await waiting).path(), 'utf8'));
      assert.equal(traceEvents.length, await page.locator('.kernels .row').count());
      assert.ok(traceEvents.some((event) => event.dur > 0));
      // The slowest kernel is selected initially, and again by the button.
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
