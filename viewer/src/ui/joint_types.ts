import type { Freedoms } from '../protocol/messages';

// Which six switches make which joint, as the protocol's `set_freedoms` takes them; null: none does.
export function typeOfFreedoms(freedoms: Freedoms): string | null {
  const turns = freedoms.slice(0, 3);
  const slides = freedoms.slice(3);
  const turning = turns.filter(Boolean).length;
  const sliding = slides.filter(Boolean).length;
  if (turning === 3 && sliding === 3) return 'free';
  if (turning === 0 && sliding === 0) return 'fixed';
  if (sliding === 0) return ['fixed', 'revolute', 'universal', 'ball'][turning]!;
  if (turning === 0) return sliding === 1 ? 'prismatic' : null;
  if (turning === 1 && sliding === 1) return turns.indexOf(true) === slides.indexOf(true) ? 'cylindrical' : null;
  if (turning === 1 && sliding === 2) return turns.indexOf(true) === slides.indexOf(false) ? 'planar' : null;
  return null;
}
