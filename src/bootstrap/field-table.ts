// docs/bootstrap-fields.md: the table of fields and their readers, as Markdown. Made by `npm run generate`.
import { ruleFor, specFields, type FieldRule } from './field-reads.js';

const columns = [
  ['init', 'cloud-config', 'init, cloud-config'],
  ['controlPlaneJoin', 'cloud-config', 'CP join, cloud-config'],
  ['workerJoin', 'cloud-config', 'worker, cloud-config'],
  ['init', 'ignition', 'init, Ignition'],
  ['controlPlaneJoin', 'ignition', 'CP join, Ignition'],
  ['workerJoin', 'ignition', 'worker, Ignition'],
] as const;

const head = `# Which field shapes which bootstrap data

Made by \`npm run generate\` from \`src/bootstrap/field-reads.ts\`; a test changes every field and compares.

- \`yes\`: a change of the field changes the data, or is refused with the field's name.
- \`1.31+\`: only with kubeadm API v1beta4, so from Kubernetes 1.31 on.
- empty: ignored there; the last column says why. Nothing is refused for it.

Fields are those of \`spec\` in API version v1beta2. A part \`[]\` is any item of a list, \`*\` any key of a map.
`;

/** The document. */
export function fieldTableMarkdown(): string {
  const titles = ['Field', ...columns.map(([, , title]) => title), 'Why not elsewhere'];
  const rows = specFields().map((field) => {
    const rule = ruleFor(field);
    return [`\`${field}\``, ...columns.map(([mode, format]) => cell(rule, mode, format)), rule.elsewhere ?? ''];
  });
  const widths = titles.map((_, column) => Math.max(...[titles, ...rows].map((cells) => cells[column]?.length ?? 0)));
  const rule = widths.map((width) => '-'.repeat(width));
  const lines = [titles, rule, ...rows].map(
    (cells) => `| ${cells.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  return `${head}\n${lines.join('\n')}\n`;
}

function cell(
  { modes, formats, apis }: FieldRule,
  mode: (typeof columns)[number][0],
  format: (typeof columns)[number][1],
): string {
  const isRead = (modes?.includes(mode) ?? true) && (formats?.includes(format) ?? true);
  if (!isRead) return '';
  return apis === undefined ? 'yes' : '1.31+';
}
