// The small figures: how fast the parts are by themselves, one after the other in one process.
import { actorFigures } from './actors.js';
import type { Figure } from './figure.js';
import { inspectorFigures } from './inspector.js';
import { keyFigures } from './keys.js';
import { reflectorFigures } from './reflector.js';
import { renderFigures } from './render.js';
import { requestFigures } from './requests.js';

const parts: readonly (readonly [string, () => Promise<readonly Figure[]>])[] = [
  ['actors', actorFigures],
  ['inspector', inspectorFigures],
  ['bootstrap data', renderFigures],
  ['watching', reflectorFigures],
  ['requests', requestFigures],
  ['keys', keyFigures],
];

/** Measures everything. */
export async function runMicro(note: (text: string) => void): Promise<readonly Figure[]> {
  const found: Figure[] = [];
  for (const [name, measure] of parts) {
    note(name);
    found.push(...(await measure()));
  }
  return found;
}
