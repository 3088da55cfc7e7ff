// Measures the studio's overhead: training steps per second of a bare page and of the studio on the same model, one
// thread each, in alternating turns, so that changes in machine speed affect both; and the studio's frame rate.
// With --asked the second page is a bare page too, but its model is watched and its step was explained, profiled and
// probed before: the cost of instrumentation that is not in use.
//   node packages/studio/scripts/cost.mjs [--task NAME] [--rounds N] [--asked]
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { withBrowser } from '../../brasa/scripts/browser.mjs';
import { mnist } from './mnist.mjs';
import { site } from './site.mjs';

const HOME = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Batch shapes, and the number of classes or characters, as in the studio's tasks. */
const TASKS = {
  'digits-mlp': { x: [64, 784], y: [64], below: 10, optimizer: 'Adam' },
  'digits-cnn': { x: [32, 784], y: [32], below: 10, optimizer: 'Adam' },
  spiral: { x: [128, 2], y: [128], below: 3, optimizer: 'Adam' },
  text: { x: [16, 48], y: [16, 48], below: 65, isWhole: true, optimizer: 'AdamW' },
};

/** Training time before the first measurement, and duration of each measurement, in ms. */
const WARM_UP = 6000;
const TURN = 1500;
/** Time for steps in flight to finish after a page is paused, in ms. */
const REST = 150;

const { values } = parseArgs({ options: { task: { type: 'string', default: 'digits-mlp' }, rounds: { type: 'string', default: '6' }, asked: { type: 'boolean', default: false } } });
const task = TASKS[values.task];
if (!task) throw new Error(`unknown task ${values.task}, expected one of ${Object.keys(TASKS).join(', ')}`);

/** A page that trains without UI; with `isAsked` its step is explained, profiled and probed first. */
const bare = (isAsked) => `<!doctype html><script type="importmap">{"imports":{"brasa":"/brasa/index.js"}}</script><script type="module">
import { compile, init, optim, tracing } from 'brasa';
const { x, y, below, isWhole, optimizer } = ${JSON.stringify(task)};
await init({ device: 'cpu', threads: 1 });
const { model, loss } = await import('/models/${values.task}.js');
if (${isAsked}) tracing.watchParts(model);
const dtype = isWhole ? 'i32' : 'f32';
const step = compile({
  model,
  optimizer: new optim[optimizer](model.parameters(), { lr: 1e-3 }),
  inputs: { x: { shape: x, dtype }, y: { shape: y, dtype: 'i32' } },
  loss: ({ x, y }) => loss(x, y),
});
const size = (shape) => shape.reduce((a, b) => a * b, 1);
const someBelow = (n) => Math.floor(Math.random() * n);
const whole = (shape) => Int32Array.from({ length: size(shape) }, () => someBelow(below));
// The same data as in the studio, batched on the fly: step times depend on the values, for example on Adam moments of
// pixels that are almost always zero.
const PIXELS = 784;
const bytes = async (name, header) => new Uint8Array(await (await fetch('/data/mnist/train-' + name + '-ubyte')).arrayBuffer(), header);
const digits = x[1] === PIXELS ? { images: await bytes('images-idx3', 16), labels: await bytes('labels-idx1', 8) } : undefined;
function digitsBatch() {
  const picks = Array.from({ length: y[0] }, () => someBelow(digits.labels.length));
  const data = new Float32Array(size(x));
  let at = 0;
  for (const pick of picks) {
    const end = (pick + 1) * PIXELS;
    for (let n = pick * PIXELS; n < end; n += 1, at += 1) data[at] = digits.images[n] * (1 / 255);
  }
  return { x: data, y: Int32Array.from(picks, (pick) => digits.labels[pick]) };
}
function* batches() {
  while (true) yield digits ? digitsBatch() : { x: isWhole ? whole(x) : Float32Array.from({ length: size(x) }, () => 2 * Math.random() - 1), y: whole(y) };
}
if (${isAsked}) {
  const { value: batch } = batches().next();
  const { nodes } = await step.explain(batch);
  await step.profile(batch);
  await step.probe(batch, nodes.length - 1).toArray();
}
window.step = 0;
window.rests = false;
for await (const result of step.steps(batches())) {
  if (result.status !== 'completed') throw result.error;
  window.step += 1;
  while (window.rests) await new Promise((resolve) => setTimeout(resolve, 5));
}
</script>`;

/** Steps and frames per second over one turn, and the longest time between two frames. */
const measure = (page) => page.evaluate(async (turn) => {
  const steps = () => window.step ?? Number(document.querySelector('.studio').dataset.step);
  const [start, first] = [performance.now(), steps()];
  let [frames, last, longest] = [0, start, 0];
  for (let now = start; now < start + turn; last = now) {
    now = await new Promise(requestAnimationFrame);
    frames += 1;
    longest = Math.max(longest, now - last);
  }
  const passed = (performance.now() - start) / 1000;
  return { steps: (steps() - first) / passed, frames: frames / passed, longest };
}, TURN);

const server = await site({ port: 0, mnist: await mnist(console.log), folders: { '/models/': path.join(HOME, 'src/tasks/models') }, pages: { '/bare': bare(false), '/asked': bare(true) } });
await withBrowser(async (context) => {
  const open = async (address, rest) => {
    const page = await context.newPage();
    page.on('pageerror', (error) => console.error(error.message));
    await page.goto(`${server.address}${address}`);
    await page.waitForFunction(() => (window.step ?? Number(document.querySelector('.studio')?.dataset.step)) > 20);
    // The studio queries more often at first: skip that phase.
    await page.waitForTimeout(WARM_UP);
    await rest(page, true);
    return { page, rest };
  };
  const openBare = (address) => open(address, (page, rests) => page.evaluate((rests) => void (window.rests = rests), rests));
  const alone = await openBare('/bare');
  const other = values.asked ? await openBare('/asked') : await open(`/?task=${values.task}&device=cpu-single`, (page, rests) => page.getByRole('button', { name: rests ? 'Pause' : 'Resume' }).click());
  const turn = async ({ page, rest }) => {
    await page.bringToFront();
    await rest(page, false);
    await page.waitForTimeout(REST);
    const found = await measure(page);
    await rest(page, true);
    await page.waitForTimeout(REST);
    return found;
  };
  const rounds = [];
  for (let n = 0; n < Number(values.rounds); n += 1) rounds.push({ alone: await turn(alone), other: await turn(other) });
  // The mean, not the median: rare but long queries must count in full.
  const mean = (which, what) => rounds.reduce((sum, round) => sum + round[which][what], 0) / rounds.length;
  const cost = 100 * (1 - mean('other', 'steps') / mean('alone', 'steps'));
  const of = (which, what) => mean(which, what).toFixed(1);
  const longest = Math.max(...rounds.map(({ other }) => other.longest));
  const line = [values.task, `${of('alone', 'steps')} steps/s alone`, `${of('other', 'steps')} ${values.asked ? 'when asked before' : 'in the studio'}`, `${cost.toFixed(1)} %`];
  console.log([...line, `${of('other', 'frames')} frames/s`, `longest frame ${longest.toFixed(0)} ms`].join('\t'));
});
server.close();
