// Builds packages/brasa/dist around dist/wasm, and checks sizes:  node packages/brasa/scripts/build.mjs BUILD
// BUILD names the build; the wasm files carry the same name and reject JavaScript of another build.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';
import { build } from 'esbuild';
import { messages } from './warm.mjs';

const HOME = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const ROOT = path.resolve(HOME, '../..');
const DIST = path.join(HOME, 'dist');
const [buildName = 'unnamed'] = process.argv.slice(2);

/** Limits of download sizes, in kB after gzip. */
const PAGE = 300;
const ENGINE = 450;
const WEBGPU = 360;
/** Fetched only with `init({ check: true })`. */
const CHECKED = 660;
/** Fetched when the page is idle. */
const WARMING = 12;

/** Type-checks all sources, and writes the declarations of what `src/index.ts` reaches. */
function types() {
  const folder = path.join(DIST, 'types');
  fs.rmSync(folder, { recursive: true, force: true });
  const tsc = path.join(ROOT, 'node_modules/.bin/tsc');
  for (const config of ['tsconfig.json', 'tsconfig.types.json']) execFileSync(tsc, ['-p', path.join(HOME, config)], { stdio: 'inherit' });
  for (const name of fs.readdirSync(folder, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue;
    // TypeScript keeps `.ts` in import paths of declarations.
    const file = path.join(folder, name);
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/((?:from |import\()(['"])\.[^'"]*)\.ts\2/g, '$1.js$2'));
  }
}

const common = {
  bundle: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  sourcemap: true,
  legalComments: 'none',
  logLevel: 'warning',
  external: ['node:*'],
  define: { BRASA_BUILD: JSON.stringify(buildName) },
};

async function bundle() {
  const entryPoints = ['index', 'worker', 'worker-checked'].map((name) => path.join(HOME, `src/${name}.ts`));
  await build({ ...common, entryPoints, outdir: DIST });
}

/** Writes the warm-up messages, each after its length. */
async function warming() {
  const parts = (await messages(DIST)).flatMap((message) => [new Uint8Array(Uint32Array.of(message.length).buffer), message]);
  fs.writeFileSync(path.join(DIST, 'warming.bin'), Buffer.concat(parts));
}

/** Builds everything into one file: the worker and the wasm files are embedded as strings. */
async function inline() {
  const text = (file, encoding) => JSON.stringify(fs.readFileSync(path.join(DIST, file), encoding));
  const assets = {
    name: 'assets',
    setup(build) {
      build.onResolve({ filter: /\/assets\.ts$/ }, () => ({ path: 'assets', namespace: 'inline' }));
      build.onLoad({ filter: /.*/, namespace: 'inline' }, () => ({
        loader: 'ts',
        resolveDir: path.join(HOME, 'src'),
        contents: `import { inlineAssets } from './inline.ts';
export const { recorder, engine, engineThreads, engineFused, engineChecked, engineWebgpu, warming, worker, workerChecked } = inlineAssets({
  recorder: ${text('wasm/recorder_bg.wasm', 'base64')},
  engine: ${text('wasm/engine_bg.wasm', 'base64')},
  engineFused: ${text('wasm/engine-fused_bg.wasm', 'base64')},
  engineWebgpu: ${text('wasm/engine-webgpu_bg.wasm', 'base64')},
  worker: ${text('worker.js', 'utf8')},
});`,
      }));
    },
  };
  await build({ ...common, sourcemap: false, entryPoints: [path.join(HOME, 'src/index.ts')], outfile: path.join(DIST, 'inline.js'), plugins: [assets] });
}

function sizes() {
  const kB = (...files) =>
    files.reduce((sum, file) => sum + zlib.gzipSync(fs.readFileSync(path.join(DIST, file)), { level: 9 }).length, 0) / 1000;
  const rows = [
    ['the page', kB('index.js', 'wasm/recorder_bg.wasm'), PAGE],
    ['the engine', kB('worker.js', 'wasm/engine_bg.wasm'), ENGINE],
    ['the engine with threads', kB('worker.js', 'wasm/engine-threads_bg.wasm'), ENGINE],
    ['the engine, fused', kB('worker.js', 'wasm/engine-fused_bg.wasm'), ENGINE],
    ['the engine, checked', kB('worker-checked.js', 'wasm/engine-checked_bg.wasm'), CHECKED],
    ['the engine on WebGPU', kB('worker.js', 'wasm/engine-webgpu_bg.wasm'), WEBGPU],
    ['the warm-up messages', kB('warming.bin'), WARMING],
  ];
  console.log('download sizes after gzip:');
  for (const [name, size, limit] of rows) {
    const remark = size > limit ? `, ABOVE THE LIMIT OF ${limit}` : '';
    console.log(`  ${name.padEnd(24)} ${size.toFixed(0).padStart(4)} kB${remark}`);
  }
  return rows.every(([, size, limit]) => size <= limit);
}

types();
await bundle();
await inline();
await warming();
if (!sizes()) process.exit(1);
