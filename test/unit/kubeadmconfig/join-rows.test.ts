import { describe, expect, test } from '@jest/globals';
import { answer, failedFacts, joined, look, pool, said, saidBefore, statusAfter, worker } from './facts.js';

const rival = worker({ isControlPlaneMachine: true });
const allTrue = ['True Available', 'True Available', 'True Ready'];
const types = ['DataSecretAvailable', 'CertificatesAvailable', 'Ready'];

describe('kubeadmconfig rows: joining', () => {
  test('KC-046 no data yet: initialised or not -> join or init', () => {
    expect(look(rival).request).toBe('storeJoinData');
    expect(look({ ...rival, controlPlaneInitialized: false }).request).toBe('acquireInitLock');
    expect(look(worker()).request).toBe('storeJoinData');
    expect(look(worker({ controlPlaneInitialized: false })).request).toBeNull();
  });

  test('KC-048 initialised: control plane or not -> joinControlplane or joinWorker', () => {
    expect(look(rival, 'WaitingCPInit')).toMatchObject({ row: 'K30', state: 'Joining', request: 'storeJoinData' });
    expect(look(worker(), 'WaitingCPInit')).toMatchObject({ row: 'K31', state: 'Joining', request: 'storeJoinData' });
    expect(look(worker({ owner: 'MachinePool' })).row).toBe('K31');
  });

  test('KC-082 control plane machine, initialised, no data: looked at -> join data is asked for', () => {
    expect(look(rival, 'WaitingInfra')).toMatchObject({ state: 'Joining', request: 'storeJoinData' });
  });

  test('KC-095 worker, initialised, no data: looked at -> join data is asked for', () => {
    expect(look(worker(), 'WaitingInfra')).toMatchObject({ state: 'Joining', request: 'storeJoinData' });
  });

  test('every look while joining: asked again -> the effect is repeated', () => {
    expect(look(worker(), 'Joining')).toMatchObject({ state: 'Joining', request: 'storeJoinData' });
  });

  test.each([
    ['KC-087 control plane', { ...joined(), isControlPlaneMachine: true }],
    ['KC-102 worker', joined()],
  ] as const)('%s join data stored: answered -> looked at again after TTL/3', (_, facts) => {
    expect(answer('DATA_STORED', facts, 'Joining')).toMatchObject({ state: 'TokenMonitoring', wakeInMs: 300_000 });
    expect(answer('DATA_STORED', { ...facts, tokenTtlMs: 30_000 }, 'Joining').wakeInMs).toBe(10_000);
  });

  test('KC-102 without a token (file discovery): stored -> looked at after TTL/3 as upstream, nothing is left to do', () => {
    expect(answer('DATA_STORED', worker({ dataStored: 'yes' }), 'Joining')).toMatchObject({
      state: 'Done',
      wakeInMs: 300_000,
    });
  });

  test('KC-088 control plane join data stored: answered -> all three conditions are True', () => {
    const status = statusAfter([
      ['OBSERVED', rival],
      ['DATA_STORED', { ...joined(), isControlPlaneMachine: true }],
    ]);
    expect(types.map((type) => said(status, type))).toEqual(allTrue);
  });

  test('KC-103 worker join data stored: answered -> all three conditions are True', () => {
    const status = statusAfter([
      ['OBSERVED', worker()],
      ['DATA_STORED', joined()],
    ]);
    expect(types.map((type) => said(status, type))).toEqual(allTrue);
    const file = statusAfter([
      ['OBSERVED', worker()],
      ['DATA_STORED', worker({ dataStored: 'yes' })],
    ]);
    expect(types.map((type) => said(file, type))).toEqual(allTrue);
  });

  test('bootstrap Secret stored: answered -> DataSecretAvailable is True', () => {
    expect(said(statusAfter([['DATA_STORED', joined()]]), 'DataSecretAvailable')).toMatch(/^True/);
    expect(said(statusAfter([['DATA_STORED', worker({ dataStored: 'yes' })]]), 'DataSecretAvailable')).toMatch(/^True/);
  });

  test('KC-089 endpoint missing: answered -> no data, waits in Joining, certificates are known, DataSecretAvailable is False', () => {
    expect(answer('ENDPOINT_MISSING', rival, 'Joining')).toMatchObject({ state: 'Joining', request: null });
    const status = statusAfter([
      ['OBSERVED', rival],
      ['ENDPOINT_MISSING', rival],
    ]);
    expect(said(status, 'CertificatesAvailable')).toBe('True Available');
    expect(said(status, 'DataSecretAvailable')).toBe(
      'False NotAvailable Waiting for Cluster Controller to set Cluster.Spec.ControlPlaneEndpoint',
    );
    expect(saidBefore(status, 'DataSecretAvailable')).toBe('False WaitingForControlPlaneAvailable Info');
    expect(status.initialization).toBeUndefined();
  });

  test('KC-091 endpoint missing: answered -> looked at again after 10 s', () => {
    expect(answer('ENDPOINT_MISSING', worker(), 'Joining').wakeInMs).toBe(10_000);
  });

  test('KC-092 certificates of a join fail: failed -> CertificatesAvailable is Unknown, reason InternalError', () => {
    const facts = failedFacts(rival, 'storeJoinData', 'JoinCertificates');
    expect(answer('EFFECT_FAILED', facts, 'Joining')).toMatchObject({ row: 'K82', state: 'Joining', request: null });
    expect(
      said(
        statusAfter([
          ['OBSERVED', rival],
          ['EFFECT_FAILED', facts],
        ]),
        'CertificatesAvailable',
      ),
    ).toBe('Unknown InternalError Please check controller logs for errors');
  });

  test('KC-093 certificates of a join fail: failed -> Ready is Unknown, unless DataSecretAvailable is already False', () => {
    const facts = failedFacts(worker(), 'storeJoinData', 'JoinCertificates');
    expect(
      said(
        statusAfter([
          ['OBSERVED', worker()],
          ['EFFECT_FAILED', facts],
        ]),
        'Ready',
      ),
    ).toMatch(/^Unknown ReadyUnknown/);
    const waited = statusAfter([['OBSERVED', worker({ controlPlaneInitialized: false })]]);
    expect(
      said(
        statusAfter(
          [
            ['OBSERVED', worker()],
            ['EFFECT_FAILED', facts],
          ],
          waited,
        ),
        'Ready',
      ),
    ).toMatch(/^False NotReady/);
  });

  test('KC-029 certificates of a join fail: failed -> v1beta1 says CertificatesCorrupted, severity Error', () => {
    const facts = failedFacts(worker(), 'storeJoinData', 'JoinCertificates');
    expect(saidBefore(statusAfter([['EFFECT_FAILED', facts]]), 'CertificatesAvailable')).toBe(
      'False CertificatesCorrupted Error the cause',
    );
  });

  test.each([
    ['KC-094 certificates', 'JoinCertificates'],
    ['KC-106 worker with controlPlane', 'SpecRefused'],
    ['KC-131 files', 'FilesUnreadable'],
    ['KC-131 passwords', 'UsersUnreadable'],
    ['KC-133 token', 'TokenFailed'],
    ['KC-133 connection', 'WorkloadUnreachable'],
    ['KC-138 discovery kubeconfig', 'DiscoveryFile'],
  ] as const)(
    '%s: failed -> no time is set: the error backoff decides, and the generation is not observed',
    (_, kind) => {
      const facts = failedFacts(worker(), 'storeJoinData', kind);
      expect(answer('EFFECT_FAILED', facts, 'Joining')).toMatchObject({
        state: 'Joining',
        wakeInMs: null,
        request: null,
      });
      expect(statusAfter([['EFFECT_FAILED', facts]], { observedGeneration: 2 }).observedGeneration).toBe(2);
    },
  );

  test('KC-127 files cannot be read: failed -> DataSecretAvailable is False, reason NotAvailable', () => {
    const facts = failedFacts(worker(), 'storeJoinData', 'FilesUnreadable');
    expect(said(statusAfter([['EFFECT_FAILED', facts]]), 'DataSecretAvailable')).toMatch(/^False NotAvailable/);
    expect(said(statusAfter([['EFFECT_FAILED', facts]]), 'CertificatesAvailable')).toBe('True Available');
  });

  test('KC-128 files cannot be read: failed -> the message is exactly the requirement’s', () => {
    const facts = failedFacts(worker(), 'storeJoinData', 'FilesUnreadable');
    expect(said(statusAfter([['EFFECT_FAILED', facts]]), 'DataSecretAvailable')).toBe(
      'False NotAvailable Failed to read content from secrets for spec.files',
    );
  });

  test('KC-129 passwords cannot be read: failed -> DataSecretAvailable is False, reason NotAvailable', () => {
    const facts = failedFacts(worker(), 'storeJoinData', 'UsersUnreadable');
    expect(said(statusAfter([['EFFECT_FAILED', facts]]), 'DataSecretAvailable')).toMatch(/^False NotAvailable/);
  });

  test('KC-130 passwords cannot be read: failed -> the message is exactly the requirement’s', () => {
    const facts = failedFacts(worker(), 'storeJoinData', 'UsersUnreadable');
    expect(said(statusAfter([['EFFECT_FAILED', facts]]), 'DataSecretAvailable')).toBe(
      'False NotAvailable Failed to read password from secrets for spec.users',
    );
  });

  test('KC-136 discovery kubeconfig: failed -> DataSecretAvailable is False', () => {
    const facts = failedFacts(worker(), 'storeJoinData', 'DiscoveryFile');
    expect(said(statusAfter([['EFFECT_FAILED', facts]]), 'DataSecretAvailable')).toMatch(/^False NotAvailable/);
  });

  test('KC-137 discovery kubeconfig: failed -> the message is exactly the requirement’s', () => {
    const facts = failedFacts(worker(), 'storeJoinData', 'DiscoveryFile');
    expect(said(statusAfter([['EFFECT_FAILED', facts]]), 'DataSecretAvailable')).toBe(
      'False NotAvailable Failed to create kubeconfig for spec.joinConfiguration.discovery.file',
    );
  });

  test('KC-027 a generation step fails: failed -> v1beta1 says DataSecretGenerationFailed with the cause', () => {
    for (const kind of ['FilesUnreadable', 'UsersUnreadable', 'DiscoveryFile', 'DataRefused', 'StoreFailed'] as const) {
      const status = statusAfter([['EFFECT_FAILED', failedFacts(worker(), 'storeJoinData', kind)]]);
      expect(saidBefore(status, 'DataSecretAvailable')).toBe('False DataSecretGenerationFailed Warning the cause');
    }
  });

  test('KC-022 failures that upstream shows nowhere: failed -> DataSecretAvailable is False, NotAvailable, with the cause', () => {
    const kinds = [
      'SpecRefused',
      'DataRefused',
      'StoreFailed',
      'TokenFailed',
      'TokenLost',
      'WorkloadUnreachable',
      'ClusterUnreadable',
      'LockFailed',
      'DataSecretForeign',
      'DataSecretEnding',
      'ApiForbidden',
      'ApiUnavailable',
    ];
    for (const kind of kinds) {
      const status = statusAfter([['EFFECT_FAILED', failedFacts(worker(), 'storeJoinData', kind)]]);
      expect([kind, said(status, 'DataSecretAvailable')]).toEqual([kind, 'False NotAvailable the cause']);
    }
    const template = statusAfter([['EFFECT_FAILED', failedFacts(worker(), 'storeJoinData', 'FilesUnprepared')]]);
    expect(said(template, 'DataSecretAvailable')).toBe('False NotAvailable Failed to prepare spec.files: the cause');
  });

  test('failures before and after the certificates: failed -> CertificatesAvailable says what is known', () => {
    const known = [
      'FilesUnreadable',
      'FilesUnprepared',
      'UsersUnreadable',
      'DiscoveryFile',
      'DataRefused',
      'WorkloadUnreachable',
      'TokenFailed',
      'TokenLost',
      'StoreFailed',
      'DataSecretForeign',
      'DataSecretEnding',
    ];
    for (const kind of known) {
      const status = statusAfter([['EFFECT_FAILED', failedFacts(worker(), 'storeJoinData', kind)]]);
      expect([kind, said(status, 'CertificatesAvailable')]).toEqual([kind, 'True Available']);
    }
    for (const kind of ['SpecRefused', 'ClusterUnreadable', 'LockFailed', 'ApiForbidden']) {
      const status = statusAfter([['EFFECT_FAILED', failedFacts(worker(), 'storeJoinData', kind)]]);
      expect([kind, said(status, 'CertificatesAvailable')]).toEqual([kind, null]);
    }
  });

  test.each([
    ['JoinCertificates', 'K82'],
    ['FilesUnreadable', 'K83'],
    ['UsersUnreadable', 'K84'],
    ['DiscoveryFile', 'K85'],
    ['SpecRefused', 'K86'],
    ['DataRefused', 'K86'],
    ['FilesUnprepared', 'K86'],
    ['WorkloadUnreachable', 'K87'],
    ['TokenFailed', 'K88'],
    ['TokenLost', 'K88'],
    ['StoreFailed', 'K89'],
    ['DataSecretForeign', 'K89'],
    ['DataSecretEnding', 'K89'],
    ['ApiForbidden', 'K90'],
    ['ApiConflict', 'K91'],
    ['ApiAborted', 'K80'],
    ['Aborted', 'K80'],
  ])('failure %s: answered -> row %s, the state stays', (kind, row) => {
    expect(answer('EFFECT_FAILED', failedFacts(worker(), 'storeJoinData', kind), 'Joining')).toMatchObject({
      row,
      state: 'Joining',
      request: null,
    });
  });

  test('somebody else was faster: conflict -> nothing is said', () => {
    const stored = {};
    expect(statusAfter([['EFFECT_FAILED', failedFacts(worker(), 'storeJoinData', 'ApiConflict')]], stored)).toBe(
      stored,
    );
  });

  test('data found that is ours: adopted -> by kind to Initializing, to TokenMonitoring with a look at the token, to Done', () => {
    expect(answer('DATA_ADOPTED', joined(), 'Joining')).toMatchObject({
      state: 'TokenMonitoring',
      request: 'refreshToken',
    });
    expect(answer('DATA_ADOPTED', worker({ dataStored: 'yes' }), 'Joining')).toMatchObject({
      state: 'Done',
      request: null,
      wakeInMs: null,
    });
    for (const facts of [joined(), worker({ dataStored: 'yes' })]) {
      expect(types.map((type) => said(statusAfter([['DATA_ADOPTED', facts]]), type))).toEqual(allTrue);
    }
  });

  test('a pool’s data stored again: answered from Rotating -> TokenMonitoring after TTL/3', () => {
    expect(answer('DATA_STORED', pool(), 'Rotating')).toMatchObject({ state: 'TokenMonitoring', wakeInMs: 300_000 });
  });
});
