import * as THREE from 'three';
import type { Joint, Model, Shape } from '../protocol/messages';
import { shapeMesh } from './geometry';
import { worldShapes } from './walls';

// All shapes of all bodies, one instanced mesh per geometry: a thousand bodies are a handful of draw calls.

export const kWorld = -1;
// Round shapes get fewer triangles where there are many of them.
const kManyShapes = 300;
const kCrowd = 3000;
const ringsFor = (shapes: number) => (shapes > kCrowd ? 12 : shapes > kManyShapes ? 16 : 32);

interface Instance {
  body: number;
  local: THREE.Matrix4; // shape in the body, with its scale
}

interface Group {
  mesh: THREE.InstancedMesh;
  instances: Instance[];
  endless: boolean; // a plane
}

export interface Picked {
  body: number;
  point: THREE.Vector3; // world
  normal: THREE.Vector3;
}

export function poseMatrix(poses: Float32Array, body: number, out: THREE.Matrix4): THREE.Matrix4 {
  if (body === kWorld) return out.identity();
  const i = 7 * body;
  scratchPosition.set(poses[i]!, poses[i + 1]!, poses[i + 2]!);
  scratchRotation.set(poses[i + 4]!, poses[i + 5]!, poses[i + 6]!, poses[i + 3]!);
  return out.compose(scratchPosition, scratchRotation, kUnit);
}

const kUnit = new THREE.Vector3(1, 1, 1);
const scratchPosition = new THREE.Vector3();
const scratchRotation = new THREE.Quaternion();
const scratchBody = new THREE.Matrix4();
const scratchInstance = new THREE.Matrix4();

export class Bodies {
  readonly root = new THREE.Group();
  private groups: Group[] = [];
  private matrices: THREE.Matrix4[] = [];

  // `ground`: colour of floors that have none of their own.
  build(model: Model, plain: boolean, ground: number, poses: Float32Array): void {
    this.clear();
    const rings = ringsFor(model.bodies.reduce((n, body) => n + body.shapes.length, 0));
    const sets = new Map<string, { shape: Shape; instances: Instance[]; colors: THREE.Color[] }>();
    const add = (body: number, shape: Shape) => {
      const mesh = shapeMesh(shape, rings);
      const alpha = shape.color[3] ?? 1;
      const key = `${mesh.key}|${alpha}|${body === kWorld}`;
      let set = sets.get(key);
      if (!set) sets.set(key, (set = { shape, instances: [], colors: [] }));
      const scale = mesh.infinite ? planeScale(model) : mesh.scale;
      set.instances.push({ body, local: localMatrix(shape, scale) });
      set.colors.push(mesh.infinite && isDefault(shape.color) ? new THREE.Color(ground) : colorOf(shape));
    };
    const held = jointsByBody(model);
    model.bodies.forEach((_, b) => shapesOf(model, b, held[b]!).forEach((shape) => add(b, shape)));
    worldShapes(model, poses).forEach((shape) => add(kWorld, shape));
    for (const { shape, instances, colors } of sets.values()) this.addGroup(shape, instances, colors, rings, plain);
    this.matrices = model.bodies.map(() => new THREE.Matrix4());
  }

  update(poses: Float32Array): void {
    for (let b = 0; b < this.matrices.length; ++b) poseMatrix(poses, b, this.matrices[b]!);
    for (const { mesh, instances } of this.groups) {
      for (let i = 0; i < instances.length; ++i) {
        const { body, local } = instances[i]!;
        mesh.setMatrixAt(i, body === kWorld ? local : scratchInstance.multiplyMatrices(this.matrices[body]!, local));
      }
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null; // for picking
    }
  }

  matrix(body: number): THREE.Matrix4 {
    return body === kWorld ? scratchBody.identity() : (this.matrices[body] ?? scratchBody.identity());
  }

  pick(raycaster: THREE.Raycaster): Picked | null {
    let best: Picked | null = null;
    let distance = Infinity;
    for (const { mesh, instances } of this.groups) {
      for (const hit of raycaster.intersectObject(mesh, false)) {
        if (hit.distance >= distance || hit.instanceId === undefined) continue;
        distance = hit.distance;
        best = { body: instances[hit.instanceId]!.body, point: hit.point, normal: hit.normal ?? new THREE.Vector3() };
      }
    }
    return best;
  }

  // Meshes that copy the shapes of one body, for its outline.
  copies(body: number, material: THREE.Material): THREE.Mesh[] {
    const copies: THREE.Mesh[] = [];
    for (const { mesh, instances } of this.groups)
      instances.forEach((instance) => {
        if (instance.body !== body) return;
        const copy = new THREE.Mesh(mesh.geometry, material);
        copy.matrixAutoUpdate = false;
        copy.matrix.multiplyMatrices(this.matrix(body), instance.local);
        copies.push(copy);
      });
    return copies;
  }

