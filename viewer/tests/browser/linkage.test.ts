import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser, until } from '../support/browser';
import { lipkin, whyNoProgram } from '../support/program';
import { Stage } from '../support/stage';

// The linkage that opens by itself: time, branches, and an experiment made by hand that a script repeats bit for bit.

const skip = whyNoProgram;
const folder = mkdtempSync(path.join(tmpdir(), 'lipkin-viewer-'));
let browser: Browser;

before(async () => {
  if (!skip) browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

interface Overlaid {
  branch: number;
  t: number[];
  values: number[];
}

interface PlotHook {
  lipkin: { overlaid(name: string): Overlaid[] };
}

function file(name: string, lines: object[]): string {
  const to = path.join(folder, name);
  writeFileSync(to, lines.map((line) => JSON.stringify(line) + '\n').join(''));
  return to;
}

test('it moves by itself, the point D draws its line, and keys pause and step', { skip }, async (t) => {
  const stage = await Stage.open(browser, [], { t });
  const begin = (await stage.program.status()).t;
  await until(async () => (await stage.program.status()).t > begin + 0.2, 'motion');
  await stage.page.waitForSelector('[data-kind=point][data-name=D] small:has-text("traced")');
  await stage.setPlaying(false);
  const { step, hash } = await stage.program.status();
  await stage.press('.');
  await until(async () => (await stage.program.status()).step === step + 1, 'one step');
  await stage.settled();
  await stage.press(',');
  await until(async () => (await stage.program.status()).step === step, 'one step back');
  assert.equal(await stage.hash(), hash);
  await stage.settled();
  const angle = stage.truth.value('crank_angle');
  await stage.pull(await stage.placeOf('body', 'OA'), 0, 25);
  await until(() => Math.abs(stage.truth.value('crank_angle') - angle) > 0.02, 'another pose');
  // Posed through its loops: D stays on its line. Loops are closed to 1e-9 m, D is a few bars away.
  await until(() => Math.abs(stage.truth.value('D_x') - 0.525) < 1e-8, 'D on its line');
  assert.deepEqual(stage.errors, []);
});

test('a motion put on the driven crank is refused with what drives it, and the linkage goes on', { skip }, async (t) => {
  const stage = await Stage.open(browser, ['--paused'], { t });
  const hash = await stage.hash();
  await stage.pick('joint', 'crank');
  await stage.page.click('button[aria-label="Prescribe a motion"]');
  await stage.page.waitForSelector(".notice:has-text(\"'drive'\")");
  assert.equal(await stage.hash(), hash);
  assert.equal(stage.truth.icons.length, 0);
  await stage.setPlaying(true);
  const begin = (await stage.program.status()).t;
  await until(async () => (await stage.program.status()).t > begin + 0.5, 'motion');
  assert.ok(Math.abs(stage.truth.value('D_x') - 0.525) < 1e-8, 'D on its line');
  assert.deepEqual(stage.errors, []);
});

// The last two seconds are run with the torque; the car has stopped by then, and starts again.
for (const { scene, body, dt } of [{ scene: 'peaucellier', body: 'OA', dt: 0.01 }, { scene: 'minibaja', body: 'rear_left_wheel', dt: 0.002 }]) {
  test(`a torque pulled out of ${body} at 10 s leads to the same state as its line in a script for lipkin run ${scene}`, { skip }, async (t) => {
    const [begin, end] = [Math.round(10 / dt), Math.round(12 / dt)];
    const stops = file('stops', [{ cmd: 'speed', args: { factor: 10 } }, { cmd: 'pause', step: begin }, { cmd: 'pause', step: end }]);
    const stage = await Stage.open(browser, [scene, '--commands', stops], { t });
    await stage.pausedAt(begin);
    await stage.settled();
    await stage.press('t');
    await stage.pull(await stage.placeOf('body', body), 50, 0);
    await until(() => stage.truth.icons.length === 1, 'a torque');
    await stage.goOn();
    await stage.pausedAt(end);
    const made = await stage.program.status();
    const { line } = stage.truth.edits.find((e) => e.line.cmd === 'apply_torque')!;
    assert.equal(made.t, 12);
    assert.equal(made.hash, stateHash(scene, file('script', [{ cmd: 'apply_torque', args: line.args, at: 10 }])));
    assert.notEqual(made.hash, stateHash(scene, file('nothing', [])), 'the torque does something');
  });
}

function stateHash(scene: string, script: string): string {
  const report = execFileSync(lipkin, ['run', scene, '--duration', '12', '--commands', script, '--json'], { cwd: folder, encoding: 'utf8' });
  return (JSON.parse(report) as { state_hash: string }).state_hash;
}

test('rewind, edit, branch; going back to the first branch finds its state, and the recording repeats both bit for bit', { skip }, async (context) => {
  const recording = path.join(folder, 'branches.mcap');
  const stage = await Stage.open(browser, ['peaucellier', '--record', recording], { t: context });
  await until(async () => (await stage.program.status()).t > 2, 'two seconds');
  await stage.setPlaying(false);
  const first = await stage.program.status();

  await stage.page.focus('[role=slider]');
  await stage.page.keyboard.press('PageDown');
  await until(async () => (await stage.program.status()).t < first.t - 0.9, 'a second back');
  await stage.pick('body', 'OA');
  await stage.type('mass', '5');
  await until(() => stage.truth.timeline!.branches.length === 2, 'a branch');
  await stage.setPlaying(true);
  await until(async () => (await stage.program.status()).t > first.t, 'as far as before');
  await stage.setPlaying(false);

  await stage.page.click('.branch-menu summary');
  await stage.page.click('.branch-row:has-text("branch 0") button, .branch-row >> nth=0 >> button');
  await until(async () => (await stage.program.status()).step === first.step, 'the end of the first branch');
  assert.equal(await stage.hash(), first.hash);

  await stage.page.click('.branch-row >> nth=1 >> input[type=checkbox]');
  const overlaid = () => stage.page.evaluate(() => (window as unknown as PlotHook).lipkin.overlaid('D_y'));
  await until(async () => (await overlaid()).length === 1, 'the other branch over the plots');
  const [{ branch, t, values }] = (await overlaid()) as [Overlaid];
  assert.equal(branch, 1);
  const history = (await stage.truth.ask('history', { names: ['D_y'], branch: 1, rows: 4000 })).result as { t: number[]; values: { D_y: number[] } };
  assert.deepEqual([t, values], [history.t, history.values.D_y]);
  assert.ok(t[t.length - 1]! > first.t - 0.1, 'as far as it went');
  await stage.close();

  execFileSync(lipkin, ['replay', recording], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] }); // throws where bits differ
});
