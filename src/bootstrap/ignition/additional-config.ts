// `ignition.containerLinuxConfig.additionalConfig`: a user's Container Linux Config, from text to Ignition.
//
// Reading, checking the language, converting, checking the result: each step only runs when the one before found nothing
// fatal. In strict mode everything found is fatal. The messages are upstream's.
import { checkClc } from './clc-checks.js';
import { convertClc } from './clc-convert.js';
import { decodeClc } from './clc-decode.js';
import type { PathStep } from './check-finding.js';
import { checkIgnitionConfig } from './ignition-checks.js';
import type { IgnitionConfig } from './ignition-config.js';
import { isFatal, printReport, type Position, type ReportEntry } from './report.js';
import { CLC_CHARS_MAX, CLC_TOKENS_MAX } from '../render-limits.js';
import { readYaml, type YamlMapping, type YamlNode } from './yaml-tree.js';

/** A converted configuration with what is doubtful in it, or why there is none. */
export type AdditionalConfig =
  | { readonly kind: 'converted'; readonly config: IgnitionConfig; readonly warnings: readonly string[] }
  | { readonly kind: 'refused'; readonly message: string };

/** Converts a user's text (a Go string). */
export function convertAdditionalConfig(text: string, strict: boolean): AdditionalConfig {
  if (text.length > CLC_CHARS_MAX) {
    return refusedByParser(`error: it has ${text.length} characters, more than the limit of ${CLC_CHARS_MAX}`);
  }
  const tree = readYaml(text, CLC_TOKENS_MAX);
  if (tree.kind === 'failed') return refusedByParser(`error: ${tree.message}`);
  const decoded = decodeClc(tree.root);
  if (decoded.kind === 'failed') return refusedByParser(`error: ${decoded.message}`);
  const languageEntries = checkClc(decoded.value, tree.root);
  if (isFatal(languageEntries, strict)) return refusedByParser(printReport(languageEntries));

  const { config, errors, madeUnits } = convertClc(decoded.value);
  const locate = locator(tree.root, madeUnits);
  const conversionEntries: ReportEntry[] = errors.map(({ message, path }) => ({
    kind: 'error',
    message,
    position: path.length === 0 ? undefined : locate(path),
  }));
  const resultEntries: ReportEntry[] =
    conversionEntries.length > 0
      ? []
      : checkIgnitionConfig(config).map(({ kind, message, path }) => ({ kind, message, position: locate(path) }));
  const entries = [...conversionEntries, ...resultEntries];
  if (isFatal(entries, strict)) {
    return { kind: 'refused', message: `error converting to Ignition: ${printReport(entries)}` };
  }
  const warnings = [...languageEntries, ...entries].map((entry) => printReport([entry]));
  return { kind: 'converted', config, warnings };
}

function refusedByParser(report: string): AdditionalConfig {
  return { kind: 'refused', message: `error parsing Container Linux Config: ${report}` };
}

/** Finds where the value at a path (in the words of either language) was written: itself, or the nearest around it. */
function locator(root: YamlNode | null, madeUnits: number): (path: readonly PathStep[]) => Position | undefined {
  const child = memberFinder();
  return (path) => {
    let node: YamlNode | null = root;
    let found: YamlNode | null = root;
    const isUnit = path[0] === 'systemd' && path[1] === 'units';
    const isFile = path[0] === 'storage' && path[1] === 'files';
    for (const [depth, step] of path.entries()) {
      if (typeof step === 'number') node = child(node, isUnit && depth === 2 ? step - madeUnits : step);
      else if (isFile && depth === 4 && step !== 'verification') node = contentsMember(node, step, child);
      else node = child(node, step);
      if (node === null) break;
      found = node;
    }
    return found === null ? undefined : { line: found.line, column: found.column };
  };
}

/** In the result, a file's `source` is what the language calls `remote.url`. */
function contentsMember(contents: YamlNode | null, step: string, child: FindMember): YamlNode | null {
  const remote = child(contents, 'remote');
  return child(remote, step === 'source' ? 'url' : step) ?? remote ?? child(contents, step);
}

type FindMember = (node: YamlNode | null, step: PathStep) => YamlNode | null;

/** Finds items and members. The keys of a mapping are indexed once: findings may be as many as its members. */
function memberFinder(): FindMember {
  const indexes = new Map<YamlNode, ReadonlyMap<string, YamlNode>>();
  const indexOf = (mapping: YamlMapping): ReadonlyMap<string, YamlNode> => {
    const known = indexes.get(mapping);
    if (known !== undefined) return known;
    const index = new Map(
      mapping.entries.flatMap(({ key, value }) => (key.kind === 'scalar' ? [[camelCase(key.value), value]] : [])),
    );
    indexes.set(mapping, index);
    return index;
  };
  return (node, step) => {
    if (typeof step === 'number') return node?.kind === 'sequence' ? (node.items[step] ?? null) : null;
    return node?.kind === 'mapping' ? (indexOf(node).get(camelCase(step)) ?? null) : null;
  };
}

function camelCase(key: string): string {
  return key.replace(/_+([a-zA-Z]?)/g, (_all, letter: string) => letter.toUpperCase());
}
