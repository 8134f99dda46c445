import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { builtViewer, openBrowser, openPage, until, whyNot } from '../support/browser';
import { heap, peaucellier } from '../support/mock_scenes';
import { MockServer } from '../support/mock_server';

// The page alone, in front of a server of the tests whose motion is known.

const skip = whyNot;
let browser: Browser;

before(async () => {
  if (!skip) browser = await openBrowser();
});
after(async () => browser?.close());

test('a lost connection comes back by itself and time goes on', { skip }, async () => {
  const server = new MockServer(peaucellier(), builtViewer);
  const { page } = await openPage(browser, await server.start());
  server.dropAll();
  await until(async () => (await page.locator('.chip.bad').count()) === 1, 'the page to notice');
  const t = server.t;
  await until(async () => Number.parseFloat((await page.textContent('.clock .time')) ?? '') > t + 0.5, 'time to go on');
  assert.equal(await page.locator('.chip.bad').count(), 0);
  await page.close();
  await server.stop();
});

test('a thousand bodies of all kinds are drawn without an error', { skip }, async () => {
  const server = new MockServer(heap(1000), builtViewer);
  const { page, errors } = await openPage(browser, await server.start());
  server.playing = false; // one picture is enough: without a graphics processor each takes long
  const picture = () => page.evaluate(() => (window as unknown as { lipkin: { picture(): string } }).lipkin.picture());
  // Not one colour: PNG squeezes an empty picture to a few kilobytes.
  await until(async () => (await picture()).length > 50000, 'a picture of many parts');
  assert.deepEqual(errors, []);
  await page.close();
  await server.stop();
});

test('a plot is exported with the values that were sent', { skip }, async () => {
  const server = new MockServer(peaucellier(), builtViewer);
  const { page } = await openPage(browser, await server.start());
  await until(() => server.t > 1, 'some rows');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('button[aria-label="Export D_x, D_y as CSV"]')]);
  const [head, ...rows] = (await readFile(await download.path(), 'utf8')).trim().split('\n');
  assert.equal(head, 't [s],D_x [m],D_y [m]');
  assert.ok(rows.length > 10);
  // The straight line of the linkage: x = (0.5^2 - 0.2^2) / (2 * 0.2), sent in double precision.
  for (const row of rows) assert.ok(Math.abs(Number(row.split(',')[1]) - 0.525) < 1e-12, row);
  await page.close();
  await server.stop();
});

test('axe finds nothing serious in any panel, dark or light', { skip }, async () => {
  const server = new MockServer(peaucellier(), builtViewer);
  const { page, errors } = await openPage(browser, await server.start());
  const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const serious = async () => {
    await page.evaluate(axe);
    return page.evaluate(async () => {
      const { axe: tool } = window as unknown as { axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> } };
      const { violations } = await tool.run();
      return violations.filter((v) => v.impact === 'serious' || v.impact === 'critical').map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join(' | ')}`);
    });
  };
  for (const theme of ['dark', 'light']) {
    for (const item of ['[data-kind=scene]', '[data-kind=body]', '[data-kind=joint]', '[data-kind=point]']) {
      await page.locator(item).first().click();
      assert.deepEqual(await serious(), [], `${item}, ${theme}`);
    }
    await page.focus('#picture');
    await page.keyboard.press('?');
    await page.waitForSelector('dialog[open]');
    assert.deepEqual(await serious(), [], `help, ${theme}`);
    await page.keyboard.press('Escape');
    await page.focus('#picture');
    await page.keyboard.press('Shift+T');
  }
  assert.deepEqual(errors, []);
  await page.close();
  await server.stop();
});
