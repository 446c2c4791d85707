// Where we differ from the Go provider on purpose: each recorded input that is marked so, and what we do with it instead.
import { describe, expect, test } from '@jest/globals';

import type { OfflineResult } from '../../src/bootstrap/offline.js';
import { evaluate, vector, vectors } from './bootstrap-vector.js';

async function textOf(id: string): Promise<string> {
  const result = await evaluate(vector(id));
  expect(result).toMatchObject({ kind: 'data' });
  return result.kind === 'data' ? Buffer.from(result.bytes).toString() : '';
}

function refusalOf(id: string): Promise<OfflineResult> {
  return evaluate(vector(id));
}

function upstreamText(id: string): string {
  return Buffer.from(vector(id).expected.valueBase64 ?? '', 'base64').toString();
}

const covered = new Set<string>();

function deviation(id: string, title: string, run: () => Promise<void>): void {
  covered.add(id);
  test(`bootstrap data: ${id} ${title}`, run);
}

describe('bootstrap data that differs from the Go provider', () => {
  deviation('kc-vec-045', 'indented file content in Ignition -> kept as it is', async () => {
    expect(await textOf('kc-vec-045')).toContain('data:,%20%20a%0A%20%20%20%20b%0A%20%20c%0A');
    expect(upstreamText('kc-vec-045')).toContain('data:,a%0A%20%20b%0Ac%0A');
  });

  deviation('kc-vec-046', 'file content with less indented later lines in Ignition -> kept as it is', async () => {
    const [file] = vector('kc-vec-046').input.kubeadmConfig.spec?.files ?? [];
    const content = encodeURIComponent(file?.content ?? '');
    expect(content).toMatch(/^%20/);
    expect(await textOf('kc-vec-046')).toContain(`data:,${content}`);
  });

  deviation('kc-vec-054', 'file without permissions in Ignition -> mode 0644', async () => {
    expect(await textOf('kc-vec-054')).toMatch(/"mode":420/);
  });

  deviation('kc-vec-110', 'diskLayout in Ignition -> refused, naming the field', async () => {
    const refusal = await refusalOf('kc-vec-110');
    expect(refusal).toMatchObject({ kind: 'refused', field: 'spec.diskSetup.partitions[0].diskLayout' });
  });

  deviation('kc-vec-111', 'filesystem without overwrite in Ignition -> not wiped', async () => {
    expect(await textOf('kc-vec-111')).not.toContain('wipeFilesystem');
  });

  deviation('kc-vec-117', 'mount point with a dash in Ignition -> unit name that systemd understands', async () => {
    expect(await textOf('kc-vec-117')).toContain('"name":"var-lib-my\\\\x2ddata.mount"');
    expect(upstreamText('kc-vec-117')).toContain('"name":"var-lib-my-data.mount"');
  });

  deviation('kc-vec-154', 'external etcd CA with a key -> no file without a path', async () => {
    const upstream = upstreamText('kc-vec-154');
    const start = upstream.indexOf('\n-   path: \n');
    const end = upstream.indexOf('\n-   path: ', start + 1);
    expect(start).toBeGreaterThan(0);
    expect(await textOf('kc-vec-154')).toBe(upstream.slice(0, start) + upstream.slice(end));
  });

  deviation('kc-vec-322', 'init with a control plane object and no certificate -> refused', async () => {
    expect(await refusalOf('kc-vec-322')).toMatchObject({
      kind: 'refused',
      field: 'Secret default/my-cluster-ca',
      cause: 'missing certificate',
      conditions: { CertificatesAvailable: { status: 'Unknown', reason: 'InternalError' } },
    });
  });

  deviation('kc-vec-323', 'init with a control plane object and some certificates -> refused', async () => {
    const refusal = await refusalOf('kc-vec-323');
    expect(refusal).toMatchObject({ kind: 'refused', field: 'Secret default/my-cluster-proxy' });
  });

  deviation('kc-vec-326', 'control plane join with a CA whose key is held elsewhere -> data without that key', async () => {
    const text = await textOf('kc-vec-326');
    expect(text).toContain('path: /etc/kubernetes/pki/ca.crt');
    expect(text).not.toContain('path: /etc/kubernetes/pki/ca.key');
  });

  deviation('kc-vec-327', 'worker join with a CA whose key is held elsewhere -> data', async () => {
    expect(await textOf('kc-vec-327')).toContain('caCertHashes:');
  });

  deviation('kc-vec-342', 'worker with joinConfiguration.controlPlane -> refused before a token is made', async () => {
    const message = 'Machine is a Worker, but JoinConfiguration.ControlPlane is set in the KubeadmConfig object';
    const { input } = vector('kc-vec-342');
    expect(await refusalOf('kc-vec-342')).toMatchObject({
      kind: 'refused',
      field: 'spec.joinConfiguration.controlPlane',
      conditions: { DataSecretAvailable: { status: 'False', reason: 'NotAvailable', message } },
      specAfter: input.kubeadmConfig.spec,
    });
  });

  deviation('kc-vec-439', 'control plane object missing and no template -> data', async () => {
    expect(await textOf('kc-vec-439')).toContain('kubeadm join');
  });

  deviation('kc-vec-444', 'existing bootstrap Secret without owner -> the same data', async () => {
    expect(await textOf('kc-vec-444')).toBe(upstreamText('kc-vec-444'));
  });

  deviation('kc-vec-447', 'existing bootstrap Secret of another controller -> refused', async () => {
    expect(await refusalOf('kc-vec-447')).toMatchObject({
      kind: 'refused',
      field: 'Secret default/worker-0',
      cause:
        'could not add KubeadmConfig worker-0 as ownerReference to bootstrap Secret worker-0, it is already controlled by Machine worker-0',
    });
  });

  test('deviations: every input that is marked as one -> has a test here', () => {
    const marked = vectors.filter(({ deviation: mark }) => mark !== undefined).map(({ id }) => id);
    expect([...covered].sort()).toEqual(marked);
  });
});
