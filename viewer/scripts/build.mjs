// Bundles the viewer into a folder that `lipkin view` serves: node scripts/build.mjs [--outDir DIR] [--watch]
import { cp, mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build, context } from 'esbuild';

const viewer = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const { values } = parseArgs({ options: { outDir: { type: 'string' }, watch: { type: 'boolean' } } });
const outDir = path.resolve(values.outDir ?? path.join(viewer, '../build/viewer'));

const options = {
  absWorkingDir: viewer,
  entryPoints: { viewer: 'src/main.tsx', style: 'src/style.css' },
  outdir: outDir,
  bundle: true,
  minify: !values.watch,
  sourcemap: values.watch ? 'inline' : false,
  format: 'esm',
  target: ['es2022'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'linked',
  logLevel: 'warning',
};

await mkdir(outDir, { recursive: true });
for (const entry of await readdir(outDir)) await rm(path.join(outDir, entry), { recursive: true });
for (const file of ['index.html', 'icon.svg']) await cp(path.join(viewer, 'src', file), path.join(outDir, file));
if (values.watch) await (await context(options)).watch();
else await build(options);
