import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { coreDefinitions } from '../../src/embedded/crds.js';
import type { FullApiClient } from '../../src/kube/client.js';
import { systemClock, systemRandom } from '../../src/system.js';
import { sized } from '../test-size.js';
import { startConditionOperator, type ConditionOperator } from '../worlds/condition-operator.js';
import {
  clusterStories,
  controlPlaneStories,
  explainStories,
  storyDefinitions,
  type ConditionStage,
} from '../worlds/condition-stories.js';
import { pause, until } from '../worlds/operator-process.js';
import { clientOf } from '../worlds/world.js';
import { startApiServer, type EnvtestServer } from './api-server.js';
import { installDefinitions } from './definitions.js';
import { ACCOUNT, ACCOUNT_USER, accountKubeconfig, installControllerRole } from './installed.js';

jest.setTimeout(300_000);

/** Without a write for this long, a world is at rest. */
const QUIET_MS = 500;

let server: EnvtestServer;
let client: FullApiClient;
let own: FullApiClient;
let operator: ConditionOperator;

beforeAll(async () => {
  server = await startApiServer({ audit: true });
  await installDefinitions(server, [...coreDefinitions, ...storyDefinitions]);
  client = clientOf(server.kubeconfig());
  for (const controller of ['cluster-initialized', 'machines-up-to-date'])
    await installControllerRole(server, controller);
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: ACCOUNT.name } };
  await server.call('POST', `/api/v1/namespaces/${ACCOUNT.namespace}/serviceaccounts`, account);
  own = clientOf(readFileSync(await accountKubeconfig(server, ACCOUNT), 'utf8'), 'operator-under-test');
  operator = await startConditionOperator(own, { clock: systemClock, random: systemRandom, breathe: () => pause(10) });
}, 180_000);

afterAll(async () => {
  await operator?.stop();
  await Promise.all([client?.close(), own?.close()]);
  await server?.stop();
});

const writes = () =>
  server
    .auditEntries()
    .filter(({ verb, user }) => user.username === ACCOUNT_USER && !['get', 'list', 'watch'].includes(verb));

const stage = (): ConditionStage => ({
  client,
  operator,
  nowMs: () => systemClock.nowMs(),
  interleaved: sized(1_000, 1_000),
  see: (what, look, holds) => until(what, look, holds, 60_000),
  async rest() {
    for (let before = -1; before !== writes().length;) {
      before = writes().length;
      await pause(QUIET_MS);
    }
  },
});

describe('condition reconcilers on a real API server, with their two roles and nothing else', () => {
  clusterStories(stage);
  controlPlaneStories(stage);
  explainStories(stage);

  test('bugs: all stories -> none; and every write is one of the two kinds that there are', () => {
    expect(operator.bugs).toEqual([]);
    const kinds = new Set(
      writes().map(({ verb, objectRef }) => `${verb} ${objectRef?.resource}/${objectRef?.subresource}`),
    );
    expect([...kinds].toSorted()).toEqual(['patch clusters/status', 'patch kubeadmcontrolplanes/status']);
    const refused = server
      .auditEntries()
      .filter(({ user, responseStatus }) => user.username === ACCOUNT_USER && responseStatus?.code === 403);
    expect(refused.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
  });

  test('CI-016 CI-018 MU-011 MU-012 a settled world: another process -> not one write', async () => {
    await stage().rest();
    const before = writes().length;
    const again = await startConditionOperator(own, {
      clock: systemClock,
      random: systemRandom,
      breathe: () => pause(10),
    });
    await stage().rest();
    await pause(1_000);
    expect(writes().length - before).toBe(0);
    await again.stop();
  });
});
