// The model of the toy table, for tests of the model kit and of the mutants.

import { createToyChart, toyFacts, toyTable } from '../unit/kit/toy.js';
import { anyModel } from './kit/model.js';

const both = [false, true];

/** The toy and its surroundings. */
export const toyModel = anyModel({
  table: toyTable,
  createChart: createToyChart,
  base: toyFacts(),
  axes: { ready: both, made: both, joined: both, checkDue: both },
  answers: {
    make: () => [{ type: 'MADE', learned: { made: true } }],
    check: () => [{ type: 'CHECKED', learned: { checkDue: false } }],
  },
  failures: [
    { request: 'make', kind: 'Api', message: 'no' },
    { request: 'check', kind: 'Api', message: 'no' },
  ],
});
