import { describe, test } from '@jest/globals';
import { machineTable } from '../../../machines/machine/table.js';
import { checkExample } from './example.js';
import { examples } from './examples.js';

describe('machine: rows', () => {
  test.each(
    examples.map(
      (example) =>
        [`${example.id === undefined ? '' : `${example.id} `}${example.row}: ${example.title}`, example] as const,
    ),
  )('%s', (_title, example) => checkExample(machineTable, example));
});
