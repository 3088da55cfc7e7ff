// Every example trains, and its visualization is drawn.
import assert from 'node:assert/strict';
import { openPanel, steps } from './helpers.mjs';

/** Waits until the loss is below a bound well under that of an untrained model. */
async function until(page, most) {
  const isBelow = (most) => Number(document.querySelector('.figures dd').textContent) < most;
  await page.waitForFunction(isBelow, most, { timeout: 60_000 });
}

const learns = (task, most, look) => ({
  async body(page, go) {
    await go(`?task=${task}`);
    await steps(page, 1);
    await until(page, most);
    await look?.(page);
  },
});

/** Waits until a canvas has more than 20 colours. */
const isDrawn = async (page, name) => {
  const canvas = page.getByRole('img', { name });
  await canvas.waitFor();
  await page.waitForFunction((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size > 20;
  }, await canvas.elementHandle());
};

export const tests = {
  'the spiral trains and shows its decision boundary': learns('spiral', 0.8, (page) => isDrawn(page, /Decision boundary/)),
  'the CNN trains and shows test digits': learns('digits-cnn', 1.8, (page) => isDrawn(page, /Test digits/)),
  'the LSTM trains and generates names': learns('names', 3, async (page) => {
    const names = page.getByTestId('names').locator('li');
    await names.first().waitFor();
    assert.equal(await names.count(), 42);
  }),
  'the GPT trains and generates text': learns('text', 3.6, async (page) => {
    await page.waitForFunction(() => document.querySelector('[data-testid=writing]').textContent.length > 20);
  }),
  'the VAE trains and shows its latent space': learns('vae', 250, (page) => isDrawn(page, /latent space/)),

  'a drawn digit is classified': {
    async body(page, go) {
      await go('?task=digits-mlp');
      await page.waitForFunction(() => Number(document.querySelector('.studio').dataset.metric) > 0.93);
      const box = await page.getByTestId('pad').boundingBox();
      const at = (x, y) => page.mouse.move(box.x + box.width * x, box.y + box.height * y, { steps: 6 });
      const draws = async (digit, [start, ...points]) => {
        await at(...start);
        await page.mouse.down();
        for (const point of points) await at(...point);
        await page.mouse.up();
        await page.waitForFunction((digit) => document.querySelector('.bars .best span')?.textContent === digit, digit);
      };
      await draws('7', [[0.3, 0.24], [0.7, 0.24], [0.46, 0.8]]);
      await page.getByRole('button', { name: 'Clear' }).click();
      await draws('1', [[0.52, 0.2], [0.5, 0.8]]);
      await page.getByRole('button', { name: 'Clear' }).click();
      assert.equal(await page.locator('.bars .best').count(), 0);
    },
  },

  'WebGPU trains': {
    async body(page, go) {
      await go('?task=spiral&device=webgpu');
      await steps(page, 1);
      const notice = page.locator('.health').getByText('WebGPU cannot be used here');
      if ((await notice.count()) > 0) return await notice.innerText();
      await until(page, 0.9);
      assert.match(await page.locator('.status').innerText(), /WebGPU/);
      await openPanel(page, 'Compiler');
      // Kernels have WGSL listings and times.
      const listing = page.locator('.listing');
      await listing.waitFor();
      assert.match(await listing.innerText(), /@compute @workgroup_size/);
      await page.getByRole('button', { name: 'Plan' }).click();
      assert.doesNotMatch(await listing.innerText(), /@compute/);
      await page.getByText('kernel time per step').waitFor();
      await openPanel(page, 'Train');
      await page.getByLabel('Device').selectOption('cpu');
      await steps(page, 3);
      assert.match(await page.locator('.status').innerText(), /CPU/);
    },
  },

  'without WebGPU the CPU is used': {
    async body(page, go) {
      // Playwright cannot route nested workers, so the engine's worker is wrapped in a module that hides WebGPU.
      const hiding = `{
        const Own = Worker;
        const blob = (text) => URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
        const isGone = blob("Object.defineProperty(WorkerNavigator.prototype, 'gpu', { value: undefined });");
        globalThis.Worker = function (url, options) {
          return new Own(blob(\`import '\${isGone}'; import '\${url}';\`), options);
        };
      }`;
      await page.context().route('**/brasa/index.js', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, body: `${hiding}\n${await response.text()}` });
      });
      await go('?task=spiral');
      await steps(page, 1);
      await page.getByLabel('Device').selectOption('webgpu');
      await page.locator('.health').getByText(/WebGPU cannot be used here: .*\. Using the CPU instead\./).waitFor();
      await steps(page, 3);
      assert.equal(await page.getByLabel('Device').inputValue(), 'cpu');
      assert.match(await page.locator('.status').innerText(), /CPU thread/);
    },
  },

  'a single CPU thread trains': {
    async body(page, go) {
      await go('?task=spiral&device=cpu-single');
      await steps(page, 10);
      assert.match(await page.locator('.status').innerText(), /one CPU thread/);
    },
  },
};
