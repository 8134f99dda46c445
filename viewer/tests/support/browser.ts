import { existsSync } from 'node:fs';
import path from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';

// Debian's Chromium, with WebGL2 in software. Without one the tests of the page are skipped.

export const viewerSource = process.env.LIPKIN_VIEWER_SOURCE ?? process.cwd();
export const builtViewer = process.env.LIPKIN_VIEWER_DIR ?? path.join(viewerSource, '../build/viewer');
const program = process.env.CHROMIUM ?? '/usr/bin/chromium';

export const whyNot: string | false = !existsSync(program)
  ? `there is no ${program}: apt-get install chromium`
  : !existsSync(path.join(builtViewer, 'index.html'))
    ? 'the viewer is not built: npm run build'
    : false;

export function openBrowser(): Promise<Browser> {
  const args = ['--no-sandbox', '--no-proxy-server', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
  return chromium.launch({ executablePath: program, args });
}

export async function openPage(browser: Browser, url: string, theme: 'dark' | 'light' = 'dark'): Promise<{ page: Page; errors: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, colorScheme: theme });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await page.goto(url);
  await page.waitForFunction(() => /\d\.\d/.test(document.querySelector('.clock .time')?.textContent ?? ''), undefined, { timeout: 60000 });
  page.setDefaultTimeout(40000);
  return { page, errors };
}

const kPause = 30; // between two looks [ms]

// Looks that came late count as little as others: everything may have been stopped for a while.
export async function until(condition: () => boolean | Promise<boolean>, what: string, seconds = 40): Promise<void> {
  let waited = 0;
  let last = Date.now();
  while (!(await condition())) {
    waited += Math.min(Date.now() - last, 40 * kPause);
    last = Date.now();
    if (waited > 1000 * seconds) throw new Error(`waited ${seconds} s for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, kPause));
  }
}
