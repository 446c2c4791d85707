import { describe, expect, test } from '@jest/globals';
import type { Status } from '../../../machines/kubeadmconfig/status.js';
import { failedFacts, joined, look, NOW_MS, said, saidBefore, statusAfter, worker } from './facts.js';

const infra = worker({ infrastructureProvisioned: false });
const condition = (status: Status, type: string) => status.conditions?.find((each) => each.type === type);
const before = (status: Status, type: string) =>
  status.deprecated?.v1beta1?.conditions?.find((each) => each.type === type);

describe('kubeadmconfig status', () => {
  test('KC-012 either input changes: projected -> Ready is computed again from exactly these two', () => {
    const waits = statusAfter([['OBSERVED', infra]]);
    expect(said(waits, 'Ready')).toMatch(/^False/);
    const stored = statusAfter([['DATA_STORED', joined()]], waits);
    expect(said(stored, 'Ready')).toBe('True Ready');
    const others: Status = {
      conditions: [
        {
          type: 'Other',
          status: 'False',
          reason: 'Foreign',
          message: 'not ours',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    };
    expect(said(statusAfter([['DATA_STORED', joined()]], others), 'Ready')).toBe('True Ready');
    const corrupted = statusAfter(
      [['EFFECT_FAILED', failedFacts(worker(), 'storeJoinData', 'JoinCertificates')]],
      stored,
    );
    expect(said(corrupted, 'Ready')).toMatch(/^Unknown/);
  });

  test('KC-013 both inputs True: projected -> Ready is True', () => {
    expect(condition(statusAfter([['DATA_STORED', joined()]]), 'Ready')?.status).toBe('True');
  });

  test('KC-014 summaries: in every situation -> one of the three reasons', () => {
    const reasons = [
      statusAfter([['DATA_STORED', joined()]]),
      statusAfter([['OBSERVED', infra]]),
      statusAfter([['EFFECT_FAILED', failedFacts(worker(), 'storeJoinData', 'JoinCertificates')]]),
    ].map((status) => condition(status, 'Ready')?.reason);
    expect(reasons).toEqual(['Ready', 'NotReady', 'ReadyUnknown']);
  });

  test('KC-016 certificates found or generated: projected -> CertificatesAvailable is True', () => {
    expect(condition(statusAfter([['DATA_STORED', joined()]]), 'CertificatesAvailable')?.status).toBe('True');
    expect(condition(statusAfter([['ENDPOINT_MISSING', worker()]]), 'CertificatesAvailable')?.status).toBe('True');
  });

  test('KC-018 both inputs True: projected -> Ready True, reason Ready', () => {
    expect(said(statusAfter([['DATA_STORED', joined()]]), 'Ready')).toBe('True Ready');
  });

  test('KC-019 at least one input False: projected -> Ready False, reason NotReady, both inputs named', () => {
    expect(said(statusAfter([['OBSERVED', infra]]), 'Ready')).toBe(
      'False NotReady * DataSecretAvailable: Waiting for Cluster status.infrastructureReady to be true\n* CertificatesAvailable: Condition not yet reported',
    );
  });

  test('KC-020 no input False, one Unknown: projected -> Ready Unknown, reason ReadyUnknown', () => {
    const status = statusAfter([['EFFECT_FAILED', failedFacts(worker(), 'storeJoinData', 'JoinCertificates')]]);
    expect(said(status, 'Ready')).toBe(
      'Unknown ReadyUnknown * DataSecretAvailable: Condition not yet reported\n* CertificatesAvailable: Please check controller logs for errors',
    );
  });

  test('KC-021 Secret stored: projected -> DataSecretAvailable True, reason Available', () => {
    expect(said(statusAfter([['DATA_STORED', joined()]]), 'DataSecretAvailable')).toBe('True Available');
  });

  test('KC-023 certificates found: projected -> CertificatesAvailable True, reason Available', () => {
    expect(said(statusAfter([['DATA_STORED', joined()]]), 'CertificatesAvailable')).toBe('True Available');
  });

  test('KC-024 certificates cannot be read or generated: projected -> Unknown, reason InternalError', () => {
    for (const kind of ['InitCertificates', 'JoinCertificates'] as const) {
      const status = statusAfter([['EFFECT_FAILED', failedFacts(worker(), 'storeJoinData', kind)]]);
      expect(said(status, 'CertificatesAvailable')).toMatch(/^Unknown InternalError/);
    }
  });

  test('KC-030 any change of a condition: projected -> both generations of the API change in the same pass', () => {
    const steps = [
      [['OBSERVED', infra]],
      [['OBSERVED', worker({ controlPlaneInitialized: false })]],
      [['ENDPOINT_MISSING', worker()]],
      [['EFFECT_FAILED', failedFacts(worker(), 'storeJoinData', 'JoinCertificates')]],
      [['EFFECT_FAILED', failedFacts(worker(), 'storeJoinData', 'FilesUnreadable')]],
      [['DATA_STORED', joined()]],
      [['OBSERVED', worker({ ownerHasData: true })]],
    ] as const;
    let status: Status = {};
    for (const step of steps) {
      const next = statusAfter(step, status);
      for (const type of ['DataSecretAvailable', 'CertificatesAvailable']) {
        const isTurned = (condition(next, type)?.status === 'True') !== (condition(status, type)?.status === 'True');
        const isTwinTurned = (before(next, type)?.status === 'True') !== (before(status, type)?.status === 'True');
        expect([type, isTwinTurned]).toEqual([type, isTurned]);
        const isTrue = condition(next, type)?.status === 'True';
        if (condition(next, type) !== undefined) expect(before(next, type)?.status === 'True').toBe(isTrue);
      }
      status = next;
    }
  });

  test('KC-031 v1beta1 conditions: True or False -> True alone, False with reason and severity', () => {
    expect(before(statusAfter([['DATA_STORED', joined()]]), 'DataSecretAvailable')).toEqual({
      type: 'DataSecretAvailable',
      status: 'True',
      lastTransitionTime: '2026-01-02T03:04:05Z',
    });
    expect(before(statusAfter([['OBSERVED', infra]]), 'DataSecretAvailable')).toEqual({
      type: 'DataSecretAvailable',
      status: 'False',
      severity: 'Info',
      reason: 'WaitingForClusterInfrastructure',
      lastTransitionTime: '2026-01-02T03:04:05Z',
    });
    const failed = statusAfter([['EFFECT_FAILED', failedFacts(worker(), 'storeJoinData', 'FilesUnreadable')]]);
    expect(before(failed, 'DataSecretAvailable')).toMatchObject({
      status: 'False',
      severity: 'Warning',
      message: 'the cause',
    });
  });

  test('KC-032 v1beta2 conditions: set -> complete, with times and generation', () => {
    expect(condition(statusAfter([['DATA_STORED', joined()]]), 'DataSecretAvailable')).toEqual({
      type: 'DataSecretAvailable',
      status: 'True',
      reason: 'Available',
      message: '',
      lastTransitionTime: '2026-01-02T03:04:05Z',
      observedGeneration: 3,
    });
  });

  test('KC-033 end of a pass: success and error -> both Ready conditions are computed again', () => {
    const success = statusAfter([['DATA_STORED', joined()]]);
    expect([said(success, 'Ready'), saidBefore(success, 'Ready')]).toEqual(['True Ready', 'True']);
    const error = statusAfter([['EFFECT_FAILED', failedFacts(worker(), 'storeJoinData', 'UsersUnreadable')]], success);
    expect(said(error, 'Ready')).toMatch(/^False NotReady/);
    expect(saidBefore(error, 'Ready')).toBe('False DataSecretGenerationFailed Warning the cause');
  });

  test('end of a pass: success, wait and error -> each projection differs from what is stored', () => {
    for (const step of [
      ['DATA_STORED', joined()],
      ['OBSERVED', worker({ controlPlaneInitialized: false })],
      ['EFFECT_FAILED', failedFacts(worker(), 'storeJoinData', 'UsersUnreadable')],
    ] as const) {
      const stored = {};
      expect(statusAfter([step], stored)).not.toBe(stored);
    }
  });

  test('KC-201 a pass that fails: projected -> status.observedGeneration stays', () => {
    const stored = { observedGeneration: 2 };
    expect(
      statusAfter([['EFFECT_FAILED', failedFacts(worker(), 'storeJoinData', 'UsersUnreadable')]], stored)
        .observedGeneration,
    ).toBe(2);
    expect(statusAfter([['DATA_STORED', joined()]], stored).observedGeneration).toBe(3);
  });

  test('transition times: same status, other message -> kept; other status -> now', () => {
    const first = statusAfter([['OBSERVED', infra]], {}, NOW_MS - 60_000);
    const second = statusAfter([['OBSERVED', worker({ controlPlaneInitialized: false })]], first);
    expect(condition(second, 'DataSecretAvailable')?.lastTransitionTime).toBe('2026-01-02T03:03:05Z');
    const third = statusAfter([['DATA_STORED', joined()]], second);
    expect(condition(third, 'DataSecretAvailable')?.lastTransitionTime).toBe('2026-01-02T03:04:05Z');
  });

  test('a turn through several rows: the last word counts -> no condition flickers', () => {
    const stored = statusAfter([['DATA_STORED', joined()]], {}, NOW_MS - 60_000);
    const again = statusAfter(
      [
        ['OBSERVED', joined({ tokenDue: true })],
        ['TOKEN_KEPT', joined()],
      ],
      stored,
    );
    expect(again).toBe(stored);
  });

  test('paused: the pause ends and its turn says nothing (work cut short, somebody was faster) -> Paused turns False at once', () => {
    const paused = statusAfter([
      ['OBSERVED', worker({ isPaused: true, pauseMessage: 'Cluster spec.paused is set to true' })],
    ]);
    expect(said(paused, 'Paused')).toMatch(/^True/);
    for (const kind of ['Aborted', 'ApiConflict']) {
      const failed = failedFacts(worker(), 'storeJoinData', kind);
      const after = statusAfter(
        [
          ['OBSERVED', worker()],
          ['EFFECT_FAILED', failed],
        ],
        paused,
      );
      expect([kind, said(after, 'Paused')]).toEqual([kind, 'False NotPaused']);
      expect(after.observedGeneration).toBeUndefined();
    }
  });

  test('paused: the owner or the Cluster is gone, or the object is going -> Paused stays as it is', () => {
    const paused = statusAfter([
      ['OBSERVED', worker({ isPaused: true, pauseMessage: 'Cluster spec.paused is set to true' })],
    ]);
    const untouched = [{ owner: 'absent' }, { hasCluster: false }, { isDeleting: true }, { isHandled: false }] as const;
    for (const more of untouched) expect(statusAfter([['OBSERVED', worker(more)]], paused)).toBe(paused);
  });

  test('order of conditions: all set -> Ready, CertificatesAvailable, DataSecretAvailable, Paused', () => {
    const status = statusAfter([['DATA_STORED', joined()]]);
    expect(status.conditions?.map(({ type }) => type)).toEqual([
      'Ready',
      'CertificatesAvailable',
      'DataSecretAvailable',
      'Paused',
    ]);
    expect(status.deprecated?.v1beta1?.conditions?.map(({ type }) => type)).toEqual([
      'Ready',
      'CertificatesAvailable',
      'DataSecretAvailable',
    ]);
  });

  test('fields of others: failureReason, foreign conditions -> kept', () => {
    const status = statusAfter([['OBSERVED', infra]], {
      conditions: [
        { type: 'Foreign', status: 'True', reason: 'Theirs', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
      ],
      deprecated: {
        v1beta1: { conditions: [{ type: 'Theirs', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
      },
    });
    expect(said(status, 'Foreign')).toBe('True Theirs');
    expect(saidBefore(status, 'Theirs')).toBe('True');
  });

  test('data known but not reported available: looked at -> the fields of the data are not written', () => {
    const facts = worker({ ownerHasData: true, infrastructureProvisioned: false });
    expect(look(facts).row).toBe('K13');
    expect(statusAfter([['OBSERVED', facts]])).not.toHaveProperty('dataSecretName');
  });
});
