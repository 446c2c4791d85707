// The Machine's table as examples: every row, and every pair of neighbours that could both decide.
import type { Example } from './example.js';
import { cleanupExamples } from './examples/cleanup.js';
import { deletionExamples } from './examples/deletion.js';
import { entryExamples } from './examples/entry.js';
import { failureExamples } from './examples/failures.js';
import { lifeExamples } from './examples/life.js';
import { replyExamples } from './examples/replies.js';

/** All of them, in the order of the table. */
export const examples: readonly Example[] = [
  ...entryExamples,
  ...lifeExamples,
  ...deletionExamples,
  ...cleanupExamples,
  ...replyExamples,
  ...failureExamples,
];
