// Runs tests with node's own runner, from TypeScript: node scripts/test.mjs [unit|browser] [name part]
// The bundles lie in node_modules/.cache so that packages are found beside them.
import { spawn } from 'node:child_process';
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
const kLimit = 240; // for one file [s]

// In a process group of its own, so that what hangs ends with all it has started.
function run(some) {
  const child = spawn(process.execPath, ['--enable-source-maps', '--test', ...some], { stdio: 'inherit', cwd: viewer, env, detached: true });
  const kill = () => process.kill(-child.pid, 'SIGKILL');
  let seconds = 0; // in which this program ran: where all were stopped for a while, nobody is late
  const timer = setInterval(() => {
    if (++seconds !== kLimit) return;
    console.log(`not ok - ${some.map((file) => path.basename(file))} took longer than ${kLimit} s`);
    kill();
  }, 1000);
  const stop = () => (kill(), process.exit(1));
  const signals = ['SIGINT', 'SIGTERM'];
  signals.forEach((signal) => process.once(signal, stop));
  return new Promise((resolve) =>
    child.once('exit', (code) => {
      clearInterval(timer);
      signals.forEach((signal) => process.off(signal, stop));
      resolve(code ?? 1);
    }),
  );
}

// A gesture comes too late where somebody else has the processor for seconds: a file that fails has a second try.
async function runPatiently(file) {
  const first = await run([file]);
  if (first === 0) return 0;
  console.log(`${path.basename(file)} failed; once more`);
  return run([file]);
}

let worst = 0;
if (area === 'browser') for (const file of files) worst = Math.max(worst, await runPatiently(file));
else worst = await run(files);
process.exit(worst);
