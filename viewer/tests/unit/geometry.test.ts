import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as THREE from 'three';
import type { Shape, ShapeGeometry } from '../../src/protocol/messages';
import { shapeMesh } from '../../src/view/geometry';

const common = { pose: { p: [0, 0, 0], q: [1, 0, 0, 0] }, color: [1, 1, 1, 1], contact: '' } as const;
const box = (shape: ShapeGeometry): THREE.Box3 => {
  const mesh = shapeMesh({ ...common, ...shape } as unknown as Shape, 32);
  const geometry = mesh.make().scale(mesh.scale.x, mesh.scale.y, mesh.scale.z);
  geometry.computeBoundingBox();
  return geometry.boundingBox!;
};

// Extents along x, y, z as the scene format defines each kind.
const expected: [ShapeGeometry, [number, number, number], [number, number, number]][] = [
  [{ kind: 'sphere', radius: 2 }, [-2, -2, -2], [2, 2, 2]],
  [{ kind: 'box', size: [1, 2, 4] }, [-0.5, -1, -2], [0.5, 1, 2]],
  [{ kind: 'cylinder', radius: 1, length: 6 }, [-1, -1, -3], [1, 1, 3]],
  [{ kind: 'capsule', radius: 1, length: 6 }, [-1, -1, -4], [1, 1, 4]],
  [{ kind: 'frustum', bottom_radius: 2, top_radius: 1, height: 3 }, [-2, -2, 0], [2, 2, 3]],
  [{ kind: 'cup', bottom_radius: 1, top_radius: 2, height: 3 }, [-2, -2, 0], [2, 2, 3]],
  [{ kind: 'plane' }, [-0.5, -0.5, 0], [0.5, 0.5, 0]],
  [{ kind: 'hull', vertices: [0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3], triangles: [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3] }, [0, 0, 0], [1, 2, 3]],
  [{ kind: 'mesh', vertices: [0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3], triangles: [0, 1, 3] }, [0, 0, 0], [1, 0, 3]],
  [{ kind: 'height_field', columns: 3, rows: 2, size: [4, 2], heights: [0, 1, 0, 0, 5, 0] }, [-2, -1, 0], [2, 1, 5]],
];

for (const [shape, min, max] of expected)
  test(`a ${shape.kind} has its size`, () => {
    const found = box(shape);
    // Triangles of a round shape touch its radius on the axes up to rounding.
    assert.ok(found.min.distanceTo(new THREE.Vector3(...min)) < 1e-5, `${found.min.toArray()}`);
    assert.ok(found.max.distanceTo(new THREE.Vector3(...max)) < 1e-5, `${found.max.toArray()}`);
  });

test('row by row, a height field is higher where its numbers are', () => {
  const mesh = shapeMesh({ ...common, kind: 'height_field', columns: 2, rows: 2, size: [2, 2], heights: [0, 0, 0, 7] } as unknown as Shape, 32);
  const position = mesh.make().attributes.position as THREE.BufferAttribute;
  for (let i = 0; i < position.count; ++i)
    assert.equal(position.getZ(i), position.getX(i) > 0 && position.getY(i) > 0 ? 7 : 0); // the last is at the highest x and y
});

test('triangles look outwards', () => {
  const mesh = shapeMesh({ ...common, kind: 'frustum', bottom_radius: 2, top_radius: 1, height: 3 } as unknown as Shape, 32).make().toNonIndexed();
  const [a, b, c, centre] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3(0, 0, 1.5)];
  const position = mesh.attributes.position as THREE.BufferAttribute;
  for (let i = 0; i < position.count; i += 3) {
    a.fromBufferAttribute(position, i), b.fromBufferAttribute(position, i + 1), c.fromBufferAttribute(position, i + 2);
    const normal = new THREE.Triangle(a, b, c).getNormal(new THREE.Vector3());
    if (normal.lengthSq() > 0) assert.ok(normal.dot(a.clone().sub(centre)) > 0);
  }
});
