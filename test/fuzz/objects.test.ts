// The built program as a process, and extreme objects in its API server: it lives, leads, and serves everybody else as before.
//
// The test plays the part of the API server that the embedded one does not have: it asks the program's webhooks before it stores a
// KubeadmConfig, and converts what is stored for readers of v1beta1.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { resources } from '../../src/api/names.js';
import { seededRandom } from '../../src/cli/seeded-random.js';
import { createEmbeddedApiServer } from '../../src/embedded/api-server.js';
import { bootstrapDefinitions, coreDefinitions } from '../../src/embedded/crds.js';
import type { EmbeddedApiServer } from '../../src/embedded/types.js';
import { createInProcessClient } from '../../src/kube/in-process-client.js';
import { systemClock, systemRandom } from '../../src/system.js';
import { ADMISSION_ENDPOINTS, CONVERSION_PATH } from '../../src/webhooks/endpoints.js';
import { printedSeed, sized } from '../test-size.js';
import { addClusterSecrets, addMachine, cluster, create } from '../unit/kubeadmconfig/objects.js';
import { emptyFolder, mountCertificate, servingCertificate } from '../unit/webhooks/serving-certificate.js';
import { startOperatorProcess, until, type OperatorProcess } from '../worlds/operator-process.js';
import { drawFrom, soundReview, type Draw } from './inputs.js';
import { forgedStatus, OWN_UID, SCENE_NAMESPACE, scene, type Write } from './object-inputs.js';

/** Writes, together with those of the other fuzz a million at night. */
const INPUTS = sized(3_000, 200_000);
/** After so many writes another canary must be served, and the scenes go. */
const WRITES_OF_A_BATCH = 300;
/** After so many batches the program is started again among what is there. */
const RESTART_EVERY = sized(3, 20);
const LEASE_NAMESPACE = 'capi-kubeadm-bootstrap-system';
const LEASE = 'kubeadm-bootstrap-manager-leader-election-capi';
const HEALTH = 20_000 + (process.pid % 6_000) * 2;
const WEBHOOK = HEALTH + 1;
const SOUND_CLUSTERS = ['sound-0', 'sound-1'];
/** Bugs say so in the log; what is wrong with an object does not. */
const BUG =
  /Turn failed|Retry rule failed|Nothing caught|handler failed|Handler of a port failed|Unhandled|Warning:|a bug/;

const folder = mkdtempSync(join(tmpdir(), 'fuzz-objects-'));
const certificates = emptyFolder();
const agent = new Agent({ keepAlive: true, maxSockets: 8, rejectUnauthorized: false });
let server: EmbeddedApiServer;
let workload: EmbeddedApiServer;
let operator: OperatorProcess;
let exitCode: number | null | undefined;
/** What the program has made of scenes: KubeadmConfigs with data, and those that say why they have none. */
const outcomes = { data: new Set<string>(), refusal: new Set<string>() };

type Json = Readonly<Record<string, unknown>>;
type Stored = Json & { readonly metadata: { readonly name: string; readonly uid: string } };

const serverOf = (crds: readonly object[], namespaces: readonly string[]): EmbeddedApiServer =>
  createEmbeddedApiServer({ clock: systemClock, random: systemRandom, crds, namespaces });

