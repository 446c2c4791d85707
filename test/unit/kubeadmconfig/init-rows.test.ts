import { describe, expect, test } from '@jest/globals';
import { answer, controlPlane, failedFacts, joined, look, said, saidBefore, statusAfter, worker } from './facts.js';

const waiting = 'False NotAvailable Waiting for Cluster control plane to be initialized';
const other = { ...controlPlane().names, lockHolder: 'cp-0' };
const storedInit = controlPlane({ lock: 'mine', dataStored: 'yes', dataSecret: 'ours' });

describe('kubeadmconfig rows: the first control plane', () => {
  test('control plane machine, lock free: looked at -> takes the lock, then makes init data', () => {
    expect(look(controlPlane(), 'WaitingInfra')).toMatchObject({ state: 'AcquiringLock', request: 'acquireInitLock' });
    expect(answer('LOCK_ACQUIRED', controlPlane({ lock: 'mine' }), 'AcquiringLock')).toMatchObject({
      state: 'Initializing',
      request: 'storeInitData',
    });
  });

  test('KC-064 first control plane: before any certificate -> the lock is asked for first', () => {
    expect(look(controlPlane()).request).toBe('acquireInitLock');
    expect(look(controlPlane({ lock: 'stale' })).request).toBe('acquireInitLock');
    expect(look(controlPlane({ lock: 'mine' })).request).toBe('storeInitData');
  });

  test('KC-049 worker before initialisation: whatever the lock -> it is never touched', () => {
    for (const lock of ['free', 'mine', 'other', 'stale', 'unreadable'] as const) {
      expect(look(worker({ controlPlaneInitialized: false, lock }))).toMatchObject({ row: 'K33', request: null });
    }
  });

  test('KC-075 lock held by another: first wait and later ones -> the first writes the message, later ones nothing, no data', () => {
    const facts = controlPlane({ lock: 'other', names: other });
    expect(look(facts, 'WaitingInfra')).toMatchObject({ state: 'WaitingCPInit', request: null });
    const first = statusAfter([['OBSERVED', facts]]);
    expect(said(first, 'DataSecretAvailable')).toBe(waiting);
    expect(first.initialization).toBeUndefined();
    expect(statusAfter([['OBSERVED', facts]], first)).toBe(first);
  });

  test('KC-077 lock held by another: seen or found out -> looked at again after 30 s', () => {
    expect(look(controlPlane({ lock: 'other' })).wakeInMs).toBe(30_000);
    expect(answer('LOCK_HELD', controlPlane({ lock: 'other' }), 'AcquiringLock')).toMatchObject({
      state: 'WaitingCPInit',
      wakeInMs: 30_000,
      request: null,
    });
  });

  test('KC-134 somebody else created the lock first: answered -> no condition but the wait’s, looked at after 30 s', () => {
    const facts = controlPlane({ lock: 'other' });
    expect(answer('LOCK_HELD', facts, 'AcquiringLock')).toMatchObject({ row: 'K42', wakeInMs: 30_000 });
    const stored = statusAfter([['OBSERVED', facts]]);
    expect(
      statusAfter(
        [
          ['OBSERVED', controlPlane()],
          ['LOCK_HELD', facts],
        ],
        stored,
      ),
    ).toBe(stored);
  });

  test('KC-149 lock held by a Machine that exists: looked at -> left alone', () => {
    expect(look(controlPlane({ lock: 'other' }))).toMatchObject({ request: null, wakeInMs: 30_000 });
  });

  test('lock that cannot be read: looked at or found out -> never stolen, named in the condition', () => {
    const facts = controlPlane({ lock: 'unreadable', lockProblem: 'lock-information is not JSON' });
    const text =
      'False NotAvailable ConfigMap default/c1-lock is not a readable init lock (lock-information is not JSON): delete it if no control plane Machine is initializing';
    expect(look(facts)).toMatchObject({ state: 'WaitingCPInit', request: null, wakeInMs: 30_000 });
    expect(answer('LOCK_HELD', facts)).toMatchObject({ row: 'K41', state: 'WaitingCPInit', wakeInMs: 30_000 });
    expect(said(statusAfter([['OBSERVED', facts]]), 'DataSecretAvailable')).toBe(text);
    expect(said(statusAfter([['LOCK_HELD', facts]]), 'DataSecretAvailable')).toBe(text);
    expect(saidBefore(statusAfter([['LOCK_HELD', facts]]), 'DataSecretAvailable')).toMatch(
      /^False DataSecretGenerationFailed Warning ConfigMap default\/c1-lock/,
    );
  });

  test('KC-071 init data stored: answered -> rests in Initializing, no requeue', () => {
    expect(answer('DATA_STORED', storedInit, 'Initializing')).toMatchObject({
      state: 'Initializing',
      request: null,
      wakeInMs: null,
    });
  });

  test('KC-072 init data stored: answered -> DataSecretAvailable, CertificatesAvailable and Ready are True', () => {
    const status = statusAfter([
      ['OBSERVED', controlPlane()],
      ['LOCK_ACQUIRED', controlPlane({ lock: 'mine' })],
      ['DATA_STORED', storedInit],
    ]);
    expect(['DataSecretAvailable', 'CertificatesAvailable', 'Ready'].map((type) => said(status, type))).toEqual([
      'True Available',
      'True Available',
      'True Ready',
    ]);
  });

  test('KC-073 data stored: answered -> status.dataSecretName is the Secret’s name', () => {
    expect(statusAfter([['DATA_STORED', { ...storedInit, dataSecretName: 'the-secret' }]]).dataSecretName).toBe(
      'the-secret',
    );
  });

  test('KC-074 data stored: answered -> status.initialization.dataSecretCreated is true', () => {
    expect(statusAfter([['DATA_STORED', storedInit]]).initialization).toEqual({ dataSecretCreated: true });
  });

  test('BC-009 data generated: answered -> the field that v1beta1 serves as ready is true', () => {
    expect(statusAfter([['DATA_STORED', storedInit]]).initialization?.dataSecretCreated).toBe(true);
    expect(statusAfter([['OBSERVED', controlPlane()]]).initialization).toBeUndefined();
  });

  test('BC-010 data generated: answered -> status.dataSecretName is set', () => {
    expect(statusAfter([['DATA_STORED', storedInit]]).dataSecretName).toBe('w-0');
  });

  test('KC-146 init data stored, control plane not initialised: looked at again and again -> the lock is kept', () => {
    for (const state of ['Initializing', 'Done', 'WaitingInfra'] as const) {
      expect(look(storedInit, state)).toMatchObject({ state: 'Initializing', request: null, wakeInMs: null });
    }
    expect(answer('DATA_ADOPTED', storedInit, 'Initializing')).toMatchObject({ state: 'Initializing', request: null });
  });

  test('KC-040 data stored: initialising, then initialised -> no init and no join, but the lock is released', () => {
    expect(look(storedInit).request).toBeNull();
    const initialised = { ...storedInit, controlPlaneInitialized: true };
    expect(look(initialised, 'Initializing')).toMatchObject({ row: 'K21', request: 'releaseInitLock' });
    expect(answer('LOCK_RELEASED', { ...initialised, lock: 'free' }, 'Initializing')).toMatchObject({
      state: 'Done',
      request: null,
      wakeInMs: null,
    });
  });

  test('lock released by one with a token: answered -> its token is looked after', () => {
    const facts = joined({ tokenCheckInMs: 1_000 });
    expect(answer('LOCK_RELEASED', facts)).toMatchObject({ row: 'K44', state: 'TokenMonitoring', wakeInMs: 1_000 });
    expect(said(statusAfter([['LOCK_RELEASED', facts]]), 'DataSecretAvailable')).toBe('True Available');
  });

  test('lock left over, whoever held it: data stored, control plane initialised -> released', () => {
    for (const lock of ['mine', 'other', 'stale', 'unreadable'] as const) {
      expect(look(joined({ lock })).request).toBe('releaseInitLock');
    }
  });

  test('initialised meanwhile: a live read said so -> joins in the same turn', () => {
    expect(
      answer('CONTROL_PLANE_INITIALIZED', controlPlane({ controlPlaneInitialized: true }), 'Initializing'),
    ).toMatchObject({
      state: 'Joining',
      request: 'storeJoinData',
    });
  });

  test('KC-123 certificates of an init fail: failed -> CertificatesAvailable is Unknown, reason InternalError', () => {
    const facts = failedFacts(controlPlane({ lock: 'mine' }), 'storeInitData', 'InitCertificates');
    const status = statusAfter([
      ['OBSERVED', controlPlane({ lock: 'mine' })],
      ['EFFECT_FAILED', facts],
    ]);
    expect(said(status, 'CertificatesAvailable')).toMatch(/^Unknown InternalError/);
    expect(said(status, 'DataSecretAvailable')).toBe(waiting);
  });

  test('KC-124 certificates of an init fail: failed -> the message is exactly the requirement’s, the cause is in v1beta1', () => {
    const facts = failedFacts(
      controlPlane({ lock: 'mine' }),
      'storeInitData',
      'InitCertificates',
      'secrets "c1-ca" is broken',
    );
    const status = statusAfter([['EFFECT_FAILED', facts]]);
    expect(said(status, 'CertificatesAvailable')).toBe('Unknown InternalError Please check controller logs for errors');
    expect(saidBefore(status, 'CertificatesAvailable')).toBe(
      'False CertificatesGenerationFailed Warning secrets "c1-ca" is broken',
    );
  });

  test('KC-028 certificates of an init fail: failed -> v1beta1 says CertificatesGenerationFailed', () => {
    const facts = failedFacts(controlPlane({ lock: 'mine' }), 'storeInitData', 'InitCertificates');
    expect(saidBefore(statusAfter([['EFFECT_FAILED', facts]]), 'CertificatesAvailable')).toBe(
      'False CertificatesGenerationFailed Warning the cause',
    );
  });

  test('KC-125 init fails after the lock was taken: failed -> the lock is given up in the same turn', () => {
    const facts = failedFacts(controlPlane({ lock: 'mine' }), 'storeInitData', 'InitCertificates');
    expect(answer('EFFECT_FAILED', facts, 'Initializing')).toMatchObject({
      state: 'Initializing',
      request: 'giveUpInitLock',
    });
    expect(answer('LOCK_GIVEN_UP', { ...facts, lock: 'free' }, 'Initializing')).toMatchObject({
      state: 'AcquiringLock',
      request: null,
      wakeInMs: null,
    });
    expect(answer('LOCK_KEPT', facts, 'AcquiringLock')).toMatchObject({ state: 'Initializing', request: null });
  });

  test('KC-126 init fails: failed -> no time is set, so that the host’s error backoff decides; the turn counts as failed', () => {
    const facts = failedFacts(controlPlane({ lock: 'mine' }), 'storeInitData', 'InitCertificates');
    expect(answer('EFFECT_FAILED', facts).wakeInMs).toBeNull();
    expect(statusAfter([['EFFECT_FAILED', facts]]).observedGeneration).toBeUndefined();
  });

  test('init fails and the lock cannot be deleted: failed -> the message names both', () => {
    const facts = failedFacts(
      controlPlane({ lock: 'mine' }),
      'storeInitData',
      'InitCertificates',
      '[the cause, failed to unlock the kubeadm init lock]',
    );
    const status = statusAfter([['LOCK_KEPT', facts]]);
    expect(saidBefore(status, 'CertificatesAvailable')).toContain(
      '[the cause, failed to unlock the kubeadm init lock]',
    );
  });

  test.each(['ApiAborted', 'Aborted'])(
    'init cut short (%s): failed -> the lock is kept and nothing is said',
    (kind) => {
      const facts = failedFacts(controlPlane({ lock: 'mine' }), 'storeInitData', kind);
      expect(answer('EFFECT_FAILED', facts, 'Initializing')).toMatchObject({
        row: 'K80',
        state: 'Initializing',
        request: null,
      });
      const stored = {};
      expect(statusAfter([['EFFECT_FAILED', facts]], stored)).toBe(stored);
    },
  );

  test('KC-078 worker, infrastructure provisioned, not initialised: looked at -> DataSecretAvailable is False, looked at again', () => {
    const facts = worker({ controlPlaneInitialized: false });
    expect(look(facts, 'WaitingInfra')).toMatchObject({ state: 'WaitingCPInit', request: null });
    expect(said(statusAfter([['OBSERVED', facts]]), 'DataSecretAvailable')).toMatch(/^False NotAvailable/);
    expect(look(facts).wakeInMs).not.toBeNull();
  });

  test('KC-079 DataSecretAvailable already there: the wait changes -> the message becomes what is waited for', () => {
    const before = statusAfter([['OBSERVED', worker({ infrastructureProvisioned: false })]]);
    const after = statusAfter([['OBSERVED', worker({ controlPlaneInitialized: false })]], before);
    expect(said(after, 'DataSecretAvailable')).toBe(waiting);
    expect(statusAfter([['OBSERVED', worker({ controlPlaneInitialized: false })]], after)).toBe(after);
  });

  test('KC-080 worker, not initialised: looked at -> the message is exactly the requirement’s', () => {
    expect(said(statusAfter([['OBSERVED', worker({ controlPlaneInitialized: false })]]), 'DataSecretAvailable')).toBe(
      waiting,
    );
  });

  test('KC-081 worker, not initialised: looked at -> again after 30 s', () => {
    expect(look(worker({ controlPlaneInitialized: false })).wakeInMs).toBe(30_000);
  });

  test('KC-026 not initialised: looked at -> v1beta1 says WaitingForControlPlaneAvailable', () => {
    const status = statusAfter([['OBSERVED', worker({ controlPlaneInitialized: false })]]);
    expect(saidBefore(status, 'DataSecretAvailable')).toBe('False WaitingForControlPlaneAvailable Info');
    const rival = statusAfter([['OBSERVED', controlPlane({ lock: 'other' })]]);
    expect(saidBefore(rival, 'DataSecretAvailable')).toBe('False WaitingForControlPlaneAvailable Info');
  });

  test('KC-065 certificates that a KubeadmConfig owns: whatever else is to do -> the Cluster becomes their owner first', () => {
    const owned = { hasCertificatesToAdopt: true } as const;
    const looks = [
      controlPlane({ ...owned, lock: 'mine' }),
      { ...storedInit, ...owned },
      { ...storedInit, ...owned, controlPlaneInitialized: true },
      controlPlane({ ...owned, ownerHasData: true }),
      worker(owned),
    ];
    expect(looks.map((facts) => look(facts).request)).toEqual(looks.map(() => 'adoptCertificates'));
    expect(look(controlPlane({ ...owned, isPaused: true })).request).toBeNull();
    for (const state of ['Initializing', 'Done'] as const) {
      expect(answer('CERTIFICATES_ADOPTED', storedInit, state)).toMatchObject({ state, wakeInMs: 0 });
    }
  });

  test('lock taken: before the data -> DataSecretAvailable waits for the control plane if the turn ends there', () => {
    const facts = controlPlane({ lock: 'mine' });
    for (const event of ['OBSERVED', 'LOCK_ACQUIRED'] as const) {
      expect(said(statusAfter([[event, facts]]), 'DataSecretAvailable')).toBe(waiting);
    }
    expect(said(statusAfter([['OBSERVED', controlPlane()]]), 'DataSecretAvailable')).toBe(waiting);
  });
});
