import { describe, test } from '@jest/globals';
import { machineTable } from '../../../machines/machine/table.js';
import { checkExample, examples } from './examples.js';

describe('machine: rows', () => {
  test.each(
    examples.map(
      (example) =>
        [`${example.ids === undefined ? '' : `${example.ids} `}${example.row}: ${example.title}`, example] as const,
    ),
  )('%s', (_title, example) => checkExample(machineTable, example));
});