async function call(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ readonly status: number; readonly object: Stored }> {
  const answer = await server.handle({
    method,
    url: path,
    headers: {
      accept: 'application/json',
      'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      'user-agent': 'somebody',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, object: JSON.parse(typeof answer.body === 'string' ? answer.body : '{}') as Stored };
}

const apiVersionOf = ({ kind, version }: Pick<Write, 'kind' | 'version'>): string =>
  version === 'v1' ? 'v1' : `${resources[kind].apiVersion.split('/')[0]}/${version}`;

function pathOf(kind: Write['kind'], name = ''): string {
  const { apiVersion, plural } = resources[kind];
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return [root, 'namespaces', SCENE_NAMESPACE, plural, name].filter((part) => part !== '').join('/');
}

/** What a webhook answers. Rejects when it does not. */
function ask(path: string, review: object | Buffer): Promise<Json> {
  const body = Buffer.isBuffer(review) ? review : Buffer.from(JSON.stringify(review));
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const sent = request({ host: '127.0.0.1', port: WEBHOOK, path, method: 'POST', agent, headers }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(pieces).toString();
        if (response.statusCode === 200) resolve((JSON.parse(text) as { readonly response: Json }).response);
        else if (response.statusCode === 413 || response.statusCode === 400) resolve({ allowed: false });
        else reject(new Error(`${path} answered ${response.statusCode}: ${text.slice(0, 500)}`));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** An object in another version; null where the webhook refuses it. */
async function converted(object: Json, version: 'v1beta1' | 'v1beta2'): Promise<Json | null> {
  const desiredAPIVersion = `bootstrap.cluster.x-k8s.io/${version}`;
  const review = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    request: { uid: 'u', desiredAPIVersion, objects: [object] },
  };
  const { convertedObjects, result } = await ask(CONVERSION_PATH, review);
  if (result === undefined) return null;
  return (result as Json)['status'] === 'Success' ? ((convertedObjects as readonly Json[])[0] ?? null) : null;
}

const validating =
  ADMISSION_ENDPOINTS.find(({ type, kind }) => type === 'validating' && kind === 'KubeadmConfig')?.path ?? '';

/** As the API server stores it; null where a webhook refuses. */
async function admitted(write: Write, body: Json): Promise<Json | null> {
  if (write.kind !== 'KubeadmConfig') return body;
  const object = write.version === 'v1beta2' ? body : await converted(body, 'v1beta2');
  if (object === null) return null;
  const review = {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'u', operation: 'CREATE', object },
  };
  return (await ask(validating, review))['allowed'] === true ? object : null;
}

/** Carries a write out, and its status; the object if it is there now. */
async function carryOut(write: Write, owner: Stored | null): Promise<Stored | null> {
  const { kind, body } = write;
  const metadata = body['metadata'] as { readonly name: string; readonly ownerReferences?: readonly object[] };
  const references =
    kind !== 'KubeadmConfig' || owner === null
      ? []
      : [{ apiVersion: owner['apiVersion'], kind: owner['kind'], name: owner.metadata.name, uid: owner.metadata.uid }];
  const whole = {
    ...body,
    apiVersion: apiVersionOf(write),
    kind,
    metadata: {
      ...metadata,
      namespace: SCENE_NAMESPACE,
      ownerReferences: [...references, ...(metadata.ownerReferences ?? [])],
    },
  };
  const object = await admitted(write, whole);
  if (object === null) return null;
  const { status, object: stored } = await call('POST', pathOf(kind), object);
  if (status >= 500) throw new Error(`the embedded server failed: ${JSON.stringify(stored).slice(0, 500)}`);
  if (status !== 201) return null;
  let last = stored;
  if (write.status !== undefined) {
    const path = `${pathOf(kind, stored.metadata.name)}/status`;
    const patched = await call('PATCH', path, statusFor(write.status, stored.metadata.uid));
    if (patched.status === 200) last = patched.object;
  }
  // A real API server converts it at once, for the watch cache of the other version.
  if (kind === 'KubeadmConfig') await converted(last, 'v1beta1');
  return stored;
}

async function clearScenes(): Promise<void> {
  for (const kind of ['KubeadmConfig', 'Machine', 'MachinePool', 'Cluster', 'Secret', 'ConfigMap'] as const) {
    for (const { metadata } of server.store.list(pluralOf(kind), SCENE_NAMESPACE)) {
      if (SOUND_CLUSTERS.some((name) => metadata.name.startsWith(name))) continue;
      if ((metadata.finalizers ?? []).length > 0)
        await call('PATCH', pathOf(kind, metadata.name), { metadata: { finalizers: null } });
      await call('DELETE', pathOf(kind, metadata.name));
    }
  }
}

function pluralOf(kind: Write['kind']): string {
  const { apiVersion, plural } = resources[kind];
  return apiVersion.includes('/') ? `${plural}.${apiVersion.split('/')[0]}` : plural;
}

const lease = (): { readonly holderIdentity?: string; readonly leaseTransitions?: number } =>
  (server.store.get('leases.coordination.k8s.io', LEASE_NAMESPACE, LEASE) as { readonly spec?: object } | null)?.spec ??
  {};

const statusOf = async (path: string): Promise<number> =>
  (await fetch(`http://127.0.0.1:${HEALTH}${path}`).catch(() => ({ status: 0 }))).status;

const client = () => createInProcessClient({ handle: server.handle, clock: systemClock, userAgent: 'somebody' });

/** A KubeadmConfig like any other gets its data, whatever else there is; the ports answer. */
async function serveCanary(name: string): Promise<void> {
  await addMachine(client(), name);
  await until(
    `data for ${name}`,
    () => [
      server.store.get('secrets', 'default', name)?.metadata.name ?? '',
      exitCode ?? 'runs',
      operator.output().slice(-3_000),
    ],
    ([data, code]) => data === name || code !== 'runs',
    240_000,
  );
  const state = [exitCode ?? 'runs', await statusOf('/healthz'), await statusOf('/readyz')];
  // The output is there for whoever reads the failure.
  expect([...state, operator.output().slice(-3_000)]).toEqual(['runs', 200, 200, expect.any(String)]);
  expect(await ask(soundReview.path, soundReview.body)).toMatchObject({ allowed: true });
  for (const kind of ['KubeadmConfig', 'Machine', 'Secret'] as const)
    await client().delete({ resource: { ...resourceOfKind(kind) }, namespace: 'default', name });
}

function resourceOfKind(kind: Write['kind']) {
  const { apiVersion, plural, namespaced } = resources[kind];
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return { group, version, kind, plural, namespaced };
}

interface Outcome {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly status?: {
    readonly initialization?: { readonly dataSecretCreated?: boolean };
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

function noteOutcome({ kind, metadata, status }: Outcome): void {
  if (kind !== 'KubeadmConfig' || metadata.namespace !== SCENE_NAMESPACE) return;
  const told = status?.conditions?.find(({ type }) => type === 'DataSecretAvailable');
  if (told?.status === 'True' && status?.initialization?.dataSecretCreated === true) outcomes.data.add(metadata.name);
  if (told?.status === 'False' && /^Failed|failed/.test(told.message ?? '')) outcomes.refusal.add(metadata.name);
}

async function addSoundClusters(): Promise<void> {
  for (const name of SOUND_CLUSTERS) {
    const sound = cluster({ name, initialized: true }) as { readonly metadata: object };
    await create(client(), { ...sound, metadata: { ...sound.metadata, namespace: SCENE_NAMESPACE } });
    for (const purpose of ['ca', 'etcd', 'proxy', 'sa', 'kubeconfig']) {
      const { data } = server.store.get('secrets', 'default', `c1-${purpose}`) as unknown as { readonly data: Json };
      const metadata = { name: `${name}-${purpose}`, labels: { 'cluster.x-k8s.io/cluster-name': name } };
      await call('POST', pathOf('Secret'), {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'cluster.x-k8s.io/secret',
        metadata,
        data,
      });
    }
  }
}

/** Starts the program; resolves when it is ready and leads. */
async function startProgram(): Promise<void> {
  operator = startOperatorProcess(join(folder, 'kubeconfig'), [
    `--health-addr=127.0.0.1:${HEALTH}`,
    `--webhook-port=${WEBHOOK}`,
    `--webhook-cert-dir=${certificates}`,
    '--leader-elect',
    // A machine that is busy with other things is no reason to lose it; one object that stops everything for a minute is.
    '--leader-elect-lease-duration=90s',
    '--leader-elect-renew-deadline=60s',
    '--feature-gates=KubeadmBootstrapFormatIgnition=true',
    '--kube-api-qps=1000',
    '--kube-api-burst=1000',
    '--v=0',
  ]);
  exitCode = undefined;
  const started = operator;
  void started.exited.then((code) => {
    if (operator === started) exitCode = code;
  });
  await until(
    'ready and leading',
    async () => [
      await statusOf('/readyz'),
      lease().holderIdentity ?? '',
      exitCode ?? 'runs',
      operator.output().slice(-2_000),
    ],
    ([ready, holder, code]) => (ready === 200 && holder !== '') || code !== 'runs',
  );
}

/** While no program runs, somebody forges each status; the program that starts then finds them all in its first list. */
async function startAmongForged(draw: Draw): Promise<void> {
  await operator.stop();
  for (const { metadata } of server.store.list(pluralOf('KubeadmConfig'), SCENE_NAMESPACE))
    await call(
      'PATCH',
      `${pathOf('KubeadmConfig', metadata.name)}/status`,
      statusFor(forgedStatus(draw), metadata.uid ?? ''),
    );
  await startProgram();
}

const statusFor = (status: Json, uid: string): Json => ({
  status: JSON.parse(JSON.stringify(status).replaceAll(OWN_UID, uid)) as unknown,
});

beforeAll(async () => {
  server = serverOf([...coreDefinitions, ...bootstrapDefinitions], [LEASE_NAMESPACE, SCENE_NAMESPACE]);
  workload = serverOf([], []);
  await server.listen();
  await workload.listen();
  writeFileSync(join(folder, 'kubeconfig'), server.kubeconfig());
  mountCertificate(certificates, 0, servingCertificate('fuzz'));
  server.store.subscribe(({ object }) => noteOutcome(object as unknown as Outcome));
  await create(client(), cluster({ initialized: true }));
  await addClusterSecrets(client(), { kubeconfig: workload.kubeconfig() });
  await addSoundClusters();
  await startProgram();
}, 120_000);

afterAll(async () => {
  agent.destroy();
  await operator.kill();
  await server.close();
  await workload.close();
  for (const each of [folder, certificates]) rmSync(each, { recursive: true, force: true });
});

describe('extreme objects', () => {
  test(
    `${INPUTS} writes -> the process lives, keeps its Lease and its webhooks, and serves another KubeadmConfig after each ${WRITES_OF_A_BATCH}`,
    async () => {
      const draw = drawFrom(seededRandom(printedSeed('fuzz of the objects')).next);
      await serveCanary('canary-first');
      let before = lease();
      const noteBugs = (): void =>
        expect(
          operator
            .output()
            .split('\n')
            .filter((line) => BUG.test(line))
            .slice(0, 5),
        ).toEqual([]);
      let [writes, stored, scenes] = [0, 0, 0];
      for (let batch = 1; writes < INPUTS; batch += 1) {
        const end = Math.min(INPUTS, writes + WRITES_OF_A_BATCH);
        for (; writes < end; scenes += 1) {
          let owner: Stored | null = null;
          for (const write of scene(drawFrom(seededRandom(draw.below(2 ** 31)).next), scenes, SOUND_CLUSTERS)) {
            writes += 1;
            const object: Stored | null = await carryOut(write, owner);
            if (object !== null) stored += 1;
            if (write.kind === 'Machine' || write.kind === 'MachinePool') owner = object;
          }
        }
        await serveCanary(`canary-${writes}`);
        noteBugs();
        expect([`scenes up to ${scenes}`, lease()]).toEqual([
          expect.anything(),
          expect.objectContaining({ holderIdentity: before.holderIdentity, leaseTransitions: before.leaseTransitions }),
        ]);
        if (batch % RESTART_EVERY === 0) {
          await startAmongForged(draw);
          before = lease();
          await serveCanary(`canary-restart-${batch}`);
          noteBugs();
        }
        await clearScenes();
      }
      // What is refused at once asks nothing of the program.
      expect(stored).toBeGreaterThan(writes * 0.6);
      expect(outcomes.data.size).toBeGreaterThan(scenes / 100);
      expect(outcomes.refusal.size).toBeGreaterThan(scenes / 100);
    },
    sized(600_000, 8 * 3_600_000),
  );
});
