// Type-checks and bundles the studio into packages/studio/dist:  node packages/studio/scripts/build.mjs
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const HOME = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const ROOT = path.resolve(HOME, '../..');

execFileSync(path.join(ROOT, 'node_modules/.bin/tsc'), ['-p', HOME], { stdio: 'inherit' });
await build({ root: HOME, logLevel: 'warn' });
