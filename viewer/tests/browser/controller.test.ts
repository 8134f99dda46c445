import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser, until } from '../support/browser';
import { whyNoProgram } from '../support/program';
import { Stage } from '../support/stage';

// A rod balanced on a cart: its controller, controls and parameters in the inspector.

const skip = whyNoProgram;
let browser: Browser;
let stage: Stage;

before(async () => {
  if (skip) return;
  browser = await openBrowser();
  stage = await Stage.open(browser, ['cart-pole', '--paused']);
});

after(async () => {
  await stage?.close();
  await browser?.close();
});

const controller = () => stage.truth.model!.controllers[0]!;

test('a law is exchanged for a PID and put back, and the rod stays up', { skip }, async () => {
  await until(() => stage.truth.model !== null, 'the model');
  const law = controller().law as string;
  await stage.pick('controller', 'balance');
  await stage.page.getByLabel('kind', { exact: true }).selectOption('pid');
  await until(() => controller().kind === 'pid', 'a PID');
  assert.ok(controller().waits, 'it has no gains yet');
  await stage.setPlaying(true); // the law goes on
  const begin = stage.truth.frame!.t;
  await until(() => stage.truth.frame!.t > begin + 1, 'a second');
  assert.ok(Math.abs(stage.truth.value('lean')) < 0.05, `it leans by ${stage.truth.value('lean')}`);
  await stage.setPlaying(false);
  await stage.type('measured', '-joint.pole.q');
  for (const [gain, value] of [['p', '60'], ['i', '20'], ['d', '10']] as const) await stage.type(gain, value);
  await until(() => stage.truth.model!.parameters.some((p) => p.path === 'controller.balance.d' && p.value === 10), 'its gains');
  assert.equal(controller().measured, '-joint.pole.q');
  await stage.setPlaying(true);
  const { t } = stage.truth.frame!;
  await until(() => stage.truth.frame!.t > t + 1, 'a second');
  assert.ok(Math.abs(stage.truth.value('lean')) < 0.05, `it leans by ${stage.truth.value('lean')}`);
  await stage.page.getByLabel('kind', { exact: true }).selectOption('law');
  await until(() => controller().kind === 'law', 'the law');
  assert.equal(controller().law, law, 'as it was');
  await until(() => stage.truth.frame!.t > t + 4, 'three seconds', 40);
  assert.ok(Math.abs(stage.truth.value('lean')) < 0.05, `it leans by ${stage.truth.value('lean')}`);
  await stage.setPlaying(false);
});

test('a parameter is pinned to a plot, which shows what it is, was, and is again', { skip }, async () => {
  await stage.pick('body', 'cart');
  await stage.page.click('button[aria-label="Plot mass"]');
  await until(() => stage.truth.watched('body.cart.mass'), 'the mass to be watched');
  await stage.page.waitForSelector('[data-plot="body.cart.mass"]');
  const before = stage.truth.value('body.cart.mass');
  await stage.type('mass', '2');
  await until(() => stage.truth.value('body.cart.mass') === 2, 'two kilograms');
  await stage.press('Control+z');
  await until(() => stage.truth.value('body.cart.mass') === before, 'the mass before');
});

test('speed keys count however fast they come', { skip }, async () => {
  await stage.setPlaying(true);
  await stage.press(']', ']', ']');
  await until(() => stage.truth.frame!.speed === 10, 'ten times real time');
  await stage.press('[', '[', '[', '[');
  await until(() => stage.truth.frame!.speed === 0.5, 'half of real time');
  await stage.press(']');
  await stage.setPlaying(false);
});

test('the ruler goes along with what it measures', { skip }, async () => {
  await stage.press('r');
  for (const [kind, name] of [['scene', 'cart-pole'], ['body', 'cart']] as const) { // by key: the world's origin, and the cart
    await stage.page.locator(`[data-kind=${kind}][data-name="${name}"]`).focus();
    await stage.page.keyboard.press('Enter');
  }
  const label = stage.page.locator('.label.measure');
  const shown = async () => Number.parseFloat((await label.textContent())!);
  const distance = () => Math.hypot(...stage.truth.place('cart')); // its centre of mass is its origin; four digits are shown
  await until(async () => (await label.isVisible()) && Math.abs((await shown()) - distance()) < 1e-3, 'a distance');
  const first = distance();
  await stage.page.locator('.inputs input[type=range]').fill('-0.5');
  await stage.setPlaying(true);
  await until(() => Math.abs(distance() - first) > 0.1, 'the cart to drive', 40);
  await stage.setPlaying(false);
  await until(async () => Math.abs((await shown()) - distance()) < 1e-3, 'the distance now');
  await stage.press('Escape', 'Escape');
});

test('the page had no errors of its own', { skip }, () => {
  assert.deepEqual(stage.errors, []);
});
