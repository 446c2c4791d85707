// Prints a flag table for `--help` and for docs/flags.md.

import { environmentName, type FlagSpec } from './flag-types.js';

const KIND_WORD: Readonly<Record<FlagSpec['kind'], string>> = {
  bool: '',
  string: ' string',
  int: ' int',
  float: ' float',
  duration: ' duration',
  list: ' list',
  regexps: ' list',
};

/** The help text of a command whose flags are a table. */
export function flagHelp(command: string, flags: readonly FlagSpec[]): string {
  const own = flags.filter((flag) => flag.own === true);
  const upstream = flags.filter((flag) => flag.own !== true);
  const width = Math.max(...flags.map((flag) => head(flag).length)) + 2;
  const block = (title: string, specs: readonly FlagSpec[]): string =>
    `${title}:\n${specs.map((spec) => `  ${head(spec).padEnd(width)}${tail(spec)}`).join('\n')}\n`;
  return [
    `Usage: kubeadm-bootstrap-operator ${command} [flags]\n`,
    block('Flags', own),
    block('Flags of the upstream manager, with the same meaning', upstream),
    `Every flag can be set by an environment variable too: --kube-api-qps is ${environmentName('kube-api-qps')}.\n`,
  ].join('\n');
}

function head(flag: FlagSpec): string {
  return `${flag.name.length === 1 ? '-' : '--'}${flag.name}${KIND_WORD[flag.kind]}`;
}

function tail(flag: FlagSpec): string {
  const note = flag.effect === 'none' ? ' (accepted, no effect here)' : '';
  const standard = flag.default === '' ? '' : ` (default ${flag.default})`;
  return `${flag.help}${choicesText(flag, (word) => word)}${standard}${note}`;
}

/** The words that a flag takes. */
function choicesText({ kind, choices }: FlagSpec, show: (word: string) => string): string {
  if (choices === undefined) return '';
  return ` ${kind === 'list' ? 'Any of' : 'One of'} ${choices.map(show).join(', ')}.`;
}

/** A text as a cell of a Markdown table. */
export function markdownCell(text: string): string {
  return text.replaceAll('|', '\\|');
}

/** The flag tables as Markdown: docs/flags.md. */
export function flagMarkdown(flags: readonly FlagSpec[]): string {
  const table = (specs: readonly FlagSpec[]): string =>
    [
      '| Flag | Default | Meaning |',
      '|---|---|---|',
      ...specs.map((spec) => {
        const note = spec.effect === 'none' ? ' Accepted, no effect here.' : '';
        const standard = spec.default === '' ? 'empty' : `\`${spec.default}\``;
        const name = `${spec.name.length === 1 ? '-' : '--'}${spec.name}`;
        const choices = choicesText(spec, (word) => `\`${word}\``);
        return `| \`${name}\` | ${markdownCell(standard)} | ${markdownCell(`${spec.help}${choices}${note}`)} |`;
      }),
    ].join('\n');
  return [
    '# Flags of `run`',
    '',
    'Made from the flag table of the program; `npm run generate` writes it, `npm run verify` checks it.',
    'Every flag can be set by an environment variable: `--kube-api-qps` is `' + environmentName('kube-api-qps') + '`.',
    'A flag wins over its variable, the variable over the default. An unknown flag is an error (exit code 2) that names the nearest one.',
    '',
    '## Own flags',
    '',
    table(flags.filter((flag) => flag.own === true)),
    '',
    '## Flags of the upstream manager',
    '',
    'Same names, defaults and meaning, so that a Deployment keeps its arguments when only the image changes.',
    '',
    table(flags.filter((flag) => flag.own !== true)),
    '',
  ].join('\n');
}