  // Around what moves; with `standing` also around what stands and has an end.
  bounds(standing = false): THREE.Box3 {
    const box = new THREE.Box3();
    for (const { mesh, instances, endless } of this.groups) {
      if (endless) continue;
      mesh.geometry.computeBoundingBox();
      instances.forEach((instance, i) => {
        if (instance.body === kWorld && !standing) return;
        mesh.getMatrixAt(i, scratchInstance);
        box.union(mesh.geometry.boundingBox!.clone().applyMatrix4(scratchInstance));
      });
    }
    return box;
  }

  private addGroup(shape: Shape, instances: Instance[], colors: THREE.Color[], rings: number, plain: boolean): void {
    const alpha = shape.color[3] ?? 1;
    const open = shape.kind === 'cup' || shape.kind === 'plane' || shape.kind === 'height_field';
    const see = shape.kind === 'cup' ? Math.min(alpha, 0.35) : alpha;
    const options = {
      transparent: see < 1, opacity: see, depthWrite: see >= 1, side: open ? THREE.DoubleSide : THREE.FrontSide,
    };
    const material = rings < 32 || plain
      ? new THREE.MeshLambertMaterial(options)
      : new THREE.MeshStandardMaterial({ ...options, roughness: 0.62, metalness: 0.12 });
    const mesh = new THREE.InstancedMesh(shapeMesh(shape, rings).make(), material, instances.length);
    mesh.frustumCulled = false;
    mesh.castShadow = see >= 1 && shape.kind !== 'plane';
    mesh.receiveShadow = true;
    colors.forEach((color, i) => mesh.setColorAt(i, color));
    this.groups.push({ mesh, instances, endless: shape.kind === 'plane' });
    this.root.add(mesh);
  }

  private clear(): void {
    for (const { mesh } of this.groups) {
      this.root.remove(mesh);
      mesh.geometry.dispose();
      (mesh.material as THREE.Material).dispose();
      mesh.dispose();
    }
    this.groups = [];
  }
}

const kDefaultColor = [0.6, 0.65, 0.7]; // the scene format's
const isDefault = (color: number[]) => kDefaultColor.every((x, k) => Math.abs(color[k]! - x) < 1e-6);

function colorOf({ color: [r, g, b] }: Shape): THREE.Color {
  return new THREE.Color().setRGB(r, g, b, THREE.SRGBColorSpace);
}

const kFar = 400; // size of a plane that has no end, times the extent

function planeScale(model: Model): THREE.Vector3 {
  const size = kFar * model.extent;
  return new THREE.Vector3(size, size, 1);
}

function localMatrix(shape: Shape, scale: THREE.Vector3): THREE.Matrix4 {
  const [w, x, y, z] = shape.pose.q;
  return new THREE.Matrix4().compose(new THREE.Vector3(...shape.pose.p), new THREE.Quaternion(x, y, z, w), scale);
}

function jointsByBody(model: Model): Joint[][] {
  const held: Joint[][] = model.bodies.map(() => []);
  for (const joint of model.joints) for (const b of [joint.parent, joint.child]) held[b]?.push(joint);
  return held;
}

// A body without shapes is drawn as a stick figure: a ball at its centre of mass and bars to its joints.
function shapesOf(model: Model, b: number, joints: Joint[]): Shape[] {
  const body = model.bodies[b]!;
  if (body.shapes.length > 0) return body.shapes;
  const radius = 0.02 * model.extent;
  const color: Shape['color'] = [0.6, 0.65, 0.7, 1];
  const com = new THREE.Vector3(...body.com);
  const stick: Shape[] = [
    { kind: 'sphere', radius, pose: { p: body.com, q: [1, 0, 0, 0] }, color, contact: '' },
  ];
  for (const joint of joints) {
    const at = joint.child === b ? joint.frame_in_child.p : joint.parent === b ? joint.frame.p : null;
    if (!at) continue;
    const along = new THREE.Vector3(...at).sub(com);
    const length = along.length();
    if (length < radius) continue;
    const q = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), along.clone().normalize());
    const middle = com.clone().addScaledVector(along, 0.5);
    stick.push({
      kind: 'cylinder', radius: 0.4 * radius, length, pose: { p: middle.toArray(), q: [q.w, q.x, q.y, q.z] }, color, contact: '',
    });
  }
  return stick;
}
