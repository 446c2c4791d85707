// A world whose files, passwords and templates come from Secrets with marks in them: no mark shows up where people and programs read.
//
// The marks look like nothing that the scrubber knows. Sound objects and broken ones have them: what is refused is told, too.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { resources } from '../../../src/api/names.js';
import { parseConfig } from '../../../src/cli/config.js';
import { parseDemo } from '../../../src/cli/demo-flags.js';
import { startDemoWorld, type DemoWorld } from '../../../src/cli/demo-world.js';
import { startOperator, type Operator } from '../../../src/cli/operator.js';
import { resourceOf } from '../../../src/kube/resource-paths.js';
import { createLogger } from '../../../src/log.js';
import { createMetrics } from '../../../src/metrics.js';
import { systemClock, systemRandom } from '../../../src/system.js';
import { until } from '../../worlds/operator-process.js';
import { emptyFolder, mountCertificate, servingCertificate } from '../webhooks/serving-certificate.js';
import { marksIn } from '../../marks.js';

const NAMESPACE = 'demo';
const WEBHOOK_PORT = 20_000 + (process.pid % 40_000);
/** A mark for each way in: the first characters make it one of its kind, the last ones look another way in a URL. */
const mark = (way: string): string => `canary ${way} Zq7&/+=?`;
const WAYS = ['file', 'labelled', 'appended', 'user', 'template', 'ignition file', 'ignition user', 'pool'] as const;
/** In these the mark is what a template does, and what the template's error would quote. */
const BROKEN = ['canaryFunctionZq7', 'canaryRangeZq7', 'canaryFieldZq7', 'canaryTextZq7'] as const;
const MARKS: readonly string[] = [...WAYS.map(mark), ...BROKEN, mark('spoilt user'), mark('no key')];

const source = (name: string, key = 'k') => ({ secret: { name, key } });
const file = (path: string, name: string, more: object = {}) => ({ path, contentFrom: source(name), ...more });
const user = (name: string, secret: string) => ({ name, passwdFrom: source(secret) });
const template = { contentFormat: 'Template' };

/** What each Secret holds, by name. */
const CONTENTS: Readonly<Record<string, string>> = {
  file: mark('file'),
  labelled: mark('labelled'),
  appended: mark('appended'),
  user: mark('user'),
  template: `${mark('template')} {{ .ControlPlane.version }}`,
  'ignition-file': mark('ignition file'),
  'ignition-user': mark('ignition user'),
  pool: mark('pool'),
  function: '{{ canaryFunctionZq7 "x" }}',
  range: '{{ range "canaryRangeZq7" }}{{ end }}',
  field: '{{ .canaryFieldZq7.x.y }}',
  text: '{{ if "canaryTextZq7 }}',
  'spoilt-user': `${mark('spoilt user')}\n\u0000`,
  'no-key': mark('no key'),
};

/** The spec of each worker, by name; those of the second list have no data. */
const SOUND: Readonly<Record<string, object>> = {
  files: {
    files: [
      file('/a', 'file'),
      file('/b', 'labelled', { encoding: 'base64' }),
      file('/c', 'appended', { append: true }),
    ],
    users: [user('u', 'user')],
  },
  templates: { files: [file('/t', 'template', template)] },
  ignition: { format: 'ignition', files: [file('/a', 'ignition-file')], users: [user('u', 'ignition-user')] },
};
const REFUSED: Readonly<Record<string, object>> = {
  function: { files: [file('/t', 'function', template)] },
  range: { files: [file('/t', 'range', template)] },
  text: { files: [file('/t', 'text', template)] },
  key: { files: [{ path: '/k', contentFrom: source('no-key', 'other') }] },
};
/** Whether there is data for these is not what is asked here. */
const EITHER: Readonly<Record<string, object>> = {
  field: { files: [file('/t', 'field', template)] },
  'spoilt-user': { format: 'ignition', users: [user('u', 'spoilt-user')] },
};

const folder = emptyFolder();
const metrics = createMetrics();
const said: string[] = [];
const written: string[] = [];
const frames: string[] = [];
const answers: string[] = [];
const sockets: WebSocket[] = [];
let world: DemoWorld;
let operator: Operator | undefined;

