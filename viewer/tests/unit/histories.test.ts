import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Channel, joined } from '../../src/state/histories';
import { csvOf } from '../../src/ui/plot_chart';

function channel(rows: [number, number][]): Channel {
  const made = new Channel();
  for (const [t, value] of rows) made.append(t, value);
  return made;
}

test('time that goes back cuts off what lies ahead', () => {
  const c = channel([[0, 1], [1, 2], [2, 3], [1.5, 9]]);
  assert.deepEqual([c.t, c.values], [[0, 1, 1.5], [1, 2, 9]]);
  c.append(1.5, 8);
  assert.deepEqual(c.values, [1, 2, 8]);
});

test('the value at a time is that of the row at or before it', () => {
  const c = channel([[0, 1], [1, 2]]);
  assert.deepEqual([c.at(-1), c.at(0), c.at(0.99), c.at(1), c.at(5)], [null, 1, 1, 2, 2]);
});

test('channels with other times are joined row by row', () => {
  const [a, b] = [channel([[0, 1], [1, 2], [2, 3]]), channel([[1, 20], [3, 40]])];
  assert.deepEqual(joined([a, b]), [[0, 1, 2, 3], [1, 2, 3, undefined], [undefined, 20, undefined, 40]]);
  assert.deepEqual(joined([a, a], 1), [[1, 2], [2, 3], [2, 3]]);
});

test('a long run keeps its newest rows and thins the older ones', () => {
  const c = new Channel();
  for (let i = 0; i < 100000; ++i) c.append(i, i);
  assert.ok(c.t.length <= 40000);
  assert.deepEqual(c.t.slice(-3), [99997, 99998, 99999]);
  assert.ok(c.t.every((t, i) => i === 0 || t > c.t[i - 1]!));
});

test('CSV has time first, units in the head, and leaves out what is not there', () => {
  const text = csvOf(['x', 'max(a, b)'], ['m', ''], [[0, 0.5], [1, null], [undefined, 2]]);
  assert.equal(text, 't [s],x [m],"max(a, b)"\n0,1,\n0.5,,2\n');
});
