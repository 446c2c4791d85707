// What the core controllers, the control plane or MachineSet, and the infrastructure provider say of a Machine while its node
// comes up: about ten patches of its status, one after the other.
//
//   Y1. What a Machine says already tells which step is next: a restart goes on where it stopped, and nothing is said twice.
//   Y2. The steps of the data, of the virtual machine and of the node are said by those who see them (machine.ts); the others
//       follow by themselves, each after a moment.
//   Y3. Each patch is guarded by the version that was read for it.
import { rfc3339 } from '../core.js';
import { machines, targetOf, type Condition, type Machine } from './resources.js';
import { isTrue, withCondition, type Wait, type World } from './world.js';

/** A step that somebody else has to see. */
export type SeenStep = 'data' | 'provisioned' | 'node';

interface Step {
  readonly name: SeenStep | null;
  readonly isSaid: (machine: Machine) => boolean;
  readonly says: (machine: Machine, nowMs: number) => Saying;
  /** Said of control plane Machines alone. */
  readonly isOfControlPlane?: true;
}

interface Saying {
  readonly conditions: readonly Said[];
  readonly fields?: Readonly<Record<string, unknown>>;
}

type Said = Omit<Condition, 'lastTransitionTime'>;

const controlPlaneLabel = 'cluster.x-k8s.io/control-plane';
const podConditions = [
  'APIServerPodHealthy',
  'ControllerManagerPodHealthy',
  'SchedulerPodHealthy',
  'EtcdPodHealthy',
  'EtcdMemberHealthy',
];
const certificateDays = 365;
const dayMs = 86_400_000;

const said = (type: string, status: Said['status'], reason = type, message = ''): Said => ({
  type,
  status,
  reason,
  message,
});
const has = (type: string) => (machine: Machine) =>
  (machine.status?.conditions ?? []).some((condition) => condition.type === type);
const isSaidTrue = (type: string) => (machine: Machine) => isTrue(machine.status?.conditions, type);
/** A step that is one condition turning True. */
const turning = (type: string, reason = type): Step => ({
  name: null,
  isSaid: isSaidTrue(type),
  says: () => ({ conditions: [said(type, 'True', reason)] }),
});

const steps: readonly Step[] = [
  {
    name: null,
    isSaid: has('BootstrapConfigReady'),
    says: () => ({
      fields: { phase: 'Pending' },
      conditions: [
        said('BootstrapConfigReady', 'False', 'NotReady', 'The bootstrap data is not there yet'),
        said('InfrastructureReady', 'False', 'NotReady', 'The virtual machine is not there yet'),
      ],
    }),
  },
  {
    name: 'data',
    isSaid: isSaidTrue('BootstrapConfigReady'),
    says: () => ({
      fields: { phase: 'Provisioning', initialization: { bootstrapDataSecretCreated: true } },
      conditions: [said('BootstrapConfigReady', 'True', 'Ready')],
    }),
  },
  {
    name: 'provisioned',
    isSaid: ({ status }) => status?.initialization?.infrastructureProvisioned === true,
    says: (machine) => ({
      fields: {
        phase: 'Provisioned',
        addresses: addressesOf(machine, 1),
        initialization: { infrastructureProvisioned: true },
      },
      conditions: [said('InfrastructureReady', 'True', 'Ready')],
    }),
  },
  {
    name: null,
    isSaid: ({ status }) => (status?.addresses ?? []).length > 1,
    says: (machine) => ({ fields: { addresses: addressesOf(machine, 2) }, conditions: [] }),
  },
  turning('UpToDate'),
  {
    name: null,
    isSaid: has('NodeHealthy'),
    says: ({ spec }) => {
      const message = `Waiting for a Node with spec.providerID ${spec.providerID ?? ''} to exist`;
      return {
        conditions: ['NodeReady', 'NodeHealthy'].map((type) => said(type, 'Unknown', 'InspectionFailed', message)),
      };
    },
  },
  {
    name: 'node',
    isSaid: ({ status }) => status?.nodeRef !== undefined,
    says: ({ metadata }) => ({
      fields: { phase: 'Running', nodeRef: { name: metadata.name } },
      conditions: [said('NodeReady', 'False', 'NodeNotReady', 'kubelet is starting')],
    }),
  },
  {
    name: null,
    isSaid: ({ status }) => status?.nodeInfo !== undefined,
    says: ({ spec }) => ({ fields: { nodeInfo: { ...nodeInfo, kubeletVersion: spec.version ?? '' } }, conditions: [] }),
  },
  turning('NodeReady', 'NodeReady'),
  {
    name: null,
    isOfControlPlane: true,
    isSaid: isSaidTrue('EtcdMemberHealthy'),
    says: (_, nowMs) => ({
      fields: { certificatesExpiryDate: rfc3339(nowMs + certificateDays * dayMs) },
      conditions: podConditions.map((type) => said(type, 'True', 'Healthy')),
    }),
  },
  turning('NodeHealthy'),
  turning('Ready'),
  turning('Available'),
];

