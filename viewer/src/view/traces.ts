import * as THREE from 'three';
import type { Model } from '../protocol/messages';
import { poseMatrix } from './bodies';

// Paths that points have drawn, in simulated time: after a rewind what lies ahead is taken away.

const kMostPoints = 4000;

interface Trace {
  name: string;
  body: number;
  p: THREE.Vector3;
  line: THREE.Line;
  times: number[];
  positions: Float32Array;
  count: number;
}

export class Traces {
  readonly root = new THREE.Group();
  private traces: Trace[] = [];

  // Keeps the paths of points that stay.
  set(model: Model, names: string[], colors: number[]): void {
    const old = new Map(this.traces.map((trace) => [trace.name, trace]));
    this.root.clear();
    this.traces = names.flatMap((name, i) => {
      const point = model.points.find((p) => p.name === name);
      if (!point) return [];
      const trace = old.get(name) ?? newTrace(name);
      trace.body = point.body;
      trace.p = new THREE.Vector3(...point.p);
      (trace.line.material as THREE.LineBasicMaterial).color.set(colors[i % colors.length]!);
      this.root.add(trace.line);
      return [trace];
    });
  }

  clear(): void {
    for (const trace of this.traces) trace.count = trace.times.length = 0;
  }

  append(t: number, poses: Float32Array): void {
    const at = new THREE.Vector3();
    const pose = new THREE.Matrix4();
    for (const trace of this.traces) {
      if (7 * trace.body >= poses.length) continue; // a frame of another model
      while (trace.count > 0 && trace.times[trace.count - 1]! >= t) trace.times.length = --trace.count;
      if (trace.count === kMostPoints) dropOldest(trace);
      at.copy(trace.p).applyMatrix4(poseMatrix(poses, trace.body, pose)).toArray(trace.positions, 3 * trace.count);
      trace.times[trace.count++] = t;
      trace.line.geometry.setDrawRange(0, trace.count);
      trace.line.geometry.attributes.position!.needsUpdate = true;
    }
  }
}

function newTrace(name: string): Trace {
  const positions = new Float32Array(3 * kMostPoints);
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(positions, 3).setUsage(THREE.DynamicDrawUsage));
  geometry.setDrawRange(0, 0);
  const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ depthTest: false, transparent: true }));
  line.frustumCulled = false;
  line.renderOrder = 4;
  return { name, body: -1, p: new THREE.Vector3(), line, times: [], positions, count: 0 };
}

function dropOldest(trace: Trace): void {
  const dropped = kMostPoints >> 2;
  trace.positions.copyWithin(0, 3 * dropped);
  trace.times.splice(0, dropped);
  trace.count -= dropped;
}

// Points that are worth a path by themselves: those the scene's outputs watch; the linkage's D first.
export function defaultTraces(model: Model): string[] {
  const watched = new Set<string>();
  for (const output of model.outputs)
    if (/^point\.[^.]+\.[xyz]$/.test(output.expr.trim())) watched.add(output.expr.trim().split('.')[1]!);
  return model.points.map((p) => p.name).filter((name) => watched.has(name)).slice(0, 3);
}
