// What all templates of one rendering may still do together.
import { RENDERED_BYTES_IN_ALL_MAX, STEPS_MAX } from './go-template-limits.js';

/** What is left. Templates take from it; nothing gives back. */
export interface TemplateBudget {
  steps: number;
  outputBytes: number;
}

/** The budget of one rendering. */
export function newTemplateBudget(): TemplateBudget {
  return { steps: STEPS_MAX, outputBytes: RENDERED_BYTES_IN_ALL_MAX };
}
