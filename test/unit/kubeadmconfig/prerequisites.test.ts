import { describe, expect, test } from '@jest/globals';
import { restOf, restore, step } from '../../../machines/kit/step.js';
import type { Facts, Reply, Request } from '../../../machines/kubeadmconfig/facts.js';
import { chart } from '../../../machines/kubeadmconfig/chart.js';
import { controlPlane, joined, look, NOW_MS, said, saidBefore, statusAfter, worker } from './facts.js';

const infrastructure = 'Waiting for Cluster status.infrastructureReady to be true';

/** Facts that fail every check after the named ones: each check alone decides. */
const everythingWrong = {
  isDeleting: true,
  isHandled: false,
  owner: 'none',
  isFailedForGood: true,
  hasCluster: false,
  isPaused: true,
  dataSecret: 'foreign',
  infrastructureProvisioned: false,
} as const;

describe('kubeadmconfig rows: prerequisites', () => {
  test('KC-034 checks: everything is wrong, mended one after the other -> decided in the order of the requirement and the rulings', () => {
    const mended = [
      {},
      { isDeleting: false },
      { isHandled: true },
      { owner: 'absent' },
      { owner: 'Machine' },
      { isFailedForGood: false },
      { hasCluster: true },
      { isPaused: false },
      { dataSecret: 'unowned' },
      { dataSecret: 'ours' },
      { infrastructureProvisioned: true },
    ] as const;
    let facts = worker(everythingWrong);
    const rows = mended.map((change) => {
      facts = { ...facts, ...change };
      return look(facts).row;
    });
    expect(rows).toEqual(['K01', 'K02', 'K03', 'K04', 'K05', 'K06', 'K07', 'K10', 'K11', 'K13', 'K31']);
  });

  test('BC-021 checks: owner, failure fields, Cluster, data, status -> in the order of the contract', () => {
    const order = [
      look(worker({ owner: 'none', isFailedForGood: true, hasCluster: false })).row,
      look(worker({ isFailedForGood: true, hasCluster: false })).row,
      look(worker({ hasCluster: false })).row,
      look(worker()).request,
    ];
    expect(order).toEqual(['K03', 'K05', 'K06', 'storeJoinData']);
  });

  test.each([
    ['KC-054 no owner reference', worker({ owner: 'none' })],
    ['BC-022 no Machine owner', worker({ owner: 'none' })],
    ['KC-054 the owner does not exist', worker({ owner: 'absent' })],
    ['KC-055 the Cluster does not exist', worker({ hasCluster: false })],
    ['BC-025 the Cluster cannot be found', worker({ hasCluster: false })],
  ] as const)('%s: looked at -> nothing is asked for, written or waited for by time', (_, facts) => {
    const done = look(facts);
    expect(done).toMatchObject({ state: 'WaitingInfra', request: null, wakeInMs: null });
    const stored = { dataSecretName: 'kept' };
    expect(statusAfter([['OBSERVED', facts]], stored)).toBe(stored);
  });

  test.each(['WaitingInfra', 'Joining', 'TokenMonitoring', 'Done'] as const)(
    'KC-057 being deleted in %s: looked at -> nothing happens, the state stays',
    (state) => {
      const done = look(joined({ isDeleting: true, tokenDue: true }), state);
      expect(done).toMatchObject({ state, request: null, wakeInMs: null });
    },
  );

  test('KC-036 deleted and paused at once: looked at -> nothing is written, not even Paused', () => {
    const facts = worker({ isDeleting: true, isPaused: true, pauseMessage: 'Cluster spec.paused is set to true' });
    expect(look(facts)).toMatchObject({ row: 'K01', request: null });
    const stored = {};
    expect(statusAfter([['OBSERVED', facts]], stored)).toBe(stored);
  });

  test('BC-024 failureReason set: looked at -> no further work, no write, from any state', () => {
    const facts = joined({ isFailedForGood: true, failureForGood: 'Broken: for good', tokenDue: true });
    for (const state of ['Initializing', 'Joining', 'TokenMonitoring', 'Rotating'] as const) {
      expect(look(facts, state)).toMatchObject({ state, request: null, wakeInMs: null });
    }
    const stored = {};
    expect(statusAfter([['OBSERVED', facts]], stored)).toBe(stored);
  });

  test('KC-059 paused: looked at -> Paused=True is all that is written, no other work', () => {
    const facts = joined({ isPaused: true, pauseMessage: 'Cluster spec.paused is set to true', tokenDue: true });
    expect(look(facts, 'TokenMonitoring')).toMatchObject({ state: 'TokenMonitoring', request: null, wakeInMs: null });
    const status = statusAfter([['OBSERVED', facts]]);
    expect(status.conditions).toHaveLength(1);
    expect(said(status, 'Paused')).toBe('True Paused Cluster spec.paused is set to true');
    expect(status.observedGeneration).toBeUndefined();
    expect(status.deprecated).toBeUndefined();
  });

  test('KC-017 passes that reach the pause check: paused or not -> the condition Paused is there', () => {
    const paused = statusAfter([
      [
        'OBSERVED',
        worker({ isPaused: true, pauseMessage: 'KubeadmConfig has the cluster.x-k8s.io/paused annotation' }),
      ],
    ]);
    expect(said(paused, 'Paused')).toBe('True Paused KubeadmConfig has the cluster.x-k8s.io/paused annotation');
    for (const facts of [worker({ infrastructureProvisioned: false }), joined(), controlPlane({ lock: 'other' })]) {
      const condition = statusAfter([['OBSERVED', facts]]).conditions?.find(({ type }) => type === 'Paused');
      expect(condition).toMatchObject({ status: 'False', reason: 'NotPaused', message: '', observedGeneration: 3 });
    }
  });

  test('KC-187 filtered out: looked at -> left alone in every respect', () => {
    const facts = joined({ isHandled: false, tokenDue: true });
    expect(look(facts, 'TokenMonitoring')).toMatchObject({ state: 'TokenMonitoring', request: null, wakeInMs: null });
    const stored = {};
    expect(statusAfter([['OBSERVED', facts]], stored)).toBe(stored);
  });

  test('KC-037 the data Secret lacks its owner: looked at -> repaired before the main logic, then the checks go on', () => {
    const facts = worker({ dataSecret: 'unowned', infrastructureProvisioned: false });
    expect(look(facts)).toMatchObject({ row: 'K11', request: 'repairDataSecretOwner' });
    expect(look({ ...facts, dataSecret: 'ours' })).toMatchObject({ row: 'K13', request: null });
  });

  test('KC-213 owner of the data Secret: unowned, of another life in use, foreign -> repaired, repaired, refused', () => {
    expect(look(joined({ dataSecret: 'unowned' })).request).toBe('repairDataSecretOwner');
    expect(look(joined({ dataSecret: 'otherLife' })).request).toBe('repairDataSecretOwner');
    expect(look(worker({ dataSecret: 'otherLife', ownerHasData: true })).request).toBe('repairDataSecretOwner');
    const foreign = worker({ dataSecret: 'foreign', dataSecretProblem: 'it is already controlled by Deployment web' });
    expect(look(foreign)).toMatchObject({ row: 'K10', request: null });
    expect(said(statusAfter([['OBSERVED', foreign]]), 'DataSecretAvailable')).toBe(
      'False NotAvailable could not add KubeadmConfig w-0 as ownerReference to bootstrap Secret w-0, it is already controlled by Deployment web',
    );
  });

  test('data Secret of another life that nobody uses: looked at -> not repaired but made again', () => {
    expect(look(worker({ dataSecret: 'otherLife' })).request).toBe('storeJoinData');
  });

  test('data Secret being deleted: no data known -> its end is awaited, whatever the cluster', () => {
    for (const facts of [worker({ dataSecret: 'ending' }), controlPlane({ dataSecret: 'ending', lock: 'mine' })]) {
      expect(look(facts)).toMatchObject({ row: 'K16', request: null, wakeInMs: null });
      expect(said(statusAfter([['OBSERVED', facts]]), 'DataSecretAvailable')).toBe(
        'False NotAvailable Waiting for bootstrap Secret default/w-0 to be deleted',
      );
    }
  });

  test('owner repaired: answered -> the other checks follow at once, nothing is said yet', () => {
    const facts = worker({ dataSecret: 'ours' });
    const stored = {};
    expect(
      statusAfter(
        [
          ['OBSERVED', worker({ dataSecret: 'unowned' })],
          ['DATA_SECRET_OWNER_REPAIRED', facts],
        ],
        stored,
      ),
    ).toBe(stored);
  });

  test('KC-038 main logic: infrastructure, pivot, stored data, control plane -> the first guard that fits decides', () => {
    const all = {
      infrastructureProvisioned: false,
      ownerHasData: true,
      dataStored: 'unnamed',
      controlPlaneInitialized: true,
    } as const;
    expect(look(worker(all)).row).toBe('K13');
    expect(look(worker({ ...all, infrastructureProvisioned: true })).row).toBe('K15');
    expect(look(worker({ ...all, infrastructureProvisioned: true, ownerHasData: false })).row).toBe('K23');
    expect(look(worker({ dataStored: 'no', controlPlaneInitialized: true })).row).toBe('K31');
    expect(look(worker({ dataStored: 'no', controlPlaneInitialized: false })).row).toBe('K33');
  });

  test('KC-039 infrastructure not provisioned and the owner has data: looked at -> waits for the infrastructure', () => {
    const facts = worker({ infrastructureProvisioned: false, ownerHasData: true });
    expect(look(facts)).toMatchObject({ row: 'K13', state: 'WaitingInfra' });
    const status = statusAfter([['OBSERVED', facts]]);
    expect(status.initialization).toBeUndefined();
    expect(status.dataSecretName).toBeUndefined();
  });

  test('KC-060 infrastructure not provisioned: looked at -> DataSecretAvailable and Ready are False, no requeue', () => {
    const facts = controlPlane({ infrastructureProvisioned: false });
    expect(look(facts)).toMatchObject({ state: 'WaitingInfra', request: null, wakeInMs: null });
    const status = statusAfter([['OBSERVED', facts]]);
    expect(said(status, 'DataSecretAvailable')).toMatch(/^False NotAvailable/);
    expect(said(status, 'Ready')).toMatch(/^False NotReady/);
  });

  test('KC-062 infrastructure not provisioned: looked at -> the message is exactly the requirement’s', () => {
    const status = statusAfter([['OBSERVED', worker({ infrastructureProvisioned: false })]]);
    expect(said(status, 'DataSecretAvailable')).toBe(`False NotAvailable ${infrastructure}`);
  });

  test('KC-025 infrastructure not provisioned: looked at -> v1beta1 says WaitingForClusterInfrastructure', () => {
    const status = statusAfter([['OBSERVED', worker({ infrastructureProvisioned: false })]]);
    expect(saidBefore(status, 'DataSecretAvailable')).toBe('False WaitingForClusterInfrastructure Info');
    expect(saidBefore(status, 'Ready')).toBe('False WaitingForClusterInfrastructure Info');
  });

  test('KC-119 owner has a data Secret name, status is empty: looked at -> the status is restored, nothing else is asked for', () => {
    const facts = worker({ ownerHasData: true, dataSecretName: 'from-the-owner' });
    expect(look(facts)).toMatchObject({ row: 'K15', state: 'Done', request: null, wakeInMs: null });
    const status = statusAfter([['OBSERVED', facts]]);
    expect(status.initialization).toEqual({ dataSecretCreated: true });
    expect(status.dataSecretName).toBe('from-the-owner');
  });

  test('status restored and a lock is left over: looked at -> looked at once more at once', () => {
    const restored = worker({ ownerHasData: true });
    expect(look({ ...restored, lock: 'mine' })).toMatchObject({ row: 'K15', wakeInMs: 0 });
    expect(look({ ...restored, lock: 'mine', controlPlaneInitialized: false })).toMatchObject({ wakeInMs: null });
  });

  test('KC-119 with a token to keep: restored -> TokenMonitoring, and the token is looked at after TTL/3', () => {
    const facts = joined({ dataStored: 'no', ownerHasData: true });
    expect(look(facts)).toMatchObject({ row: 'K14', state: 'TokenMonitoring', request: null, wakeInMs: 300_000 });
  });

  test('KC-120 only one of the two status fields is empty: looked at -> it is restored all the same', () => {
    const facts = worker({ ownerHasData: true, dataStored: 'unnamed', dataSecretName: 'from-the-owner' });
    expect(look(facts).row).toBe('K15');
    const status = statusAfter([['OBSERVED', facts]], { initialization: { dataSecretCreated: true } });
    expect(status.dataSecretName).toBe('from-the-owner');
  });

  test('KC-121 pivot: restored -> every v1beta2 and v1beta1 condition is True', () => {
    const status = statusAfter([['OBSERVED', worker({ ownerHasData: true })]]);
    expect(['DataSecretAvailable', 'CertificatesAvailable', 'Ready'].map((type) => said(status, type))).toEqual([
      'True Available',
      'True Available',
      'True Ready',
    ]);
    expect(['DataSecretAvailable', 'CertificatesAvailable', 'Ready'].map((type) => saidBefore(status, type))).toEqual([
      'True',
      'True',
      'True',
    ]);
  });

  test('KC-122 stored data, v1beta2 conditions absent: looked at -> both are True, nothing is made again', () => {
    const facts = worker({ dataStored: 'yes' });
    expect(look(facts)).toMatchObject({ state: 'Done', request: null });
    const status = statusAfter([['OBSERVED', facts]], {
      initialization: { dataSecretCreated: true },
      dataSecretName: 'w-0',
    });
    expect(said(status, 'DataSecretAvailable')).toBe('True Available');
    expect(said(status, 'CertificatesAvailable')).toBe('True Available');
  });

  test('BC-028 the Secret exists, the status is empty: pivot or adoption -> the status is set', () => {
    expect(statusAfter([['OBSERVED', worker({ ownerHasData: true })]])).toMatchObject({ dataSecretName: 'w-0' });
    const adopted = statusAfter([
      ['OBSERVED', worker()],
      ['DATA_ADOPTED', worker({ dataStored: 'yes' })],
    ]);
    expect(adopted).toMatchObject({ dataSecretName: 'w-0', initialization: { dataSecretCreated: true } });
  });
});

