// The pictures of docs/guide and its page of scenes, made anew: LIPKIN_PROGRAM=... node scripts/guide_images.mjs [NAME...]
// With names: only these panels and scenes; the page is written all the same. JPEG: some 60 kB a panel, 20 kB a scene.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');
const program = process.env.LIPKIN_PROGRAM ?? path.join(root, 'build/release/apps/lipkin/lipkin');
const guide = path.join(root, 'docs/guide');
const stops = path.join(mkdtempSync(path.join(tmpdir(), 'lipkin-guide-')), 'stops'); // commands: where a run pauses
const wanted = process.argv.slice(2);

const place = (page, kind, name) => page.evaluate(([k, n]) => window.lipkin.placeOf(k, n), [kind, name]);
const pick = (page, kind, name) => page.click(`[data-kind=${kind}][data-name="${name}"]`);

async function pull(page, body, right, down) {
  const { x, y } = await place(page, 'body', body);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + right, y + down, { steps: 5 });
}

async function pullOut(page, tool, body, right, down) {
  await page.keyboard.press(tool);
  await pull(page, body, right, down);
  await page.mouse.up();
  await page.waitForSelector('[data-kind=icon]');
}

async function motion(page, joint) {
  await page.keyboard.press('m');
  const { x, y } = await place(page, 'joint', joint);
  await page.mouse.click(x, y);
  await page.waitForSelector('[data-kind=icon]');
}

// A branch with a heavier bar, beside the first one.
async function branches(page) {
  await page.focus('[role=slider]');
  await page.keyboard.press('PageDown');
  await page.keyboard.press('PageDown');
  await page.waitForTimeout(500);
  await pick(page, 'body', 'crank');
  await page.getByLabel('mass', { exact: true }).fill('8');
  await page.keyboard.press('Enter');
  await page.focus('#picture');
  const end = (await page.evaluate(() => window.lipkin.time())) + 2.5;
  await page.keyboard.press(' ');
  await page.waitForFunction((t) => window.lipkin.time() > t, end);
  await page.keyboard.press(' ');
  await page.click('.branch-menu summary');
  await page.click('.branch-row >> nth=0 >> input[type=checkbox]');
}

async function drive(page) {
  await page.focus('#picture');
  await page.keyboard.press(' ');
  await page.keyboard.down('w');
  await page.keyboard.down('a');
  await page.waitForTimeout(1500);
  await page.keyboard.press(' ');
}

async function ruler(page, a, b) {
  await page.keyboard.press('r');
  for (const body of [a, b]) {
    const { x, y } = await place(page, 'body', body);
    await page.mouse.click(x, y);
  }
}

// name, scene, simulated time at which it is paused, theme, what is done then
const panels = [
  { name: 'peaucellier', scene: 'peaucellier', t: 4.3 },
  { name: 'peaucellier-light', scene: 'peaucellier', t: 4.3, theme: 'light' },
  { name: 'drag', scene: 'peaucellier', t: 4.3, runs: true, act: (page) => pull(page, 'OA', -40, -60) },
  { name: 'force', scene: 'peaucellier', t: 4.3, act: (page) => pullOut(page, 'f', 'OA', -40, -90) },
  { name: 'torque', scene: 'peaucellier', t: 4.3, act: (page) => pullOut(page, 't', 'OA', 60, 0) },
  { name: 'motion', scene: 'slider-crank', t: 1, act: (page) => motion(page, 'crank') },
  { name: 'body', scene: 'grasp', t: 4, act: (page) => pick(page, 'body', 'cube') },
  { name: 'joint', scene: 'peaucellier', t: 4.3, act: (page) => pick(page, 'joint', 'OA') },
  { name: 'controller', scene: 'cart-pole', t: 5, act: (page) => pick(page, 'controller', 'balance') },
  { name: 'branches', scene: 'peaucellier', t: 4.3, act: branches },
  { name: 'ruler', scene: 'peaucellier', t: 4.3, act: (page) => ruler(page, 'OA', 'BD') },
  { name: 'show', scene: 'cup', t: 1, act: (page) => page.click('.show-menu summary') },
  { name: 'driving', scene: 'minibaja', t: 0.3, act: drive },
  { name: 'save', scene: 'peaucellier', t: 4.3, act: (page) => page.keyboard.press('Control+s') },
  { name: 'help', scene: 'peaucellier', t: 4.3, theme: 'light', act: (page) => page.keyboard.press('?') },
];

// When a scene looks best [s]; one second, or half of its time where that is less.
const moments = {
  'andrews-squeezer': 0.02, 'ball-chain': 0.9, 'bouncing-ball': 0.7, 'box-stack': 2, 'card-house': 2, 'cart-pole': 1.5, 'chain-loop': 1.5,
  chain: 0.8, cup: 1, dominoes: 0.45, 'double-pendulum': 2, 'five-link-chain': 2, 'five-link-chain-viscous': 2, 'flyball-governor': 3, grasp: 4,
  'incline-block': 2, minibaja: 5, 'minibaja-terrain': 3.1, 'newton-cradle': 0.9, peaucellier: 2.2, 'peaucellier-driven': 1.6, 'rolling-disc': 1.5,
  'slider-crank': 2, 'slider-crank-driven': 2, 'sphere-in-cone': 0.4, 'sphere-slide-to-roll': 0.4, 'spherical-pendulum': 4, stone: 6, 'torque-free-top': 5,
};

