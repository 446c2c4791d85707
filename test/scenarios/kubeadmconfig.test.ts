import { describe, expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { byRulings, withoutOurs } from './differences.js';
import { play, type Scenario } from './player.js';

const folder = join(dirname(fileURLToPath(import.meta.url)), 'recorded');
const scenarios = readdirSync(folder)
  .filter((file) => /^(?:init|join|lock|token|life)-/.test(file))
  .toSorted()
  .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Scenario);

describe('recorded scenarios of the Go provider', () => {
  test.each(scenarios.map((scenario) => [scenario.id, scenario] as const))(
    '%s: played -> the recorded objects',
    async (id, scenario) => {
      const seen = await play(scenario);
      expect(seen.length).toBeGreaterThan(0);
      for (const { name, expected, actual } of seen) {
        expect({ at: name, state: withoutOurs(actual) }).toEqual({ at: name, state: byRulings(id, name, expected) });
      }
    },
    60_000,
  );
});
