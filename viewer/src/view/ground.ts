import * as THREE from 'three';
import type { Model } from '../protocol/messages';
import type { Palette } from './palette';

// A grid below the scene, at right angles to up, and a surface that only shows shadows.

const kCells = 60;
const kMajor = 5; // every fifth line is stronger

export class Ground {
  readonly root = new THREE.Group();
  private grid: THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial> | null = null;
  private cell = 1; // [m]
  private shadow = new THREE.Mesh(new THREE.PlaneGeometry(1, 1).rotateX(-Math.PI / 2), new THREE.ShadowMaterial({ opacity: 0.28 }));

  constructor() {
    this.shadow.receiveShadow = true;
    this.root.add(this.shadow);
  }

  build(model: Model, lowest: number, palette: Palette): void {
    if (this.grid) {
      this.root.remove(this.grid);
      this.grid.geometry.dispose();
      this.grid.material.dispose();
    }
    this.cell = niceLength(model.extent / 10);
    this.grid = gridLines(this.cell, palette);
    this.root.add(this.grid);
    const up = new THREE.Vector3(...model.up);
    this.root.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), up);
    this.root.position.copy(up).multiplyScalar(lowest);
    this.shadow.scale.setScalar(kCells * this.cell);
    // A scene with a ground of its own needs no second one.
    this.shadow.visible = !model.world.shapes.some((shape) => shape.kind === 'plane' || shape.kind === 'height_field');
    // Not in one plane with a floor: it would flicker.
    this.grid.position.y = 3e-3 * model.extent * (this.shadow.visible ? -1 : 1);
  }

  // Goes along with what is looked at, by whole cells, so that nobody sees it.
  moveTo(point: THREE.Vector3): void {
    if (!this.grid) return;
    const local = this.root.worldToLocal(point.clone());
    const jump = kMajor * this.cell;
    for (const k of ['x', 'z'] as const) this.grid.position[k] = this.shadow.position[k] = jump * Math.round(local[k] / jump);
  }

  show(grid: boolean): void {
    if (this.grid) this.grid.visible = grid;
  }
}

function gridLines(cell: number, palette: Palette): THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial> {
  const half = (kCells / 2) * cell;
  const points: number[] = [];
  const colors: number[] = [];
  const [major, minor] = [new THREE.Color(palette.gridMajor), new THREE.Color(palette.grid)];
  for (let i = -kCells / 2; i <= kCells / 2; ++i) {
    const color = i % kMajor === 0 ? major : minor;
    points.push(-half, 0, i * cell, half, 0, i * cell, i * cell, 0, -half, i * cell, 0, half);
    for (let k = 0; k < 4; ++k) colors.push(color.r, color.g, color.b);
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(points, 3));
  geometry.setAttribute('color', new THREE.Float32BufferAttribute(colors, 3));
  return new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ vertexColors: true, toneMapped: false }));
}

// 1, 2 or 5 times a power of ten.
export function niceLength(about: number): number {
  const power = Math.pow(10, Math.floor(Math.log10(about)));
  const digit = about / power;
  return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}
