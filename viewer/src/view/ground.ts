import * as THREE from 'three';
import type { Model } from '../protocol/messages';
import type { Palette } from './palette';

// A grid below the scene, at right angles to up, and a surface that only shows shadows.

export class Ground {
  readonly root = new THREE.Group();
  private grid: THREE.GridHelper | null = null;
  private shadow = new THREE.Mesh(new THREE.PlaneGeometry(1, 1).rotateX(-Math.PI / 2), new THREE.ShadowMaterial({ opacity: 0.28 }));

  constructor() {
    this.shadow.receiveShadow = true;
    this.root.add(this.shadow);
  }

  build(model: Model, lowest: number, palette: Palette): void {
    if (this.grid) {
      this.root.remove(this.grid);
      this.grid.dispose();
    }
    const cell = niceLength(model.extent / 10);
    const cells = 40;
    this.grid = new THREE.GridHelper(cells * cell, cells, palette.gridMajor, palette.grid);
    this.root.add(this.grid);
    const up = new THREE.Vector3(...model.up);
    this.root.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), up);
    this.root.position.copy(up).multiplyScalar(lowest);
    this.shadow.scale.setScalar(cells * cell);
    // A scene with a ground of its own needs no second one.
    this.shadow.visible = !model.world.shapes.some((shape) => shape.kind === 'plane' || shape.kind === 'height_field');
    // Not in one plane with a floor: it would flicker.
    this.grid.position.y = 3e-3 * model.extent * (this.shadow.visible ? -1 : 1);
  }

  show(grid: boolean): void {
    if (this.grid) this.grid.visible = grid;
  }
}

// 1, 2 or 5 times a power of ten.
export function niceLength(about: number): number {
  const power = Math.pow(10, Math.floor(Math.log10(about)));
  const digit = about / power;
  return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}
