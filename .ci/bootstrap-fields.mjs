// Writes or checks docs/bootstrap-fields.md: which field shapes which bootstrap data.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { load } from './visualize.mjs';

const path = 'docs/bootstrap-fields.md';

/** The generator's step; returns the problems. */
export async function bootstrapFields({ check }) {
  const { fieldTableMarkdown } = await load('src/bootstrap/field-table.ts', 'field-table');
  const text = fieldTableMarkdown();
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return [];
  if (check) return [`${path} is stale: run npm run generate`];
  writeFileSync(path, text);
  process.stdout.write(`wrote ${path}\n`);
  return [];
}
