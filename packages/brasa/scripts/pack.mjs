// Packs the package as npm would, installs it into empty projects and trains in each:
//   node packages/brasa/scripts/pack.mjs [PROJECT ...]
// TypeScript with module resolution of bundlers and of Node; Node; a plain page with the separate files; a plain page with
// the one-file build, as a module and as a classic script from another server; Vite; webpack; esbuild and Rollup with the
// one-file build.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { withBrowser } from './browser.mjs';
import { serve } from './serve.mjs';

const HOME = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const ROOT = path.resolve(HOME, '../..');
const PAGE = '<!doctype html><meta charset="utf-8"><title>train</title><script type="module" src="main.js"></script>';

const main = (module, options = {}) => `import * as brasa from '${module}';
import { train } from './train.js';
window.trained = train(brasa, ${JSON.stringify(options)});
`;

/** Creates an empty project with the package installed. */
function project(folder, name, tarball) {
  const at = path.join(folder, name);
  fs.mkdirSync(at);
  fs.writeFileSync(path.join(at, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  npm(at, 'install', '--offline', '--no-audit', '--no-fund', tarball);
  fs.copyFileSync(path.join(HOME, 'tests/projects/train.js'), path.join(at, 'train.js'));
  return at;
}

function npm(cwd, ...options) {
  return execFileSync('npm', options, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Opens the page of a folder and returns the result of its training. */
async function open(folder, isolated) {
  const page = fs.readFileSync(path.join(folder, 'index.html'), 'utf8');
  const server = await serve({ folders: { '/': folder }, pages: { '/': page }, isolated });
  try {
    return await withBrowser(async (context) => {
      const tab = await context.newPage();
      const problems = [];
      tab.on('pageerror', (error) => problems.push(error.message));
      tab.on('requestfailed', (request) => problems.push(`${request.url()} could not be loaded`));
      await tab.goto(`${server.address}/`);
      try {
        await tab.waitForFunction('window.trained', null, { timeout: 30_000 });
        return await tab.evaluate('window.trained');
      } catch (error) {
        throw new Error([error.message, ...problems].join('\n'));
      }
    });
  } finally {
    server.close();
  }
}

/** Type-checks programs in strict mode against the installed package. */
function typeCheck(at, module, moduleResolution, files) {
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(at, name), text);
  const compilerOptions = { target: 'es2022', module, moduleResolution, strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true, types: [] };
  fs.writeFileSync(path.join(at, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: Object.keys(files) }));
  run(at, 'tsc', '-p', '.');
  return `${Object.keys(files).join(' and ')} compile`;
}

/** Runs an installed command; its output is part of the error if it fails. */
function run(cwd, program, ...options) {
  try {
    return execFileSync(path.join(ROOT, 'node_modules/.bin', program), options, { cwd, encoding: 'utf8', stdio: 'pipe', timeout: 120_000 });
  } catch (error) {
    throw new Error(`${program}: ${error.stdout}${error.stderr}`);
  }
}

/** The program in the project's README. */
function readmeProgram() {
  const page = fs.readFileSync(path.join(ROOT, 'README.md'), 'utf8');
  return /```ts\n(.*?)```/s.exec(page)?.[1] ?? '';
}

/** Programs in TypeScript: that of the README, and one that uses most of the API. */
const programs = () => ({ 'readme.ts': readmeProgram(), 'types.ts': fs.readFileSync(path.join(HOME, 'tests/projects/types.ts'), 'utf8') });

/** Checks and describes the result of `train.js`. */
function describe({ w, b, chosen: { device, threads } }) {
  if (!(Math.abs(w - 2) < 0.01 && Math.abs(b - 1) < 0.01)) throw new Error(`it learned ${w} x + ${b}, not 2 x + 1`);
  return `${device}, ${threads} thread${threads > 1 ? 's' : ''}`;
}

const projects = {
  /** Linters of packages. */
  'lint': async (_at, tarball) => {
    run(HOME, 'publint', 'run', tarball, '--strict');
    // No CommonJS, and no support for older Node.
    run(HOME, 'attw', tarball, '--profile', 'esm-only');
    return 'publint and attw find nothing';
  },
  /** Each entry has types, and no other files are packed. */
  'entries': async (at) => {
    const own = path.join(at, 'node_modules/brasa');
    const { exports } = JSON.parse(fs.readFileSync(path.join(own, 'package.json'), 'utf8'));
    const untyped = Object.entries(exports).filter(([name, entry]) => !/\*|\.json$/.test(name) && !fs.existsSync(path.join(own, entry.types ?? 'missing')));
    if (untyped.length > 0) throw new Error(`without types: ${untyped.map(([name]) => name)}`);
    const files = fs.readdirSync(own, { recursive: true, withFileTypes: true }).filter((file) => file.isFile()).map(({ parentPath, name }) => path.relative(own, path.join(parentPath, name)));
    const strange = files.filter((name) => !/^(package\.json|README\.md|extras\/\w+\.(js|d\.ts)|dist\/((index|worker(-checked)?)\.js(\.map)?|inline\.js|warming\.bin|types\/.*\.d\.ts|wasm\/.*\.wasm))$/.test(name) || /test|harness/.test(name));
    if (strange.length > 0) throw new Error(`packed by mistake: ${strange}`);
    return `${Object.keys(exports).length} entries, ${files.length} files`;
  },
  'typescript, bundler': async (at) => typeCheck(at, 'esnext', 'bundler', programs()),
  'typescript, nodenext': async (at) => typeCheck(at, 'nodenext', 'nodenext', programs()),
  'node': async (at) => {
    fs.writeFileSync(path.join(at, 'main.js'), `import * as brasa from 'brasa';
import { train } from './train.js';
console.log(JSON.stringify(await train(brasa, { threads: 2 })));
`);
    const output = execFileSync(process.execPath, ['main.js'], { cwd: at, encoding: 'utf8', timeout: 60_000 });
    return JSON.parse(output.trim().split('\n').at(-1));
  },
  /** The program in the project's README, which prints its loss. */
  'readme': async (at) => {
    fs.writeFileSync(path.join(at, 'main.js'), `${readmeProgram()}\nprocess.exit(0);\n`);
    const output = execFileSync(process.execPath, ['main.js'], { cwd: at, encoding: 'utf8', timeout: 60_000 });
    const losses = output.trim().split('\n').map(Number);
    if (!(losses.length === 4 && losses[3] < 0.1 * losses[0])) throw new Error(`losses: ${losses}`);
    return `loss ${losses[0]} to ${losses[3]}`;
  },
  'html': async (at) => {
    fs.writeFileSync(path.join(at, 'index.html'), PAGE);
    fs.writeFileSync(path.join(at, 'main.js'), main('./node_modules/brasa/dist/index.js', { threads: 2 }));
    return open(at, true);
  },
  'script': async (at) => {
    // As from a CDN: another server, and no module in the page.
    const far = await serve({ folders: { '/': path.join(at, 'node_modules') }, isolated: false });
    const body = `<script src="${far.address}/brasa/extras/torch.js"></script><script src="main.js"></script>`;
    fs.writeFileSync(path.join(at, 'index.html'), `<!doctype html><meta charset="utf-8"><title>train</title>${body}`);
    const train = fs.readFileSync(path.join(at, 'train.js'), 'utf8').replace('export ', '');
    fs.writeFileSync(path.join(at, 'main.js'), `${train}\nwindow.trained = train(torch);\n`);
    try {
      return await open(at, false);
    } finally {
      far.close();
    }
  },
  /** No dependencies are installed, and no text but the README. */
  'alone': async (at) => {
    const installed = fs.readdirSync(path.join(at, 'node_modules')).filter((name) => !name.startsWith('.'));
    if (String(installed) !== 'brasa') throw new Error(`installed: ${installed}`);
    const texts = fs.readdirSync(path.join(at, 'node_modules/brasa'), { recursive: true }).filter((name) => name.endsWith('.md'));
    if (String(texts) !== 'README.md') throw new Error(`texts: ${texts}`);
    return 'no dependencies, one README';
  },
  'inline': async (at) => {
    fs.writeFileSync(path.join(at, 'index.html'), PAGE);
    fs.writeFileSync(path.join(at, 'main.js'), main('./node_modules/brasa/dist/inline.js'));
    return open(at, false);
  },
  'vite': async (at) => {
    const { build } = await import('vite');
    fs.writeFileSync(path.join(at, 'index.html'), PAGE.replace('main.js', '/main.js'));
    fs.writeFileSync(path.join(at, 'main.js'), main('brasa', { threads: 2 }));
    await build({ root: at, logLevel: 'warn', configFile: false });
    return open(path.join(at, 'dist'), true);
  },
  'webpack': async (at) => {
    const { default: webpack } = await import('webpack');
    fs.writeFileSync(path.join(at, 'main.js'), main('brasa', { threads: 2 }));
    const config = { context: at, entry: './main.js', mode: 'production', output: { path: path.join(at, 'out'), filename: 'main.js' } };
    await new Promise((resolve, reject) => {
      webpack(config, (error, stats) => {
        if (error || stats.hasErrors()) reject(error ?? new Error(stats.toString('errors-only')));
        else resolve();
      });
    });
    fs.writeFileSync(path.join(at, 'out/index.html'), PAGE);
    return open(path.join(at, 'out'), true);
  },
  'esbuild': async (at) => {
    const { build } = await import('esbuild');
    fs.writeFileSync(path.join(at, 'main.js'), main('brasa/inline'));
    const outfile = path.join(at, 'out/main.js');
    await build({ entryPoints: [path.join(at, 'main.js')], bundle: true, format: 'esm', outfile, external: ['node:*'], logLevel: 'warning' });
    fs.writeFileSync(path.join(at, 'out/index.html'), PAGE);
    return open(path.join(at, 'out'), true);
  },
  'rollup': async (at) => {
    // Not in our package.json: `npm ci` cannot read a lock file with its optional dependencies.
    npm(at, 'install', '--no-audit', '--no-fund', 'rollup@4.68.2');
    const { rollup } = createRequire(path.join(at, 'package.json'))('rollup');
    fs.writeFileSync(path.join(at, 'main.js'), main('./node_modules/brasa/dist/inline.js'));
    const bundle = await rollup({ input: path.join(at, 'main.js'), external: /^node:/, logLevel: 'silent' });
    await bundle.write({ file: path.join(at, 'out/main.js'), format: 'es' });
    fs.writeFileSync(path.join(at, 'out/index.html'), PAGE);
    return open(path.join(at, 'out'), true);
  },
};

const wanted = process.argv.slice(2);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'brasa-pack-'));
let failed = 0;
try {
  const [packed] = JSON.parse(npm(HOME, 'pack', '--json', '--pack-destination', folder));
  console.log(`${packed.filename}: ${packed.entryCount} files, ${(packed.size / 1e6).toFixed(2)} MB`);
  for (const [name, check] of Object.entries(projects)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const start = performance.now();
    try {
      const tarball = path.join(folder, packed.filename);
      const outcome = await check(project(folder, name, tarball), tarball);
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      console.log(`ok      ${name}: ${typeof outcome === 'string' ? outcome : describe(outcome)}, in ${seconds} s`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${name}\n${String(error.stack ?? error).replace(/^/gm, '        ')}`);
    }
  }
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
process.exit(failed > 0 ? 1 : 0);
