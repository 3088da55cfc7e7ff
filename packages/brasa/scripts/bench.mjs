// Benchmarks Brasa and other libraries in one Chromium: `cargo x bench --browser [--workloads W1,W3]`; this script also
// takes `--peers a,b`. The harness and the other peers are in ../shared/bench/browser, next to the project; their npm
// dependencies are installed into the target folder.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const HOME = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const ROOT = path.resolve(HOME, '../..');
const HARNESS = path.resolve(ROOT, '../shared/bench/browser');
const SCRATCH = path.join(ROOT, 'target/bench-browser');
const PEERS = 'tfjs-wasm,jax-js-wasm,onnxruntime-web-wasm,tfjs-webgpu,jax-js-webgpu';

const { values } = parseArgs({ options: { peers: { type: 'string', default: PEERS }, workloads: { type: 'string' } } });
if (!fs.existsSync(HARNESS)) {
  console.error('the harness ../shared/bench/browser does not exist');
  process.exit(2);
}
const bench = path.join(SCRATCH, 'harness');
fs.rmSync(bench, { recursive: true, force: true });
fs.cpSync(HARNESS, bench, { recursive: true });
fs.cpSync(path.join(HOME, 'bench/peer.js'), path.join(bench, 'peers/brasa.js'));
const vendor = path.join(SCRATCH, 'vendor/brasa');
fs.rmSync(vendor, { recursive: true, force: true });
fs.cpSync(path.join(HOME, 'dist'), vendor, { recursive: true });
const list = JSON.parse(fs.readFileSync(path.join(bench, 'peers.json'), 'utf8'));
const own = [
  { name: 'brasa-wasm', backend: 'wasm', file: 'brasa.js', module: 'brasa' },
  { name: 'brasa-webgpu', backend: 'webgpu', file: 'brasa.js', module: 'brasa', gptBatch: 4 },
];
fs.writeFileSync(path.join(bench, 'peers.json'), JSON.stringify([...own, ...list], undefined, 1));
const options = ['--peers', `brasa-wasm,brasa-webgpu${values.peers ? `,${values.peers}` : ''}`];
if (values.workloads) options.push('--workloads', values.workloads);
const env = { BENCH_TB: '{"budgetMs":2500,"hardMs":20000,"targetMs":250}', ...process.env, BENCH_SCRATCH: SCRATCH };
const { status } = spawnSync('node', [path.join(bench, 'run.mjs'), ...options], { stdio: 'inherit', env });
process.exit(status ?? 1);
