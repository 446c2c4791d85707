// Which share of a process's busy time was the inspector's, from V8's samples of its stacks: a figure that other processes on the
// machine do not disturb.
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { resolve } from 'node:path';

interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly url: string;
    readonly lineNumber: number;
    readonly columnNumber: number;
  };
  readonly children?: readonly number[];
}

interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Sampled time of a process in its program and its collector, milliseconds: what the kernel and other processes took is not in it. */
export interface ProfileShare {
  readonly busyMs: number;
  /** Of that, on stacks with a frame of the inspector, of XState's inspection, or of Node's HTTP server that asks it. */
  readonly inspectorMs: number;
}

/**
 * Reads a `.cpuprofile` of the bundle. Samples of the first `skipMs` (of the start) are left out. A stack is the inspector's when
 * any of its frames is.
 */
export function inspectorShare(file: string, bundle: string, skipMs: number): ProfileShare {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8')) as CpuProfile;
  const isInspectors = frameTest(bundle);
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id] as const)));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const known = new Map<number, boolean>();
  const isOn = (id: number): boolean => {
    const before = known.get(id);
    if (before !== undefined) return before;
    const node = byId.get(id);
    const parent = parents.get(id);
    const is = node !== undefined && (isInspectors(node) || (parent !== undefined && isOn(parent)));
    known.set(id, is);
    return is;
  };
  let [atUs, busyUs, inspectorUs] = [0, 0, 0];
  samples.forEach((id, index) => {
    const us = timeDeltas[index] ?? 0;
    atUs += us;
    if (atUs < skipMs * 1000 || OUTSIDE.has(byId.get(id)?.callFrame.functionName ?? '')) return;
    busyUs += us;
    if (isOn(id)) inspectorUs += us;
  });
  return { busyMs: busyUs / 1000, inspectorMs: inspectorUs / 1000 };
}

/** Samples that are of no code of the program: it slept, or was in the kernel. */
const OUTSIDE: ReadonlySet<string> = new Set(['(idle)', '(program)']);

/** Whether a frame of the bundle belongs to the inspector, by the source map beside it. */
function frameTest(bundle: string): (node: ProfileNode) => boolean {
  const map = new SourceMap(
    JSON.parse(readFileSync(`${bundle}.map`, 'utf8')) as ConstructorParameters<typeof SourceMap>[0],
  );
  const sources = new Map<string, readonly string[]>();
  const lineOf = (source: string, line: number): string => {
    const file = resolve(bundle, '..', source);
    const lines = sources.get(file) ?? readFileSync(file, 'utf8').split('\n');
    sources.set(file, lines);
    return lines[line] ?? '';
  };
  return ({ callFrame: { url, lineNumber, columnNumber } }) => {
    if (url === 'node:_http_server') return true;
    if (!url.endsWith('kubeadm-bootstrap-operator.js')) return false;
    const entry = map.findEntry(lineNumber, columnNumber);
    if (!('originalSource' in entry)) return false;
    const { originalSource, originalLine } = entry;
    if (originalSource.includes('src/inspector/')) return true;
    return originalSource.includes('node_modules/xstate/') && /inspect/i.test(lineOf(originalSource, originalLine));
  };
}
