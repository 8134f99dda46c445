import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before, test, type TestContext } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { builtViewer, openBrowser, openPage, until, whyNot } from '../support/browser';
import { heap, peaucellier, type MockScene } from '../support/mock_scenes';
import { MockServer } from '../support/mock_server';

// The page alone, in front of a server of the tests whose motion is known.

const skip = whyNot;
let browser: Browser;

before(async () => {
  if (!skip) browser = await openBrowser();
});
after(async () => browser?.close());

async function open(t: TestContext, server: MockServer): Promise<{ page: Page; errors: string[] }> {
  t.after(() => server.stop());
  const opened = await openPage(browser, await server.start());
  t.after(() => opened.page.close());
  return opened;
}

test('a lost connection comes back by itself and time goes on', { skip }, async (t) => {
  const server = new MockServer(peaucellier(), builtViewer);
  const { page } = await open(t, server);
  server.refuses = true;
  server.dropAll();
  await page.waitForSelector('.chip.bad');
  server.refuses = false;
  const begin = server.t;
  await until(async () => Number.parseFloat((await page.textContent('.clock .time')) ?? '') > begin + 0.5, 'time to go on');
  await page.waitForSelector('.chip.bad', { state: 'detached' });
});

test('a thousand bodies of all kinds are drawn without an error', { skip }, async (t) => {
  const server = new MockServer(heap(1000), builtViewer);
  const { page, errors } = await open(t, server);
  server.playing = false; // one picture is enough: without a graphics processor each takes long
  const picture = () => page.evaluate(() => (window as unknown as { lipkin: { picture(): string } }).lipkin.picture());
  // Not one colour: PNG squeezes an empty picture to a few kilobytes.
  await until(async () => (await picture()).length > 50000, 'a picture of many parts');
  assert.deepEqual(errors, []);
});

test('a plot is exported with the values that were sent', { skip }, async (t) => {
  const server = new MockServer(peaucellier(), builtViewer);
  const { page } = await open(t, server);
  const exported = async () => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('button[aria-label="Export D_x, D_y as CSV"]')]);
    return (await readFile(await download.path(), 'utf8')).trim().split('\n');
  };
  await until(async () => (await exported()).length > 10, 'some rows');
  const [head, ...rows] = await exported();
  assert.equal(head, 't [s],D_x [m],D_y [m]');
  // The straight line of the linkage: x = (0.5^2 - 0.2^2) / (2 * 0.2), sent in double precision.
  for (const row of rows) assert.ok(Math.abs(Number(row.split(',')[1]) - 0.525) < 1e-12, row);
});

// The linkage with inputs, as if its crank were a car: nothing hangs on it.
function steeredLinkage(): MockScene {
  const scene = peaucellier();
  const input = (name: string) => ({ name, value: 0, min: -1, max: 1, unit: '', description: `the ${name}` });
  scene.model.inputs = ['throttle', 'brake', 'steer'].map(input);
  scene.model.joints[0]!.type = 'free';
  return scene;
}

test('axe finds nothing serious in any panel, dark or light', { skip }, async (t) => {
  const server = new MockServer(steeredLinkage(), builtViewer);
  const { page, errors } = await open(t, server);
  const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const serious = async () => {
    await page.evaluate(axe);
    return page.evaluate(async () => {
      const { axe: tool } = window as unknown as { axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> } };
      const { violations } = await tool.run();
      return violations.filter((v) => v.impact === 'serious' || v.impact === 'critical').map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join(' | ')}`);
    });
  };
  await page.waitForSelector('.inputs .input-bar');
  for (const theme of ['dark', 'light']) {
    for (const item of ['[data-kind=scene]', '[data-kind=body]', '[data-kind=joint]', '[data-kind=point]']) {
      await page.locator(item).first().click();
      await page.waitForSelector(`${item}[aria-selected=true]`);
      assert.deepEqual(await serious(), [], `${item}, ${theme}`);
    }
    await page.focus('#picture');
    await page.keyboard.press('?');
    await page.waitForSelector('dialog[open]');
    assert.deepEqual(await serious(), [], `help, ${theme}`);
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog[open]', { state: 'detached' });
    await page.focus('#picture');
    await page.keyboard.press('Shift+T');
  }
  assert.deepEqual(errors, []);
});
