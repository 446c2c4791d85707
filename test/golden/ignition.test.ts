import { readFileSync } from 'node:fs';

import { describe, expect, test } from '@jest/globals';

import { convertAdditionalConfig } from '../../src/bootstrap/ignition/additional-config.js';
import { printIgnitionConfig } from '../../src/bootstrap/ignition/ignition-json.js';
import { writeIgnition } from '../../src/bootstrap/ignition-writer.js';
import type { NodeData, NodeFile } from '../../src/bootstrap/node-data.js';

interface LanguageCase {
  readonly id: string;
  readonly text: string;
  readonly strict: boolean;
  readonly value?: string;
  readonly warnings?: string;
  readonly error?: string;
}

interface NodeCase {
  readonly id: string;
  readonly node: {
    readonly users: NodeData['users'];
    readonly files: readonly Omit<NodeFile, 'field'>[];
    readonly mounts: NodeData['mounts'];
    readonly pre: readonly string[];
    readonly post: readonly string[];
    readonly ntp?: NonNullable<NodeData['ntp']>;
    readonly diskSetup?: NonNullable<NodeData['diskSetup']>;
  };
  readonly value?: string;
  readonly error?: string;
}

function golden<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`./ignition/${name}.json`, import.meta.url), 'utf8')) as T;
}

/** Upstream visits keys in random order, so entries are compared as a set. */
function entries(report: string): readonly string[] {
  return report
    .replaceAll(/\n(?=(?:error|warning|info|deprecated)\b)/g, '\0')
    .split('\0')
    .sort();
}

describe('ignition: as the Go provider', () => {
  const languageCases = golden<{ cases: readonly LanguageCase[] }>('container-linux-configs').cases;
  test.each(languageCases)('Container Linux Config: $id -> upstream\'s Ignition or refusal', (given) => {
    const answer = convertAdditionalConfig(given.text, given.strict);
    if (given.value !== undefined) {
      expect(answer.kind === 'converted' ? printIgnitionConfig(answer.config) : answer.message).toBe(given.value);
      if (answer.kind === 'converted') expect(entries(answer.warnings.join('\n'))).toEqual(entries(given.warnings ?? ''));
      return;
    }
    expect(answer.kind).toBe('refused');
    const isParserMessage = /yaml: (?!unmarshal)/.test(given.error ?? '');
    if (answer.kind === 'refused' && !isParserMessage) {
      const start = /^error [a-zA-Z ]*: /;
      expect(start.exec(answer.message)?.[0]).toBe(start.exec(given.error ?? '')?.[0]);
      expect(entries(answer.message.replace(start, ''))).toEqual(entries((given.error ?? '').replace(start, '')));
    }
  });

  const nodes = golden<{ joinConfiguration: string; cases: readonly NodeCase[] }>('nodes');
  test.each(nodes.cases)('node: $id -> upstream\'s bytes, or a refusal that names the field', ({ node, value }) => {
    const { pre, post, files, ...rest } = node;
    const answer = writeIgnition({
      ...rest,
      kubeadm: { mode: 'workerJoin', joinConfiguration: nodes.joinConfiguration },
      files: files.map((file, index) => ({ field: `spec.files[${index}]`, ...file })),
      bootCommands: [],
      preKubeadmCommands: pre,
      postKubeadmCommands: post,
      verbosityFlag: '',
    });
    if (value !== undefined) {
      expect(answer.kind === 'written' ? Buffer.from(answer.bytes).toString() : answer.message).toBe(value);
    } else {
      expect(answer.kind).toBe('invalid');
      if (answer.kind === 'invalid') {
        expect(answer.field).toMatch(/^spec\./);
        expect(answer.message.startsWith(answer.field)).toBe(true);
      }
    }
  });
});
