// Forces of a feather and of a truck on one picture: length = l asinh(F / F0), linear for small ones, a logarithm for
// large ones, and invertible, so that the handle of an arrow sets the force.

export interface ArrowScale {
  force: number; // F0 [N]
  length: number; // l [m]
}

export function arrowScale(model: { extent: number; gravity: number[]; bodies: { mass: number }[] }): ArrowScale {
  const masses = model.bodies.map((b) => b.mass).filter((m) => m > 0).sort((a, b) => a - b);
  const median = masses.length > 0 ? masses[masses.length >> 1]! : 1;
  const g = Math.hypot(...model.gravity) || 9.81;
  return { force: Math.max(1e-9, median * g), length: 0.12 * model.extent };
}

export function lengthOf(scale: ArrowScale, magnitude: number): number {
  return scale.length * Math.asinh(Math.abs(magnitude) / scale.force);
}

export function magnitudeOf(scale: ArrowScale, length: number): number {
  return scale.force * Math.sinh(Math.min(20, length / scale.length));
}
