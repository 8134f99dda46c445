import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser, until } from '../support/browser';
import { whyNoProgram } from '../support/program';
import { Stage } from '../support/stage';

// A scene so large that its model comes in pieces.

const skip = whyNoProgram;
const kSpheres = 10000;
let browser: Browser;

before(async () => {
  if (!skip) browser = await openBrowser();
});

after(async () => {
  await browser?.close();
});

test('ten thousand spheres open, and one of them is looked at and made heavier', { skip }, async (t) => {
  const stage = await Stage.open(browser, ['spheres-in-cup', '--set', `layers=${kSpheres / 16}`, '--paused'], { t });
  await until(() => stage.truth.model?.bodies.length === kSpheres, 'the model');
  assert.equal(await stage.page.locator('[role=group][aria-label=Bodies] .tree-title small').textContent(), String(kSpheres));
  await stage.page.fill('#tree-search', 'sphere9876');
  await stage.pick('body', 'sphere9876');
  await stage.type('mass', '2');
  await until(() => stage.truth.model!.bodies[9875]!.mass === 2, 'two kilograms', 80);
  assert.equal(stage.truth.model!.bodies[9874]!.mass, 0.7);
  assert.deepEqual(stage.errors, []);
});
