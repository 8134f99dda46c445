import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { builtViewer } from '../support/browser';
import { lipkin, whyNoProgram } from '../support/program';

// Pictures and films for reports, of scenes and of recordings.

const skip = whyNoProgram;
const skipFilm = skip || (spawnSync('ffmpeg', ['-version']).error !== undefined && 'there is no ffmpeg: apt-get install ffmpeg');
const folder = mkdtempSync(path.join(tmpdir(), 'lipkin-pictures-'));
after(() => rmSync(folder, { recursive: true }));

const inFolder = (args: string[]) => execFileSync(lipkin, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
const view = (args: string[]) => inFolder([...args, '--headless', '--viewer-dir', builtViewer]);

test('a picture of a scene, and the same again', { skip }, () => {
  view(['view', 'peaucellier', '--screenshot', 'a.png', '--until', '0.5']);
  view(['view', 'peaucellier', '--screenshot', 'b.png', '--until', '0.5']);
  const png = readFileSync(path.join(folder, 'a.png'));
  assert.deepEqual([...png.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
  assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [1280, 720]);
  assert.ok(png.length > 10000, 'not one colour');
  assert.ok(png.equals(readFileSync(path.join(folder, 'b.png'))), 'the same scene gives the same picture');
});

test('a film of a recording', { skip: skipFilm }, () => {
  inFolder(['run', 'peaucellier', '--duration', '0.2', '--record', 'run.mcap']);
  view(['replay', 'run.mcap', '--video', 'film.mp4', '--until', '0.2']);
  assert.ok(existsSync(path.join(folder, 'film.mp4')));
  assert.ok(statSync(path.join(folder, 'film.mp4')).size > 1000);
});
