import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

// The pictures of the guide, made by `npm run guide-images`.

const root = path.join(process.env.LIPKIN_VIEWER_SOURCE ?? process.cwd(), '..');
const guide = path.join(root, 'docs/guide');
const kMostBytes = 150_000;

const filesIn = (folder: string, ending: string) => readdirSync(path.join(root, folder)).filter((file) => file.endsWith(ending));
const pages = [path.join(root, 'README.md'), ...filesIn('docs/guide', '.md').map((file) => path.join(guide, file))];
const linked = pages.flatMap((page) =>
  [...readFileSync(page, 'utf8').matchAll(/\]\(([^)\s]+\.(?:jpg|png|svg))\)/g)].map((match) => ({ page, file: path.join(path.dirname(page), match[1]!) })),
);

test('every picture that a page links exists', () => {
  assert.ok(linked.length > 40, 'links are found');
  for (const { page, file } of linked) assert.ok(existsSync(file), `${path.relative(root, page)} links ${path.relative(root, file)}`);
});

test('every scene has its picture on the page of scenes', () => {
  for (const scene of filesIn('scenes', '.yaml').map((file) => path.basename(file, '.yaml'))) {
    const picture = path.join(guide, `images/scenes/${scene}.jpg`);
    assert.ok(linked.some(({ file }) => file === picture), `${scene}: npm run guide-images ${scene}`);
  }
});

test('pictures are small, and each is linked', () => {
  for (const folder of ['scenes', 'viewer'])
    for (const name of filesIn(`docs/guide/images/${folder}`, '.jpg')) {
      const file = path.join(guide, 'images', folder, name);
      assert.ok(statSync(file).size < kMostBytes, `${name} has ${statSync(file).size} bytes`);
      assert.ok(linked.some((link) => link.file === file), `${folder}/${name} is linked nowhere`);
    }
});
