import type { NodeData, WriteResult } from './node-data.js';

/** Placeholder until src/bootstrap/ignition lands. */
export function writeIgnition(_node: NodeData): WriteResult {
  return { kind: 'invalid', field: 'spec.format', message: 'ignition is not available yet' };
}
