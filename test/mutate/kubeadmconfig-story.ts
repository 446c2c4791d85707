// What the KubeadmConfig table must say, event by event: the oracle of its mutation test.
//
// The story is written out, not computed (test/golden/kubeadmconfig/table-story.json): a change of the table is a change of it. A line names row, event
// and facts; then the state afterwards (null: it stays), what is asked for, after how many milliseconds it is looked at again, and what the conditions
// say (v1beta2 | v1beta1), by name.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Facts } from '../../machines/kubeadmconfig/facts.js';
import { controlPlane, joined, pool, worker } from '../unit/kubeadmconfig/facts.js';

/** One line of the oracle. */
export interface Line {
  readonly row: string;
  readonly event: string;
  readonly facts: Facts;
  readonly target: string | null;
  readonly request: string | null;
  readonly afterMs: number | null;
  readonly says: readonly string[];
}

type Written = readonly [
  string,
  string,
  keyof typeof bases,
  Partial<Facts>,
  string | null,
  string | null,
  number | null,
  string,
];

const bases = { worker, controlPlane, joined, pool };
const path = join(dirname(fileURLToPath(import.meta.url)), '../golden/kubeadmconfig/table-story.json');
const written = JSON.parse(readFileSync(path, 'utf8')) as {
  readonly says: Readonly<Record<string, readonly string[]>>;
  readonly story: readonly Written[];
};

/** The oracle. */
export const story: readonly Line[] = written.story.map(([row, event, base, more, target, request, afterMs, says]) => ({
  row,
  event,
  facts: Object.freeze(bases[base](more)),
  target,
  request,
  afterMs,
  says: written.says[says] ?? ['unknown'],
}));
