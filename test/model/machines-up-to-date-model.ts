// The model of MachinesUpToDate: every combination of its facts.

import { createChart } from '../../machines/machines-up-to-date/chart.js';
import { table } from '../../machines/machines-up-to-date/table.js';
import { base } from '../unit/machines-up-to-date/examples.js';
import { anyModel } from './kit/model.js';

const both = [false, true];

/** The machine and its surroundings. */
export const machinesUpToDateModel = anyModel({
  table,
  createChart,
  base,
  axes: {
    isHandled: both,
    hasOwnerCluster: both,
    hasCluster: both,
    isPaused: both,
    machines: ['unlisted', 'adoptable', 'foreign', 'none', 'failed', 'False', 'Unknown', 'True'],
    message: ['', '* Machine m1: x'],
    nextOldEnoughInMs: [null, 3_001],
    reasons: ['table', 'upstream'],
  },
  answers: {} as never,
  failures: [],
});