// Along which direction of the world a scene is seen, and how many times farther away than its bodies fit; where the page's
// own view shows less. What lies around them is part of the scene.
const views = {
  dominoes: [[-0.7, 1, -0.4], 0.75],
  'rolling-disc': [[-1, 0.5, -0.5], 2.2], 'sphere-in-cone': [[-0.3, 1, -0.6], 20], 'sphere-slide-to-roll': [[-0.4, 1, -0.45], 2.5],
  'two-spheres-in-tube': [[0.05, 1, -0.12], 1.15],
};

const children = new Set();
process.once('exit', () => children.forEach((child) => child.kill()));

function start(scene, more = []) {
  const child = spawn(program, ['view', scene, '--no-browser', ...more], { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return new Promise((resolve) => child.stdout.once('data', (data) => resolve({ child, url: data.toString().trim() })));
}

async function open(browser, url, { width, height, scale, theme }) {
  const context = await browser.newContext({ viewport: { width, height }, deviceScaleFactor: scale, colorScheme: theme ?? 'dark' });
  const page = await context.newPage();
  page.setDefaultTimeout(120000);
  await page.goto(url);
  return page;
}

const drawn = (page) => page.waitForFunction(() => window.lipkin.settledPoses() !== null);

async function takePanel(browser, { name, scene, t, theme, runs, act }) {
  await writeFile(stops, runs ? '' : JSON.stringify({ cmd: 'pause', at: t }) + '\n');
  const { child, url } = await start(scene, ['--commands', stops]);
  const page = await open(browser, url, { width: 1280, height: 720, scale: 0.8, theme });
  await page.waitForFunction((until) => (window.lipkin?.time() ?? 0) > until - 0.02, t);
  await page.click('.hint button');
  if (!runs) {
    await page.waitForSelector('button.play[aria-label=Play]');
    await drawn(page);
  }
  await page.evaluate(() => document.getElementById('picture').focus({ focusVisible: false }));
  await act?.(page);
  await page.waitForTimeout(1000);
  if (!runs) await drawn(page);
  await page.screenshot({ path: path.join(guide, `images/viewer/${name}.jpg`), type: 'jpeg', quality: 72 });
  await page.context().close();
  child.kill();
  console.log(`viewer/${name}.jpg`);
}

// The picture alone, stepped by the drawing.
async function takeScene(browser, name) {
  const { child, url } = await start(name, ['--paused']);
  const page = await open(browser, `${url}&bare`, { width: 640, height: 360, scale: 1 });
  await page.waitForFunction(() => window.lipkin?.time() !== null);
  const { dt, duration, adaptive } = await page.evaluate(() => window.lipkin.method());
  const end = moments[name] ?? Math.min(1, duration / 2);
  const count = adaptive ? 25 : Math.max(1, Math.round(Math.min(0.05, end / 20) / dt)); // paths of points are drawn from frames
  for (let now = 0; now < end - 1e-9; ) now = await page.evaluate((n) => window.lipkin.step(n), count);
  if (views[name]) await page.evaluate(([direction, zoom]) => window.lipkin.look(direction, zoom), views[name]);
  await page.evaluate(() => window.lipkin.picture());
  await page.screenshot({ path: path.join(guide, `images/scenes/${name}.jpg`), type: 'jpeg', quality: 80 });
  await page.context().close();
  child.kill();
  console.log(`scenes/${name}.jpg`);
}

function galleryPage(scenes) {
  const picture = (name) => (existsSync(path.join(guide, `images/scenes/${name}.jpg`)) ? `![${name}](images/scenes/${name}.jpg)` : '');
  const rows = scenes.map(({ name, description }) => `| ${picture(name)} | **${name}**<br>${description.replaceAll('|', '\\|')} |`);
  return [
    '# Scenes', '', 'What comes with Lipkin, ready for `./lipkin view NAME` and `./lipkin run NAME`. `npm run guide-images` in `viewer/` makes this',
    'page and its pictures from the scenes.', '', '| | |', '| --- | --- |', ...rows, '',
  ].join('\n');
}

const { scenes } = JSON.parse(execFileSync(program, ['scenes', '--json'], { cwd: root, encoding: 'utf8' }));
const isWanted = ({ name }) => wanted.length === 0 || wanted.includes(name);
await mkdir(path.join(guide, 'images/viewer'), { recursive: true });
await mkdir(path.join(guide, 'images/scenes'), { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--no-proxy-server', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
});
for (const scene of scenes.filter(isWanted)) await takeScene(browser, scene.name);
for (const panel of panels.filter(isWanted)) await takePanel(browser, panel);
await browser.close();
await rm(path.dirname(stops), { recursive: true });
await writeFile(path.join(guide, 'scenes.md'), galleryPage(scenes));
