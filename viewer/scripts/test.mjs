// Runs tests with node's own runner, from TypeScript: node scripts/test.mjs [unit|browser] [name part]
// The bundles lie in node_modules/.cache so that packages are found beside them.
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const viewer = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const [area = 'unit', part = ''] = process.argv.slice(2);
const folder = path.join(viewer, 'tests', area);
const out = path.join(viewer, 'node_modules/.cache/tests', area);

const tests = (await readdir(folder)).filter((file) => file.endsWith('.test.ts') && file.includes(part)).sort();
if (tests.length === 0) {
  console.error(`no tests in ${folder} are called like '${part}'`);
  process.exit(2);
}
await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
await build({
  entryPoints: tests.map((file) => path.join(folder, file)),
  outdir: out,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node18',
  packages: 'external',
  outExtension: { '.js': '.mjs' },
  sourcemap: 'inline',
  logLevel: 'warning',
});
// One file after the other: pages that wait for pictures do not share the processor.
const files = tests.map((file) => path.join(out, file.replace(/\.ts$/, '.mjs')));
const env = { ...process.env, LIPKIN_VIEWER_SOURCE: viewer };
const run = (some) => spawnSync(process.execPath, ['--enable-source-maps', '--test', ...some], { stdio: 'inherit', cwd: viewer, env }).status ?? 1;
// A gesture comes too late where somebody else has the processor for seconds: a file that fails has a second try.
const runPatiently = (file) => {
  const first = run([file]);
  if (first === 0) return 0;
  console.log(`${path.basename(file)} failed; once more`);
  return run([file]);
};
const results = area === 'browser' ? files.map(runPatiently) : [run(files)];
process.exit(Math.max(...results));