const post = (kind: keyof typeof resources, body: object): Promise<unknown> =>
  world.client.create(resourceOf(resources[kind]), { apiVersion: resources[kind].apiVersion, kind, ...body });

async function addWorker(name: string, spec: object): Promise<void> {
  const metadata = { name, namespace: NAMESPACE, labels: { 'cluster.x-k8s.io/cluster-name': 'sample' } };
  await post('Machine', {
    metadata,
    spec: {
      clusterName: 'sample',
      version: 'v1.36.0',
      bootstrap: { configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfig', name } },
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'DemoMachine', name },
    },
  });
  const joins = { joinConfiguration: { nodeRegistration: { name } } };
  await post('KubeadmConfig', { metadata, spec: { ...joins, ...spec } });
}

async function populate(): Promise<void> {
  await world.populate();
  for (const [name, text] of Object.entries(CONTENTS)) {
    const labels = name === 'labelled' ? { labels: { 'cluster.x-k8s.io/cluster-name': 'sample' } } : {};
    const data = { k: Buffer.from(text).toString('base64') };
    await post('Secret', { metadata: { name, namespace: NAMESPACE, ...labels }, data });
  }
  for (const [name, spec] of Object.entries({ ...SOUND, ...REFUSED, ...EITHER })) await addWorker(name, spec);
  const pool = { resource: resourceOf(resources.KubeadmConfig), namespace: NAMESPACE, name: 'sample-pool' };
  await world.client.mergePatch(pool, { spec: { files: [file('/p', 'pool')] } });
}

async function listen(): Promise<Operator> {
  const kubeconfig = join(folder, 'kubeconfig');
  mountCertificate(folder, 0, servingCertificate('canary'));
  writeFileSync(kubeconfig, world.kubeconfig, { mode: 0o600 });
  const flags = [
    `--kubeconfig=${kubeconfig}`,
    '--leader-elect=false',
    `--webhook-port=${WEBHOOK_PORT}`,
    `--webhook-cert-dir=${folder}`,
    '--health-addr=',
    '--diagnostics-address=',
    '--inspector-bind-address=127.0.0.1:0',
    '--inspector-protocols=ui,stately,xstate-inspect',
    '--feature-gates=KubeadmBootstrapFormatIgnition=true',
    '--v=10',
  ];
  return startOperator({
    config: parseConfig(flags, {}),
    environment: {},
    clock: systemClock,
    random: systemRandom,
    log: createLogger({ format: 'json', level: 10, nowMs: systemClock.nowMs, write: (line) => void said.push(line) }),
    metrics,
  });
}

/** The bootstrap data of a worker; empty while there is none. */
function dataOf(name: string): string {
  const secret = world.management.store.get('secrets', NAMESPACE, name) as {
    readonly data?: { readonly value?: string };
  };
  return Buffer.from(secret?.data?.value ?? '', 'base64').toString();
}

/** What the KubeadmConfig of a worker says of its data; empty while it says nothing. */
function reasonOf(name: string): string {
  const config = world.management.store.get('kubeadmconfigs.bootstrap.cluster.x-k8s.io', NAMESPACE, name) as {
    readonly status?: { readonly conditions?: readonly { readonly type: string; readonly message: string }[] };
  };
  return config?.status?.conditions?.find(({ type }) => type === 'DataSecretAvailable')?.message ?? '';
}

/** Asks the inspector for everything that it has, as the page and both protocols do. */
async function askInspector(url: string): Promise<void> {
  const get = async (path: string): Promise<string> => {
    const text = await (await fetch(`${url}${path}`)).text();
    answers.push(text);
    return text;
  };
  const uids = new Set(
    world.management.store
      .list('kubeadmconfigs.bootstrap.cluster.x-k8s.io')
      .map(({ metadata }) => `/api/actors/kubeadmconfig/${metadata.uid}`),
  );
  for (const path of [...uids, ...[...uids].map((each) => `${each}/history.json`)]) await get(path);
  for (const path of ['/api/charts', '/api/status', '/text', '/api/timeline?ns=demo&cluster=sample']) await get(path);
  const abort = new AbortController();
  const reader = (await fetch(`${url}/api/stream`, { signal: abort.signal })).body?.getReader();
  answers.push(new TextDecoder().decode((await reader?.read())?.value));
  abort.abort();
}

