// The recorded Ignition scenario: what the Go provider stored on a real API server, from the same objects.
import { readFileSync } from 'node:fs';

import { describe, expect, test } from '@jest/globals';

import type { KubernetesObject } from '../../src/api/core.js';
import type { KubeadmConfig } from '../../src/api/kubeadmconfig/v1beta2.js';
import { evaluateOffline } from '../../src/bootstrap/offline.js';

interface Scenario {
  readonly steps: readonly {
    readonly do?: string;
    readonly object?: KubernetesObject;
    readonly state?: { readonly Secret: Readonly<Record<string, { readonly data: { readonly value: string } }>> };
  }[];
}

const file = new URL('../scenarios/recorded/init-04-ignition.json', import.meta.url);
const { steps } = JSON.parse(readFileSync(file, 'utf8')) as Scenario;

/** The objects as they are once the infrastructure is there. */
function objects(): readonly KubernetesObject[] {
  return steps.flatMap(({ object }) => {
    if (object === undefined) return [];
    const status = object.kind === 'Cluster' ? { status: { initialization: { infrastructureProvisioned: true } } } : {};
    return [{ ...object, ...status }];
  });
}

/** The recording names certificates instead of holding them: `<pem c1-ca/tls.crt>` stands for that text, percent-encoded. */
function withCertificates(recorded: string, given: readonly KubernetesObject[]): string {
  return recorded.replace(/<pem ([^/>]+)\/([^>]+)>/g, (_all, name: string, key: string) => {
    const secret = given.find((object) => object.metadata.name === name) as { data?: Record<string, string> } | undefined;
    return encodeURIComponent(Buffer.from(secret?.data?.[key] ?? '', 'base64').toString().trimEnd());
  });
}

describe('ignition: the recorded scenario', () => {
  test('init with format ignition -> the bytes that the Go provider stored', async () => {
    const given = objects();
    const recorded = steps.find(({ state }) => state !== undefined)?.state?.Secret['cp-0']?.data.value;
    const result = await evaluateOffline({
      objects: given,
      config: given.find(({ kind }) => kind === 'KubeadmConfig') as KubeadmConfig,
      token: () => 'unused',
      generate: () => Promise.reject(new Error('all certificates are there')),
      hasMachinePools: false,
      sizeLimitBytes: 0,
      respectsStoredData: false,
    });
    expect(result).toMatchObject({ kind: 'data', format: 'ignition' });
    expect(result.kind === 'data' && Buffer.from(result.bytes).toString()).toBe(withCertificates(recorded ?? '', given));
  });
});
