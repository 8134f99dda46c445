import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser, until, viewerSource } from '../support/browser';
import { whyNoProgram } from '../support/program';
import { Stage } from '../support/stage';

// A car driven with real keys, and with a gamepad that the page is made to see, judged by what the program says of it.

const skip = whyNoProgram;
const folder = mkdtempSync(path.join(tmpdir(), 'lipkin-car-'));
let browser: Browser;
let stage: Stage;

before(async () => {
  if (skip) return;
  browser = await openBrowser();
  // Parts of a scene lie below its folder.
  cpSync(path.join(viewerSource, '../scenes/parts'), path.join(folder, 'parts'), { recursive: true });
  cpSync(path.join(viewerSource, 'tests/scenes/car.yaml'), path.join(folder, 'car.yaml'));
  stage = await Stage.open(browser, [path.join(folder, 'car.yaml')]);
});

after(async () => {
  await stage?.close();
  await browser?.close();
  rmSync(folder, { recursive: true });
});

interface PadHook {
  pad: { connected: boolean; axes: number[]; buttons: { value: number }[] } | null;
}

const value = (name: string) => stage.truth.value(name);
const input = (name: string) => value(`input.${name}`);
const sentTo = (name: string) =>
  stage.truth.edits.filter((e) => e.line.cmd === 'set' && e.line.args?.path === `input.${name}`).map((e) => Number(e.line.args!.value));

// How far the left front wheel is turned to the left against the chassis [rad].
function steered(): number {
  const yaw = (body: string) => {
    const [w, x, y, z] = stage.truth.orientation(body);
    return Math.atan2(2 * (w! * z! + x! * y!), 1 - 2 * (y! * y! + z! * z!));
  };
  return yaw('front_left_upright') - yaw('chassis');
}

async function standing(): Promise<void> {
  await until(() => Math.abs(value('speed')) < 0.05, 'the car to stand', 40);
}

test('arrow keys: throttle comes in a ramp and the car goes forward', { skip }, async () => {
  await until(() => stage.truth.watched('input.throttle'), 'the inputs to be watched');
  await standing();
  const [x0] = stage.truth.place('chassis');
  await stage.page.focus('#picture');
  await stage.page.keyboard.down('ArrowUp');
  await until(() => input('throttle') === 1 && value('speed') > 2, 'some speed');
  const ramp = sentTo('throttle');
  assert.ok(ramp.length > 1 && ramp[0]! < 0.9, `throttle came as ${ramp}`);
  assert.deepEqual(ramp, [...ramp].sort((a, b) => a - b));
  await until(() => stage.truth.place('chassis')[0]! > x0! + 0.5, 'the car to be farther ahead');
});

test('A steers the front wheels to the left, and the car turns', { skip }, async () => {
  const straight = steered();
  assert.ok(Math.abs(straight) < 0.02, `they point ahead: ${straight}`);
  await stage.page.keyboard.down('a');
  await until(() => input('steer') === 1 && value('steer') > 0.95, 'full lock');
  await until(() => steered() > 0.15 && value('yaw_rate') > 0.1, 'a bend to the left');
  await stage.page.keyboard.up('a');
  await stage.page.keyboard.up('ArrowUp');
  await until(() => input('steer') === 0 && input('throttle') === 0, 'hands off');
  await until(() => Math.abs(steered()) < 0.05, 'wheels ahead again');
});

test('S brakes, and goes into reverse at rest', { skip }, async () => {
  await stage.page.keyboard.down('w');
  await until(() => value('speed') > 2, 'some speed');
  await stage.page.keyboard.up('w');
  await stage.page.keyboard.down('s');
  await until(() => sentTo('brake').some((brake) => brake > 0.5), 'the brake');
  await until(() => input('throttle') === -0.5 && input('brake') === 0, 'reverse', 40);
  const display = stage.page.locator('.inputs');
  await until(async () => Number.parseFloat((await display.locator('b').textContent())!) < -0.5, 'rolling backwards');
  await until(async () => (await display.locator('.input-bar:has-text("throttle") output').textContent()) === '-0.50', 'the throttle shown');
  await stage.page.keyboard.up('s');
  await until(() => input('throttle') === 0, 'nothing');
});

test('other keys do what they always do, and C gives the arrows back to the picture', { skip }, async () => {
  const count = stage.truth.edits.length;
  await stage.press('t');
  await stage.page.waitForSelector('[aria-label=Torque][aria-pressed=true]');
  await stage.press('Escape', 'c');
  // The picture goes along with the chassis: what moves against it has been turned.
  // Of two arms at an angle, one at least is seen to turn.
  const arms = async () => {
    const chassis = await stage.placeOf('body', 'chassis');
    return Promise.all(['front_left_wheel', 'front_right_wheel'].map(async (wheel) => (await stage.placeOf('body', wheel)).x - chassis.x));
  };
  const before = await arms();
  await stage.press('ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'd', 'a');
  await until(async () => (await arms()).some((arm, i) => Math.abs(arm - before[i]!) > 15), 'another view');
  // Hands off may be said twice.
  assert.ok(stage.truth.edits.slice(count).every((e) => e.line.args?.value === 0), 'nothing was set');
  await stage.press('c');
  await stage.page.waitForSelector('[aria-label="Arrow keys and W A S D drive"][aria-pressed=true]');
});

test('a gamepad: trigger and stick', { skip }, async () => {
  await stage.page.keyboard.down('w'); // stops it: it still rolls backwards
  await until(() => value('speed') > -0.6, 'slow');
  await stage.page.keyboard.up('w');
  await stage.page.evaluate(() => {
    const hook = window as unknown as PadHook;
    hook.pad = { connected: true, axes: [0.54, 0], buttons: Array.from({ length: 16 }, (_, i) => ({ value: i === 7 ? 0.75 : 0 })) };
    Object.defineProperty(navigator, 'getGamepads', { value: () => [hook.pad], configurable: true });
  });
  // Half of the way beyond the dead zone of 0.08, to the right.
  await until(() => input('throttle') === 0.75 && input('steer') === -0.5, 'what the pad says');
  await until(() => value('speed') > 1 && value('yaw_rate') < -0.1, 'a bend to the right');
  await until(() => steered() < -0.05, 'wheels to the right');
  await stage.page.waitForSelector('.inputs-head:has-text("Gamepad")');
  await stage.page.evaluate(() => void ((window as unknown as PadHook).pad = null));
  await until(() => input('throttle') === 0 && input('steer') === 0, 'hands off');
});

test('the picture goes along with the car', { skip }, async () => {
  const [x0, y0] = stage.truth.place('chassis');
  const box = (await stage.page.locator('#picture').boundingBox())!;
  await stage.page.keyboard.down('w');
  await until(() => Math.hypot(stage.truth.place('chassis')[0]! - x0!, stage.truth.place('chassis')[1]! - y0!) > 5, 'another place');
  // Within the middle half of the picture, while it goes.
  const place = await stage.placeOf('body', 'chassis');
  assert.ok(Math.abs(place.x - box.x - box.width / 2) < box.width / 4 && Math.abs(place.y - box.y - box.height / 2) < box.height / 4);
  await stage.page.keyboard.up('w');
  assert.deepEqual(stage.errors, []);
});
