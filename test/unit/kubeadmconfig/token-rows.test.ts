import { describe, expect, test } from '@jest/globals';
import { decidingRow } from '../../../machines/kit/row-by-id.js';
import { chart } from '../../../machines/kubeadmconfig/chart.js';
import { table } from '../../../machines/kubeadmconfig/table.js';
import { answer, failedFacts, joined, look, pool, said, saidBefore, statusAfter, worker } from './facts.js';

const due = { tokenDue: true } as const;

describe('kubeadmconfig rows: tokens', () => {
  test('KC-041 data stored, no bootstrap token discovery: looked at -> Done, no requeue', () => {
    expect(look(worker({ dataStored: 'yes', tokenDue: true }))).toMatchObject({
      state: 'Done',
      request: null,
      wakeInMs: null,
    });
  });

  test('KC-042 Machine, node missing, token due: looked at -> refreshed, and looked at again after TTL/3', () => {
    expect(look(joined(due))).toMatchObject({ row: 'K27', state: 'TokenMonitoring', request: 'refreshToken' });
    expect(answer('TOKEN_KEPT', joined(), 'TokenMonitoring').wakeInMs).toBe(300_000);
  });

  test('KC-043 MachinePool, all nodes there, token due: looked at -> its age is judged', () => {
    expect(look(pool({ ...due, nodeJoined: true }))).toMatchObject({ row: 'K26', request: 'checkTokenAge' });
  });

  test('KC-044 Machine, node there: looked at -> Done, no requeue', () => {
    expect(look(joined({ ...due, nodeJoined: true }), 'TokenMonitoring')).toMatchObject({
      state: 'Done',
      request: null,
      wakeInMs: null,
    });
  });

  test('KC-045 MachinePool, nodes missing, token due: looked at -> refreshed', () => {
    expect(look(pool(due)).request).toBe('refreshToken');
  });

  test('no bootstrap token discovery: whoever, however -> no token is created, refreshed or rotated', () => {
    for (const owner of ['Machine', 'MachinePool'] as const) {
      for (const nodeJoined of [false, true]) {
        const facts = worker({ dataStored: 'yes', owner, nodeJoined, tokenDue: true, hasToken: true });
        expect(look(facts)).toMatchObject({ state: 'Done', request: null });
      }
    }
  });

  test('data stored and the token taken out of the spec: looked at -> nothing to keep alive', () => {
    expect(look(joined({ ...due, hasToken: false }))).toMatchObject({ state: 'Done', request: null });
  });

  test('KC-109 data stored, node missing, token due: looked at -> the token is looked up in the workload cluster', () => {
    expect(look(joined(due)).request).toBe('refreshToken');
    expect(look(joined()).request).toBeNull();
  });

  test('KC-110 token looked at, node missing: answered -> again after TTL/3', () => {
    for (const event of ['TOKEN_KEPT', 'TOKEN_EXTENDED'] as const) {
      expect(answer(event, joined(), 'TokenMonitoring')).toMatchObject({
        state: 'TokenMonitoring',
        request: null,
        wakeInMs: 300_000,
      });
    }
    expect(look(joined({ tokenCheckInMs: 123_000 }), 'TokenMonitoring')).toMatchObject({
      row: 'K28',
      wakeInMs: 123_000,
    });
  });

  test('KC-113 token refreshed: answered -> again after TTL/3', () => {
    expect(answer('TOKEN_EXTENDED', joined({ tokenTtlMs: 60_000 }), 'TokenMonitoring').wakeInMs).toBe(20_000);
  });

  test('KC-114 pool, all nodes there, past TTL/2: answered -> a new token and new data', () => {
    expect(answer('TOKEN_OLD', pool({ nodeJoined: true }), 'TokenMonitoring')).toMatchObject({
      state: 'Rotating',
      request: 'rotateToken',
    });
    expect(answer('DATA_STORED', pool({ nodeJoined: true }), 'Rotating').state).toBe('TokenMonitoring');
  });

  test('KC-115 pool, all nodes there, not past TTL/2: answered -> no new token', () => {
    expect(answer('TOKEN_KEPT', pool({ nodeJoined: true }), 'TokenMonitoring')).toMatchObject({
      state: 'TokenMonitoring',
      request: null,
    });
  });

  test('KC-116 pool, all nodes there: rotated or not -> again after TTL/3', () => {
    expect(answer('TOKEN_KEPT', pool({ nodeJoined: true }), 'TokenMonitoring').wakeInMs).toBe(300_000);
    expect(answer('DATA_STORED', pool({ nodeJoined: true }), 'Rotating').wakeInMs).toBe(300_000);
  });

  test('pool: its token is kept -> waits for nodes that are missing, and for nobody once all are there', () => {
    const waits = (nodeJoined: boolean) =>
      decidingRow({ chart, table }, pool({ nodeJoined })).waitsFor?.(pool({ nodeJoined }));
    expect(look(pool({ nodeJoined: true })).row).toBe('K28');
    expect(waits(false)).toMatchObject({ kind: 'MachinePool', what: 'its node has not joined' });
    expect(waits(true)).toBeNull();
  });

  test('KC-117 pool, token gone: answered -> a new token and new data, nodes there or not', () => {
    for (const nodeJoined of [false, true]) {
      expect(answer('TOKEN_MISSING', pool({ nodeJoined, isTokenOurs: false }), 'TokenMonitoring')).toMatchObject({
        state: 'Rotating',
        request: 'rotateToken',
      });
    }
  });

  test('KC-182 token gone: pool, Machine of ours, Machine of somebody else -> replaced, the same made again, shown', () => {
    expect(answer('TOKEN_MISSING', pool()).request).toBe('rotateToken');
    expect(answer('TOKEN_MISSING', joined())).toMatchObject({ state: 'Rotating', request: 'restoreToken' });
    expect(answer('TOKEN_RESTORED', joined(), 'Rotating')).toMatchObject({
      state: 'TokenMonitoring',
      request: null,
      wakeInMs: 300_000,
    });
    const foreign = joined({ isTokenOurs: false });
    expect(answer('TOKEN_MISSING', foreign)).toMatchObject({
      row: 'K65',
      state: 'TokenMonitoring',
      request: null,
      wakeInMs: 300_000,
    });
    const status = statusAfter([['TOKEN_MISSING', foreign]]);
    expect(said(status, 'DataSecretAvailable')).toBe(
      'False NotAvailable the bootstrap token of spec.joinConfiguration.discovery.bootstrapToken is not in workload cluster default/c1 and was not made by this operator: create it there, or delete Machine default/w-0',
    );
    expect(said(status, 'CertificatesAvailable')).toBe('True Available');
  });

  test('KC-182 token found lost, or its id taken: looked at before the next look is due -> still said, no effect', () => {
    const looks = [
      ['lost', 'K29', 'TOKEN_MISSING', joined({ isTokenOurs: false })],
      ['taken', 'K19', 'TOKEN_TAKEN', joined({ ownerHasData: true })],
    ] as const;
    for (const [tokenTrouble, row, event, facts] of looks) {
      const known = { ...facts, tokenTrouble, tokenCheckInMs: 40_000 };
      expect(look(known)).toMatchObject({ row, state: 'TokenMonitoring', request: null, wakeInMs: 40_000 });
      const found = statusAfter([[event, facts]]);
      expect(said(statusAfter([['OBSERVED', known]], found), 'DataSecretAvailable')).toBe(
        said(found, 'DataSecretAvailable'),
      );
      expect(look({ ...known, tokenDue: true })).toMatchObject({ row: 'K27', request: 'refreshToken' });
    }
  });

  test('--recreate-lost-tokens=false: a Machine’s token is gone -> it is not made again', () => {
    expect(answer('TOKEN_MISSING', joined({ recreateLostTokens: false })).request).toBeNull();
  });

  test('KC-181 node of a Machine there: looked at -> no more looks by time; a pool’s never stop', () => {
    expect(look(joined({ nodeJoined: true })).wakeInMs).toBeNull();
    expect(look(pool({ nodeJoined: true }))).toMatchObject({ state: 'TokenMonitoring', wakeInMs: 300_000 });
  });

  test('KC-185 Machine whose data is in use: spec and data disagree, or the id is taken -> no other token, no other data', () => {
    const used = joined({ ownerHasData: true });
    const mismatch =
      'False NotAvailable bootstrap Secret default/w-0 holds another token than spec.joinConfiguration.discovery.bootstrapToken.token, and Machine default/w-0 may have used it already';
    const differing = { ...used, dataToken: 'different' as const };
    expect(look(differing)).toMatchObject({ row: 'K25', state: 'TokenMonitoring', request: null, wakeInMs: 300_000 });
    expect(said(statusAfter([['OBSERVED', differing]]), 'DataSecretAvailable')).toBe(mismatch);
    expect(said(statusAfter([['OBSERVED', differing]]), 'CertificatesAvailable')).toBe('True Available');
    expect(answer('DATA_TOKEN_DIFFERS', differing)).toMatchObject({
      row: 'K70',
      state: 'TokenMonitoring',
      request: null,
      wakeInMs: 300_000,
    });
    expect(said(statusAfter([['DATA_TOKEN_DIFFERS', differing]]), 'DataSecretAvailable')).toBe(mismatch);
    expect(answer('TOKEN_TAKEN', used)).toMatchObject({
      row: 'K68',
      state: 'TokenMonitoring',
      request: null,
      wakeInMs: 300_000,
    });
    expect(said(statusAfter([['TOKEN_TAKEN', used]]), 'DataSecretAvailable')).toBe(
      'False NotAvailable workload cluster default/c1 holds another bootstrap token with the id of spec.joinConfiguration.discovery.bootstrapToken.token, and Machine default/w-0 may have used the data already',
    );
    expect(saidBefore(statusAfter([['TOKEN_TAKEN', used]]), 'DataSecretAvailable')).toMatch(
      /^False DataSecretGenerationFailed Warning/,
    );
    expect(said(statusAfter([['TOKEN_TAKEN', used]]), 'CertificatesAvailable')).toBe('True Available');
  });

  test('KC-211 data with another token than the spec: pool, or Machine that was told nothing -> made again with the spec’s', () => {
    for (const facts of [pool({ dataToken: 'different', ownerHasData: true }), joined({ dataToken: 'different' })]) {
      expect(look(facts)).toMatchObject({ row: 'K24', state: 'Rotating', request: 'storeJoinData' });
      expect(answer('DATA_TOKEN_DIFFERS', facts, 'TokenMonitoring')).toMatchObject({
        row: 'K69',
        state: 'Rotating',
        request: 'storeJoinData',
      });
      expect(answer('TOKEN_TAKEN', facts, 'TokenMonitoring')).toMatchObject({
        row: 'K67',
        state: 'Rotating',
        request: 'rotateToken',
      });
    }
  });

  test('KC-188 TTL of 15 min: looks at tokens -> 5 min apart', () => {
    expect(answer('TOKEN_KEPT', joined({ tokenTtlMs: 900_000 })).wakeInMs).toBe(300_000);
  });

  test('KC-191 another TTL: looks at tokens -> a third of it apart', () => {
    for (const [ttl, third] of [
      [30_000, 10_000],
      [3_600_000, 1_200_000],
      [1_000, 333],
    ] as const) {
      expect(answer('TOKEN_KEPT', joined({ tokenTtlMs: ttl })).wakeInMs).toBe(third);
      expect(answer('DATA_STORED', joined({ tokenTtlMs: ttl })).wakeInMs).toBe(third);
    }
  });

  test('KC-210 node pending, Machine: token due -> the refresh is asked for, nothing else', () => {
    expect(look(joined({ ...due, ownerHasData: true })).request).toBe('refreshToken');
  });

  test('waiting tokens: every resting row -> conditions are True', () => {
    for (const [event, facts] of [
      ['OBSERVED', joined()],
      ['TOKEN_KEPT', joined()],
      ['TOKEN_EXTENDED', joined()],
      ['TOKEN_RESTORED', joined()],
      ['OBSERVED', joined(due)],
      ['OBSERVED', pool({ ...due, nodeJoined: true })],
      ['OBSERVED', joined({ nodeJoined: true })],
      ['OBSERVED', joined({ dataToken: 'different' })],
      ['TOKEN_OLD', pool()],
      ['TOKEN_MISSING', pool()],
      ['TOKEN_MISSING', joined()],
      ['TOKEN_TAKEN', pool()],
      ['DATA_TOKEN_DIFFERS', pool()],
    ] as const) {
      const status = statusAfter([[event, facts]]);
      expect(['DataSecretAvailable', 'CertificatesAvailable'].map((type) => said(status, type))).toEqual([
        'True Available',
        'True Available',
      ]);
    }
  });

  test('a failed refresh: workload cluster away -> the stored data stays available, the state stays, nothing is asked for', () => {
    const facts = failedFacts(joined(due), 'refreshToken', 'WorkloadUnreachable');
    expect(answer('EFFECT_FAILED', facts, 'TokenMonitoring')).toMatchObject({
      state: 'TokenMonitoring',
      request: null,
      wakeInMs: null,
    });
    const status = statusAfter(
      [
        ['OBSERVED', joined(due)],
        ['EFFECT_FAILED', facts],
      ],
      { initialization: { dataSecretCreated: true }, dataSecretName: 'w-0' },
    );
    expect(said(status, 'DataSecretAvailable')).toBe('True Available');
    expect(said(status, 'Ready')).toBe('True Ready');
    expect(status.initialization).toEqual({ dataSecretCreated: true });
  });
});
