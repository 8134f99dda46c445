import type * as THREE from 'three';
import type { Label } from './icon_glyphs';

// Small texts beside things of the picture, as elements that are used again.

export class Labels {
  private elements: HTMLElement[] = [];

  constructor(private layer: HTMLElement) {}

  update(labels: Label[], toScreen: (p: THREE.Vector3) => THREE.Vector3, width: number, height: number): void {
    while (this.elements.length < labels.length) {
      const element = document.createElement('div');
      this.layer.appendChild(element);
      this.elements.push(element);
    }
    this.elements.forEach((element, i) => {
      const label = labels[i];
      const at = label && toScreen(label.at);
      element.hidden = !at || at.z > 1 || at.x < 0 || at.y < 0 || at.x > width || at.y > height;
      if (!label || !at) return;
      element.className = `label ${label.tone}`;
      if (element.textContent !== label.text) element.textContent = label.text;
      element.style.transform = `translate(${Math.round(at.x + 10)}px, ${Math.round(at.y - 10)}px)`;
    });
  }
}
