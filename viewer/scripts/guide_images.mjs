// The pictures of docs/guide/viewer.md, made anew: LIPKIN_PROGRAM=... node scripts/guide_images.mjs [OUT]
// JPEG at 1280 x 720: some 60 kB each.
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');
const program = process.env.LIPKIN_PROGRAM ?? path.join(root, 'build/release/apps/lipkin/lipkin');
const out = path.resolve(process.argv[2] ?? path.join(root, 'docs/guide/images/viewer'));

const place = (page, kind, name) => page.evaluate(([k, n]) => window.lipkin.placeOf(k, n), [kind, name]);
const pick = (page, kind, name) => page.click(`[data-kind=${kind}][data-name="${name}"]`);

async function pullOut(page, tool, body, right, down) {
  await page.focus('#picture');
  await page.keyboard.press(tool);
  const { x, y } = await place(page, 'body', body);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + right, y + down, { steps: 5 });
  await page.mouse.up();
  await page.waitForSelector('[data-kind=icon]');
}

// name, scene, simulated time at which it is paused, theme, what is done then
const pictures = [
  { name: 'peaucellier', scene: 'peaucellier', t: 4.3 },
  { name: 'peaucellier-light', scene: 'peaucellier', t: 4.3, theme: 'light' },
  { name: 'grasp', scene: 'grasp', t: 4 },
  { name: 'cup', scene: 'cup', t: 1 },
  { name: 'chain', scene: 'chain', t: 4 },
  { name: 'slider-crank', scene: 'slider-crank', t: 2 },
  { name: 'five-link-chain', scene: 'five-link-chain', t: 2 },
  { name: 'force', scene: 'peaucellier', t: 4.3, act: (page) => pullOut(page, 'f', 'OA', -40, -90) },
  { name: 'torque', scene: 'peaucellier', t: 4.3, act: (page) => pullOut(page, 't', 'OA', 60, 0) },
  { name: 'body', scene: 'grasp', t: 4, act: (page) => pick(page, 'body', 'cube') },
  { name: 'joint', scene: 'peaucellier', t: 4.3, act: (page) => pick(page, 'joint', 'OA') },
  { name: 'help', scene: 'peaucellier', t: 4.3, theme: 'light', act: (page) => page.keyboard.press('?') },
];

async function start(scene) {
  const child = spawn(program, ['view', scene, '--no-browser'], { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
  const url = await new Promise((resolve) => child.stdout.once('data', (data) => resolve(data.toString().trim())));
  return { child, url };
}

async function take(browser, { name, scene, t, theme, act }) {
  const { child, url } = await start(scene);
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, colorScheme: theme ?? 'dark' });
  const page = await context.newPage();
  page.setDefaultTimeout(120000);
  await page.goto(url);
  await page.waitForFunction((until) => (window.lipkin?.time() ?? 0) > until, t);
  await page.click('.hint button');
  await page.focus('#picture');
  await page.keyboard.press(' ');
  await page.waitForTimeout(500);
  await act?.(page);
  await page.waitForTimeout(1000);
  await page.screenshot({ path: path.join(out, `${name}.jpg`), type: 'jpeg', quality: 82 });
  await context.close();
  child.kill();
  console.log(`${name}.jpg`);
}

await mkdir(out, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--no-proxy-server', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
});
for (const picture of pictures) await take(browser, picture);
await browser.close();
