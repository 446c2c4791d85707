import { describe, expect, test } from '@jest/globals';
import type { Condition } from '../../../src/conditions/condition.js';
import { nodeConditions } from '../../../machines/machine/status/node-conditions.js';
import { projectStatus } from '../../../machines/machine/status/project.js';
import { ready, upToDate } from '../../../machines/machine/status/summary.js';
import { templateDifferences } from '../../../src/controllers/machine/template-differences.js';
import { bootstrap, factsOf, infrastructure, node, runningStatus } from './facts.js';

const types = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];
const healthOf = (statuses: readonly string[], message = ''): Condition | undefined => {
  const conditions = types.map((type, index) => ({
    type,
    status: statuses[index] ?? '',
    message,
    lastTransitionTime: null,
  }));
  return nodeConditions(factsOf({ node: node({ conditions }) })).find(({ type }) => type === 'NodeHealthy');
};

describe('what NodeHealthy says', () => {
  test.each([
    [
      'all four are Unknown, without a text',
      healthOf(['Unknown', 'Unknown', 'Unknown', 'Unknown']),
      'Unknown',
      '* Node.AllConditions: Condition is Unknown',
    ],
    [
      'two are wrong in different ways, without a text',
      healthOf(['False', 'True', 'False', 'False']),
      'False',
      '* Node.Ready: Condition is False\n* Node.MemoryPressure: Condition is True',
    ],
    [
      'all four say the same',
      healthOf(['Unknown', 'Unknown', 'Unknown', 'Unknown'], 'Kubelet stopped posting node status.'),
      'Unknown',
      '* Node.AllConditions: Kubelet stopped posting node status.',
    ],
    [
      'one is wrong, without a text',
      healthOf(['True', 'True', 'False', 'False']),
      'False',
      '* Node.MemoryPressure: Condition is True',
    ],
  ])('%s -> one line of each story', (_title, condition, status, message) => {
    expect(condition).toMatchObject({ status, message });
  });
});

describe('what Ready says of gates', () => {
  const said = (type: string, message: string): Condition => ({ type, status: 'False', reason: 'Bad', message });
  const good = (type: string, status = 'True'): Condition => ({ type, status, reason: 'Fine', message: '' });
  const others = [
    good('Deleting', 'False'),
    good('Updating', 'False'),
    good('BootstrapConfigReady'),
    good('InfrastructureReady'),
    good('NodeHealthy'),
  ];
  const readyOf = (conditions: readonly Condition[]): string => {
    const gates = conditions.map(({ type }) => ({ type, isNegative: false }));
    return ready(factsOf({ machine: { readinessGates: gates } }), [...others, ...conditions]).message;
  };

  test.each([
    ['APIServer-sidecar', 'ControllerManager.leader'],
    ['Scheduler/plugin', 'EtcdPodHealthy'],
    ['APIServerPodHealthy', 'SchedulerPodHealthy'],
  ])('%s and %s tell the same: -> one line of the control plane', (one, other) => {
    expect(readyOf([said(one, 'down'), said(other, 'down')])).toBe('* Control plane components: down');
  });

  test('a gate that only contains such a word -> a line of its own', () => {
    expect(readyOf([said('MyAPIServer', 'down'), said('EtcdPodHealthyToo', 'down')])).toBe(
      '* MyAPIServer: down\n* EtcdPodHealthyToo: down',
    );
  });
});

describe('what UpToDate asks of a kubelet', () => {
  const saidOf = (version: string, kubeletVersion: string, keepsHookTimes: boolean): string => {
    const facts = factsOf({
      machine: { version },
      templateDifferences: [],
      keepsHookTimes,
      node: node({ nodeInfo: { kubeletVersion } }),
    });
    return upToDate(facts)?.status ?? 'none';
  };

  test.each([
    ['another version, beside v1.14', 'v1.31.2', 'v1.30.0', true, 'False'],
    ["a vendor's build, beside v1.13", 'v1.31.2', 'v1.31.2-eks-7f9249a', false, 'True'],
    ['another version, beside v1.13', 'v1.31.2', 'v1.30.0', false, 'True'],
    ['no version in spec, beside v1.14', '', 'v1.31.2', true, 'True'],
    ['the same version, beside v1.14', 'v1.31.2', 'v1.31.2', true, 'True'],
  ] as const)('%s: -> judged by the release that is installed', (_title, version, kubelet, keeps, status) => {
    expect(saidOf(version, kubelet, keeps)).toBe(status);
  });

  test('spec.rollout.after: -> expired behind that moment, not in it', () => {
    const spec = { version: 'v1', bootstrap: {}, infrastructureRef: { apiGroup: 'g', kind: 'K', name: 'n' } };
    const after = '2026-01-01T00:00:00Z';
    const owners = {
      machineSet: { metadata: { creationTimestamp: '2025-01-01T00:00:00Z' }, spec: { template: { spec } } },
      machineDeployment: { spec: { template: { spec }, rollout: { after } } },
      missing: null,
    } as never;
    expect(templateDifferences(owners, Date.parse(after))).toEqual([]);
    expect(templateDifferences(owners, Date.parse(after) + 1)).toEqual(['MachineDeployment spec.rolloutAfter expired']);
  });
});

describe('what status takes over', () => {
  const domainOf = (before: string | undefined, said: string | undefined): unknown => {
    const facts = factsOf({
      infrastructure: infrastructure(said === undefined ? {} : { failureDomain: said }),
      status: { ...runningStatus, ...(before === undefined ? {} : { failureDomain: before }) },
    });
    return projectStatus(facts, { intents: [], failed: false }).failureDomain;
  };
  test.each([
    ['a name', undefined, 'a', 'a'],
    ['another name', 'a', 'b', 'b'],
    ['an empty one: the API takes none', undefined, '', undefined],
    ['an empty one after a name', 'a', '', undefined],
    ['nothing said', 'a', undefined, 'a'],
  ])('failure domain, %s: -> the name, or no field', (_title, before, said, now) => {
    expect(domainOf(before, said)).toBe(now);
  });

  test.each([
    ['bootstrap', { bootstrap: bootstrap({ isMisread: true }) }, 'BootstrapConfigReady'],
    ['infrastructure', { infrastructure: infrastructure({ isMisread: true }) }, 'InfrastructureReady'],
  ] as const)('the %s object has a failure field of a wrong type -> Unknown, InternalError', (_title, more, type) => {
    const { conditions } = projectStatus(factsOf(more), { intents: [], failed: true });
    expect(conditions?.find((each) => each.type === type)).toMatchObject({
      status: 'Unknown',
      reason: 'InternalError',
    });
  });
});
