// A picture or a film of what a running `lipkin view` shows, for reports; `lipkin view --screenshot` and `--video` start it:
//   node scripts/capture.mjs URL --screenshot FILE|--video FILE [--until SECONDS] [--light] [--single]
// The run is paused and stepped from here, so that the same scene gives the same film however slow this machine is.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';

const kFramesPerSecond = 30;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    screenshot: { type: 'string' }, video: { type: 'string' }, until: { type: 'string' }, light: { type: 'boolean' },
    single: { type: 'boolean' }, // a recording is repeated: its commands act between single steps
  },
});

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--no-proxy-server', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
});
const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, colorScheme: values.light ? 'light' : 'dark' });
const page = await context.newPage();
page.setDefaultTimeout(120000);
await page.goto(`${positionals[0]}&bare${values.video ? '=film' : ''}`);
await page.waitForFunction(() => window.lipkin?.time() !== null);

const { dt, duration, adaptive } = await page.evaluate(() => window.lipkin.method());
const until = values.until ? Number(values.until) : values.video ? Math.min(10, duration || 10) : 2;

async function goTo(t) {
  let now = await page.evaluate(() => window.lipkin.time());
  while (now < t - 1e-9) {
    const count = values.single || adaptive ? 1 : Math.min(10000, Math.max(1, Math.round((t - now) / dt)));
    now = await page.evaluate((n) => window.lipkin.step(n), count);
  }
}

// The steps to the next picture are taken while this one is drawn.
async function pictureAt(t, next, goesOn) {
  await goTo(t);
  const now = await page.evaluate(() => window.lipkin.time());
  const count = values.single || adaptive || !goesOn ? 0 : Math.round((next - now) / dt);
  if (count < 1) return page.evaluate(() => window.lipkin.picture('image/jpeg'));
  return (await page.evaluate((n) => window.lipkin.pictureAndStep('image/jpeg', n), Math.min(10000, count))).picture;
}

async function film(file) {
  const encoder = spawn('ffmpeg', ['-y', '-loglevel', 'error', '-f', 'image2pipe', '-c:v', 'mjpeg', '-framerate', String(kFramesPerSecond), '-i', '-',
    '-pix_fmt', 'yuv420p', file], { stdio: ['pipe', 'inherit', 'inherit'] });
  const ended = once(encoder, 'exit');
  encoder.on('error', (error) => console.error(`lipkin: ffmpeg: ${error.message}`));
  const frames = Math.max(1, Math.floor(until * kFramesPerSecond + 1e-6));
  for (let i = 0; i <= frames; ++i) {
    const picture = await pictureAt(i / kFramesPerSecond, (i + 1) / kFramesPerSecond, i < frames);
    if (!encoder.stdin.write(Buffer.from(picture.split(',')[1], 'base64'))) await once(encoder.stdin, 'drain');
  }
  encoder.stdin.end();
  const [code] = await ended;
  if (code !== 0) process.exitCode = 1;
}

if (values.video) await film(values.video);
if (values.screenshot) {
  for (let t = 0; t < until; t += 1 / kFramesPerSecond) await goTo(t); // paths of points are drawn from frames
  await goTo(until);
  await page.evaluate(() => window.lipkin.picture('image/png'));
  await page.screenshot({ path: values.screenshot });
}
await browser.close();
