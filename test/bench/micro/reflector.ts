// Watch events from bytes to cache and listeners: the client, the reflector and a store with the operator's own indexes.
import { configIndexes } from '../../../src/controllers/kubeadmconfig/indexes.js';
import type { StoredConfig } from '../../../src/controllers/kubeadmconfig/objects.js';
import { createInProcessClient } from '../../../src/kube/in-process-client.js';
import { createInformers } from '../../../src/kube/informers.js';
import { resourceOf } from '../../../src/kube/resource-paths.js';
import { resources } from '../../../src/api/names.js';
import { systemClock, systemRandom } from '../../../src/system.js';
import { configOf } from '../system/manifests.js';
import type { Figure } from './figure.js';

const objects = 1_000;
const events = 40_000;
/** About what one read of a busy socket holds. */
const eventsPerChunk = 20;

/** Many changes of a thousand KubeadmConfigs. */
export async function reflectorFigures(): Promise<readonly Figure[]> {
  const chunks = watchChunks();
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const client = createInProcessClient({
    clock: systemClock,
    handle: ({ url }) =>
      Promise.resolve({
        status: 200,
        headers: {},
        body: url.includes('watch=true') ? stream(chunks) : '{"metadata":{"resourceVersion":"1"},"items":[]}',
      }),
  });
  const life = new AbortController();
  const informers = createInformers({ client, clock: systemClock, random: systemRandom });
  const cache = informers.declare<StoredConfig>({
    resource: resourceOf(resources.KubeadmConfig),
    indexes: configIndexes,
  });
  let seen = 0;
  // CPU time, because a shared machine makes wall-clock time say little.
  const used = await new Promise<number>((resolve) => {
    let start = process.cpuUsage();
    cache.subscribe(() => {
      seen += 1;
      if (seen === 1) start = process.cpuUsage();
      if (seen === events) {
        const { user, system } = process.cpuUsage(start);
        resolve((user + system) / 1e6);
      }
    });
    informers.start(life.signal);
  });
  life.abort();
  return [
    { name: 'watch events of KubeadmConfigs', value: events / used, unit: 'events per CPU second' },
    { name: 'watch bytes', value: bytes / 1024 / 1024 / used, unit: 'MiB per CPU second' },
  ];
}

function watchChunks(): readonly string[] {
  const lines = Array.from({ length: events }, (_, index) => {
    const object = configOf('c0000', `w${index % objects}`, 'uid', false) as { readonly metadata: object };
    const metadata = { ...object.metadata, uid: `u${index % objects}`, resourceVersion: String(index + 2) };
    const type = index < objects ? 'ADDED' : 'MODIFIED';
    return `${JSON.stringify({ type, object: { ...object, metadata, status: status(index) } })}\n`;
  });
  return Array.from({ length: events / eventsPerChunk }, (_, index) =>
    lines.slice(index * eventsPerChunk, (index + 1) * eventsPerChunk).join(''),
  );
}

function status(index: number): object {
  const conditions = ['Ready', 'DataSecretAvailable', 'CertificatesAvailable', 'Paused', 'ActorState'].map((type) => ({
    type,
    status: 'True',
    reason: 'Available',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }));
  return { observedGeneration: index, conditions, initialization: { dataSecretCreated: true } };
}

async function* stream(chunks: readonly string[]): AsyncGenerator<string> {
  for (const chunk of chunks) yield chunk;
  await new Promise(() => undefined);
}