describe('kubeadmconfig rows: what only interrupts', () => {
  const interruptions: Readonly<Record<string, Partial<Facts>>> = {
    'filtered out': { isHandled: false },
    'no owner': { owner: 'none' },
    'owner missing': { owner: 'absent' },
    'failed for good': { isFailedForGood: true },
    'Cluster missing': { hasCluster: false },
    paused: { isPaused: true },
    'data Secret foreign': { dataSecret: 'foreign' },
    'infrastructure missing': { infrastructureProvisioned: false },
  };
  const wakeAfter = (facts: Facts, wakeAtMs: number | null): number | null => {
    const context = { row: 'K28', sinceMs: NOW_MS - 1_000, wakeAtMs };
    const snapshot = restore(chart, { value: 'TokenMonitoring', context });
    if (snapshot === null) throw new Error('no snapshot');
    const { after } = step<Facts, Request, Reply>(chart, snapshot, { type: 'OBSERVED', nowMs: NOW_MS, facts });
    return restOf(after).context.wakeAtMs;
  };

  for (const [what, more] of Object.entries(interruptions)) {
    test(`${what}: a wake-up that was set -> stays until it is due, is not made, does not come at once for ever`, () => {
      const facts = joined(more);
      expect(wakeAfter(facts, NOW_MS + 100_000)).toBe(NOW_MS + 100_000);
      expect(wakeAfter(facts, NOW_MS)).toBeNull();
      expect(wakeAfter(facts, null)).toBeNull();
    });
  }
});
