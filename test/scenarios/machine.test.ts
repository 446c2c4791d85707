import { describe, expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { recorded, withoutSnapshot } from './machine-differences.js';
import { playMachine } from './machine-player.js';
import type { Scenario } from './player.js';

const folder = join(dirname(fileURLToPath(import.meta.url)), 'recorded');
const scenarios = readdirSync(folder)
  .filter((file) => file.startsWith('machine-'))
  .toSorted()
  .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Scenario);

describe('recorded scenarios of the Go Machine controller', () => {
  test.each(scenarios.map((scenario) => [scenario.id, scenario] as const))(
    '%s: played -> the recorded objects',
    async (_id, scenario) => {
      const seen = await playMachine(scenario);
      expect(seen.length).toBeGreaterThan(0);
      for (const { name, expected, actual } of seen) {
        expect({ at: name, state: withoutSnapshot(actual) }).toEqual({ at: name, state: recorded(expected) });
      }
    },
    60_000,
  );
});