beforeAll(async () => {
  world = await startDemoWorld(parseDemo(['--clusters=1', '--workers=1']), {
    clock: systemClock,
    random: systemRandom,
    onNote: () => undefined,
  });
  // Everything that is written, in all its versions; of Secrets only what is beside their data.
  world.management.store.subscribe(({ resource, object }) => {
    written.push(JSON.stringify(resource === '/secrets' ? { ...object, data: {} } : object));
  });
  operator = await listen();
  for (const path of ['/stately', '/xstate-inspect']) {
    const socket = new WebSocket(`${operator?.inspectorUrl?.replace('http', 'ws')}${path}`);
    sockets.push(socket);
    socket.on('message', (data) => frames.push(String(data)));
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send(JSON.stringify({ type: 'xstate.inspecting' }));
  }
  await populate();
  const look = (): readonly boolean[] => [
    ...Object.keys(SOUND).map((name) => dataOf(name) !== ''),
    ...Object.keys(REFUSED).map((name) => /spec.files|secrets for/.test(reasonOf(name))),
    dataOf('sample-pool') !== '',
  ];
  await until('data, or what is wrong', look, (all) => all.every(Boolean), 90_000);
  await until(
    'Events',
    () => written.filter((each) => each.includes('"kind":"Event"')).length,
    (count) => count > 3,
  );
  await askInspector(operator?.inspectorUrl ?? '');
}, 120_000);

afterAll(async () => {
  for (const socket of sockets) socket.terminate();
  await operator?.stop();
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('marks in Secrets', () => {
  test('the data of sound workers -> has them: they were read and rendered', () => {
    const data = [...Object.keys(SOUND), 'sample-pool'].map(dataOf).join('\n');
    expect(marksIn(data, WAYS.map(mark))).toEqual(WAYS.map(mark));
  });

  test('the log at -v=10 -> none', () => {
    expect(said.some((line) => line.includes('templates'))).toBe(true);
    expect(said.filter((line) => marksIn(line, MARKS).length > 0)).toEqual([]);
  });

  test('what is written to the API server: Events, conditions, annotations, snapshots, ConfigMaps -> none', () => {
    const causes = written.filter(
      (each) => each.includes('"kind":"KubeadmConfig"') && each.includes('Failed to prepare'),
    );
    expect(causes.length).toBeGreaterThan(0);
    expect(written.filter((each) => each.includes('ActorState')).length).toBeGreaterThan(0);
    expect(written.filter((each) => marksIn(each, MARKS).length > 0)).toEqual([]);
  });

  test('the metrics -> none', async () => {
    const text = await metrics.text();
    expect(text).toContain('controller_runtime_reconcile_total');
    expect(marksIn(text, MARKS)).toEqual([]);
  });

  test('the inspector: answers, stream, both protocols, explanations -> none', () => {
    expect(answers.some((each) => each.includes('Failed to prepare'))).toBe(true);
    expect(frames.length).toBeGreaterThan(10);
    const explained = [...Object.keys(SOUND), ...Object.keys(REFUSED)].map((name) =>
      JSON.stringify(operator?.explain('kubeadmconfig', NAMESPACE, name)),
    );
    expect([...answers, ...frames, ...explained].filter((each) => marksIn(each, MARKS).length > 0)).toEqual([]);
  });
});

test('marks: plain, in Base64 at each alignment, URL-encoded, quoted in JSON -> found', () => {
  const one = mark('file');
  const shapes = [
    `x${one}y`,
    ...[0, 1, 2].map((shift) => Buffer.from(`${'x'.repeat(shift)}${one}and more`).toString('base64')),
    ...[0, 1, 2].map((shift) => Buffer.from(`${'x'.repeat(shift)}${one}and more`).toString('base64url')),
    encodeURIComponent(`x${one}`),
    new URLSearchParams({ x: one }).toString(),
    JSON.stringify({ x: one }).replaceAll('&', '\\u0026'),
    JSON.stringify({ x: JSON.stringify({ one }) }),
  ];
  expect(shapes.map((shape) => marksIn(shape, [one]).length)).toEqual(shapes.map(() => 1));
});
