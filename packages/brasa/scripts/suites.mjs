// Bundles the suites of tests/*.test.ts into one module, which imports the built package from `packageUrl`.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const FOLDER = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../tests');

/** Writes the module to `outfile`; without one, returns its text. */
export async function bundle(packageUrl, outfile) {
  const suites = fs.readdirSync(FOLDER).filter((name) => name.endsWith('.test.ts')).sort();
  // Imports are evaluated before statements, so each suite is named by its own module.
  const entry = suites
    .map((name) => `import ${JSON.stringify(`name:${name}`)};\nimport ${JSON.stringify(`./${name}`)};`)
    .concat(`export { run } from './harness.ts';`, `export * as brasa from '../src/index.ts';`)
    .join('\n');
  const plugin = {
    name: 'suites',
    setup(build) {
      build.onResolve({ filter: /\/src\/index\.ts$/ }, () => ({ path: packageUrl, external: true }));
      build.onResolve({ filter: /^name:/ }, ({ path }) => ({ path, namespace: 'name' }));
      build.onLoad({ filter: /.*/, namespace: 'name' }, ({ path: name }) => ({
        contents: `import { describe } from './harness.ts'; describe(${JSON.stringify(name.slice(5, -8))});`,
        resolveDir: FOLDER,
      }));
    },
  };
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: FOLDER, loader: 'ts' },
    bundle: true,
    format: 'esm',
    target: 'es2022',
    sourcemap: 'inline',
    ...(outfile === undefined ? { write: false } : { outfile }),
    plugins: [plugin],
    external: ['node:*'],
    // Suites are imported for their side effects.
    ignoreAnnotations: true,
    logLevel: 'warning',
  });
  return outputFiles?.[0].text;
}