const nodeInfo = {
  machineID: '',
  systemUUID: '',
  bootID: '',
  kernelVersion: 'simulated',
  osImage: 'simulated',
  containerRuntimeVersion: 'none',
  kubeProxyVersion: '',
  operatingSystem: 'linux',
  architecture: 'none',
};

/** Says a step that its caller has seen, unless the Machine says it already. True when it wrote. */
export async function say(world: World, { metadata }: Machine, name: SeenStep): Promise<boolean> {
  const { namespace = '' } = metadata;
  const fresh = await world.options.client.get<Machine>({ resource: machines, namespace, name: metadata.name });
  const step = steps.find((each) => each.name === name);
  if (step === undefined || step.isSaid(fresh)) return false;
  await write(world, fresh, step);
  return true;
}

/** Says what follows by itself, as far as the Machine has come; when to go on, or null once all of it is said. */
export async function sayMore(world: World, machine: Machine): Promise<Wait> {
  const next = nextOf(machine);
  if (next === null) return null;
  const { namespace = '', name } = machine.metadata;
  const wait = world.remaining(`machine/${namespace}/${name}/says/${next.at}`, world.delays.sayMs);
  if (wait > 0) return wait;
  const fresh = await world.options.client.get<Machine>(targetOf(machines, machine));
  const step = nextOf(fresh)?.step;
  if (step !== undefined) await write(world, fresh, step);
  return null;
}

/** The first step that is not said; null where all are, or where somebody has to see it first. */
function nextOf(machine: Machine): { readonly at: number; readonly step: Step } | null {
  const isControlPlane = machine.metadata.labels?.[controlPlaneLabel] !== undefined;
  const at = steps.findIndex((step) => (isControlPlane || step.isOfControlPlane !== true) && !step.isSaid(machine));
  const step = steps[at];
  return step === undefined || step.name !== null ? null : { at, step };
}

async function write(world: World, machine: Machine, step: Step): Promise<void> {
  const { conditions, fields = {} } = step.says(machine, world.options.clock.nowMs());
  const body = {
    metadata: { resourceVersion: machine.metadata.resourceVersion },
    status: {
      ...fields,
      ...(conditions.length === 0
        ? {}
        : {
            conditions: conditions.reduce<Condition[]>(
              (all, each) => withCondition(all, each, world.now()),
              [...(machine.status?.conditions ?? [])],
            ),
          }),
    },
  };
  await world.options.client.mergePatch(targetOf(machines, machine), body, { subresource: 'status' });
}

/** The provider tells the name first; an address follows. */
function addressesOf({ metadata: { name } }: Machine, count: 1 | 2): readonly object[] {
  const number = [...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 65_536, 0);
  return [
    { type: 'InternalDNS', address: name },
    { type: 'InternalIP', address: `10.0.${Math.floor(number / 256)}.${number % 256}` },
  ].slice(0, count);
}
