import * as THREE from 'three';
import type { Shape } from '../protocol/messages';

// Triangles for the ten kinds of shapes. Round ones of any size share one geometry and are scaled.

export interface ShapeMesh {
  key: string; // shapes with the same key share the geometry
  make: () => THREE.BufferGeometry;
  scale: THREE.Vector3;
  infinite: boolean; // drawn as large as the scene
}

const kOne = new THREE.Vector3(1, 1, 1);

// `rings`: edges around a round shape, a multiple of four.
export function shapeMesh(shape: Shape, rings: number): ShapeMesh {
  const finite = (key: string, make: () => THREE.BufferGeometry, scale = kOne): ShapeMesh => ({
    key: `${key}:${rings}`, make, scale, infinite: false,
  });
  switch (shape.kind) {
    case 'sphere':
      return finite('sphere', () => new THREE.SphereGeometry(1, rings, rings / 2), kOne.clone().multiplyScalar(shape.radius));
    case 'box':
      return finite('box', () => new THREE.BoxGeometry(1, 1, 1), new THREE.Vector3(...shape.size));
    case 'cylinder':
      return finite('cylinder', () => new THREE.CylinderGeometry(1, 1, 1, rings).rotateX(Math.PI / 2),
        new THREE.Vector3(shape.radius, shape.radius, shape.length));
    case 'capsule':
      return finite(`capsule:${shape.radius}:${shape.length}`, () =>
        new THREE.CapsuleGeometry(shape.radius, shape.length, rings / 4, rings).rotateX(Math.PI / 2));
    case 'frustum':
      return finite(`frustum:${shape.bottom_radius}:${shape.top_radius}:${shape.height}`, () =>
        new THREE.CylinderGeometry(shape.top_radius, shape.bottom_radius, shape.height, 2 * rings)
          .rotateX(Math.PI / 2).translate(0, 0, shape.height / 2));
    case 'cup':
      return finite(`cup:${shape.bottom_radius}:${shape.top_radius}:${shape.height}`, () =>
        cupGeometry(shape.bottom_radius, shape.top_radius, shape.height, 2 * rings));
    case 'plane':
      return { key: 'plane', make: () => new THREE.PlaneGeometry(1, 1), scale: kOne, infinite: true };
    case 'hull':
    case 'mesh':
      return finite(meshKey(shape), () => triangleGeometry(shape.vertices, shape.triangles));
    case 'height_field':
      return finite(meshKey({ kind: shape.kind, vertices: shape.heights, triangles: [shape.columns, ...shape.size] }), () =>
        heightFieldGeometry(shape.columns, shape.rows, shape.size, shape.heights));
  }
}

// Equal meshes are one geometry; long lists are told apart by a number made of all their bits. Instances have one list.
const keys = new WeakMap<number[], string>();

function meshKey(shape: { kind: string; vertices: number[]; triangles: number[] }): string {
  let key = keys.get(shape.vertices);
  if (key === undefined) keys.set(shape.vertices, (key = bitsOf(shape)));
  return key;
}

function bitsOf(shape: { kind: string; vertices: number[]; triangles: number[] }): string {
  const words = new Uint32Array(new Float64Array([...shape.vertices, ...shape.triangles]).buffer);
  let hash = 0x811c9dc5;
  for (const word of words) hash = Math.imul(hash ^ word, 0x01000193) ^ (hash >>> 15);
  return `${shape.kind}:${words.length}:${hash >>> 0}`;
}

// Floor and wall.
function cupGeometry(bottom: number, top: number, height: number, rings: number): THREE.BufferGeometry {
  const profile = [new THREE.Vector2(0, 0), new THREE.Vector2(bottom, 0), new THREE.Vector2(top, height)];
  return new THREE.LatheGeometry(profile, rings).rotateX(Math.PI / 2);
}

export function triangleGeometry(vertices: number[], triangles: number[]): THREE.BufferGeometry {
  const indexed = new THREE.BufferGeometry();
  indexed.setAttribute('position', new THREE.BufferAttribute(new Float32Array(vertices), 3));
  indexed.setIndex(triangles);
  const flat = indexed.toNonIndexed(); // edges of machined parts are sharp
  flat.computeVertexNormals();
  return flat;
}

export function heightFieldGeometry(columns: number, rows: number, size: [number, number], heights: number[]): THREE.BufferGeometry {
  const vertices: number[] = [];
  const triangles: number[] = [];
  for (let r = 0; r < rows; ++r)
    for (let c = 0; c < columns; ++c)
      vertices.push(size[0] * (c / (columns - 1) - 0.5), size[1] * (r / (rows - 1) - 0.5), heights[r * columns + c] ?? 0);
  for (let r = 0; r + 1 < rows; ++r)
    for (let c = 0; c + 1 < columns; ++c) {
      const i = r * columns + c;
      triangles.push(i, i + 1, i + columns + 1, i, i + columns + 1, i + columns);
    }
  return triangleGeometry(vertices, triangles);
}
