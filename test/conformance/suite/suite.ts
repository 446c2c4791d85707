// The one conformance suite: the embedded API server and a real kube-apiserver pass the same tests.
//
// Dialogues are compared with what a real kube-apiserver 1.36 answered when they were recorded, so that a change of either side
// shows. The tests of watches state what a reflector relies on.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from '@jest/globals';

import { definitionTests } from './defining.js';
import { play, type Dialogue } from './dialogue.js';
import { applyDialogues } from './dialogues-apply.js';
import { kindDialogues } from './dialogues-kinds.js';
import { listDialogues } from './dialogues-lists.js';
import { objectDialogues } from './dialogues-objects.js';
import { schemaDialogues } from './dialogues-schema.js';
import type { Target } from './target.js';
import { watchTests } from './watching.js';

const recordings = join(dirname(fileURLToPath(import.meta.url)), '../../golden/conformance');

const dialogues: readonly Dialogue[] = [
  ...objectDialogues,
  ...schemaDialogues,
  ...applyDialogues,
  ...listDialogues,
  ...kindDialogues,
];

function fileOf(dialogue: Dialogue): string {
  const name = dialogue.title.replace(/[^a-zA-Z0-9]+/g, '-').toLowerCase();
  return join(recordings, `${name}.json`);
}

/** A server under test; `record` writes the answers instead of comparing them. */
export interface Subject {
  readonly target: () => Target;
  readonly record?: boolean;
}

/** Registers the whole suite for one server. */
export function conformance(name: string, subject: Subject): void {
  let count = 0;
  const namespace = async (): Promise<string> => {
    count += 1;
    const fresh = `conformance-${count}`;
    const body = JSON.stringify({ metadata: { name: fresh } });
    const { status, text } = await subject.target().send({ method: 'POST', path: '/api/v1/namespaces', body });
    if (status !== 201) throw new Error(`cannot create a namespace: ${text}`);
    return fresh;
  };

  describe(name, () => {
    for (const dialogue of dialogues) {
      test(`${dialogue.title} -> answers as a kube-apiserver does`, async () => {
        const shown = await play(subject.target(), dialogue, await namespace());
        const file = fileOf(dialogue);
        if (subject.record === true) {
          mkdirSync(recordings, { recursive: true });
          writeFileSync(file, `${JSON.stringify(shown, null, 1)}\n`);
        }
        expect(existsSync(file)).toBe(true);
        expect(ageless(shown)).toEqual(ageless(JSON.parse(readFileSync(file, 'utf8'))));
      });
    }
    watchTests({ target: subject.target, namespace });
    definitionTests({ target: subject.target, namespace });
  });
}

/** Ages in tables count real seconds since an object was made, and a busy machine takes some. */
function ageless(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replace(/"\ds"/g, '"0s"'));
}
