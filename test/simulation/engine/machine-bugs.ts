// Planted bugs of the Machine controller: what it would do if one rule were missing. See bugs.ts.
import type { AnyController } from '../../../src/host/turn.js';
import type { ApiClient, KubeObject, Target } from '../../../src/kube/contract.js';
import { altered, isKind, notFound, withEffect, withFacts, type Body, type PlantedBug } from './sabotage-kit.js';

type Facts = Record<string, unknown>;

/** What facts say of the Machine itself. */
const withMachine = (controller: AnyController, change: Facts): AnyController =>
  withFacts(controller, (facts) => ({ ...facts, machine: { ...(facts['machine'] as Facts), ...change } }));

/** Patches of Machines changed on their way. */
const patchingMachines = (
  client: ApiClient,
  change: (body: Body, target: Target, isStatus: boolean) => object | null,
): ApiClient =>
  altered(client, {
    mergePatch: (target, body, options) => {
      if (!isKind(target, 'Machine')) return client.mergePatch(target, body, options);
      const changed = change(body as Body, target, options?.subresource === 'status');
      return changed === null ? client.get(target, options) : client.mergePatch(target, changed, options);
    },
  });

interface View {
  readonly machine: KubeObject;
  readonly workload: { readonly kind: string; readonly client: ApiClient };
}

const uidOf = ({ metadata }: Body): string => String(metadata?.['uid'] ?? '');

/** All of them. */
export const MACHINE_BUGS: readonly PlantedBug[] = [
  {
    name: 'infrastructure goes while a pre-terminate hook holds it',
    upstream: null,
    invariants: ['infra-after-hooks'],
    hint: 3,
    sabotage: {
      machineController: (controller) => withMachine(controller, { preTerminateHooks: [] }),
      machineClient: (client) =>
        altered(client, {
          async get<T extends KubeObject>(target: Target, options?: Parameters<ApiClient['get']>[1]) {
            const object = await client.get<T>(target, options);
            const { annotations: _, ...metadata } = object.metadata;
            return isKind(target, 'Machine') ? { ...object, metadata } : object;
          },
        }),
    },
  },
  {
    name: 'a pre-drain hook is not seen',
    upstream: null,
    invariants: ['drain-recorded', 'infra-after-hooks'],
    hint: 3,
    sabotage: { machineController: (controller) => withMachine(controller, { preDrainHooks: [] }) },
  },
  {
    name: 'a drain that does not get through counts as done',
    upstream: null,
    invariants: ['infra-after-hooks'],
    hint: 10,
    sabotage: {
      machineController: (controller) =>
        withEffect(controller, 'drainNode', (effect) => async (...given) => {
          const done = { type: 'NODE_DRAINED', learned: { drain: { kind: 'drained' } } as object };
          const { learned } = await effect(...given).catch(() => done);
          return { ...done, learned: { ...learned, ...done.learned } };
        }),
    },
  },
  {
    name: 'nobody waits for volumes',
    upstream: null,
    invariants: ['infra-after-hooks'],
    hint: 21,
    sabotage: {
      machineController: (controller) =>
        withEffect(
          controller,
          'checkVolumes',
          () => () =>
            Promise.resolve({ type: 'VOLUMES_DETACHED', learned: { volumes: { kind: 'detached' } } as object }),
        ),
    },
  },
  {
    name: 'evictions begin before the start of the drain is recorded',
    upstream: null,
    invariants: ['drain-recorded'],
    hint: 10,
    sabotage: {
      machineClient: (client) =>
        patchingMachines(client, (body, _, isStatus) => {
          const { deletion: __, ...rest } = body.status ?? {};
          return isStatus && Object.keys(rest).length === 0 ? null : body;
        }),
    },
  },
  {
    name: 'infrastructure that is asked to go is taken for gone',
    upstream: null,
    invariants: ['deletion-order'],
    hint: 1,
    sabotage: {
      machineController: (controller) =>
        withFacts(controller, (facts) =>
          (facts['infrastructure'] as Facts)['isDeleting'] === true
            ? { ...facts, infrastructure: { ...(facts['infrastructure'] as Facts), kind: 'missing' } }
            : facts,
        ),
      machineClient: (client) =>
        altered(client, {
          get: (target, options) =>
            isKind(target, 'DemoMachine') ? Promise.reject(notFound(target)) : client.get(target, options),
        }),
    },
  },
  {
    name: 'the bootstrap object goes together with the infrastructure',
    upstream: null,
    invariants: ['deletion-order'],
    hint: 1,
    sabotage: {
      machineClient: (client) =>
        altered(client, {
          async delete(target, options) {
            await client.delete(target, options);
            if (!isKind(target, 'DemoMachine')) return;
            const { preconditions: _, ...rest } = options ?? {};
            const resource = { group: 'bootstrap.cluster.x-k8s.io', version: 'v1beta2', plural: 'kubeadmconfigs' };
            await client.delete(
              { ...target, resource: { ...target.resource, ...resource, kind: 'KubeadmConfig' } },
              rest,
            );
          },
        }),
    },
  },
  {
    name: 'the Node is deleted instead of drained',
    upstream: null,
    invariants: ['deletion-order'],
    hint: 10,
    sabotage: {
      machineController: (controller) =>
        withEffect(controller, 'drainNode', (effect) => async (...given) => {
          const [{ machine, workload }] = given as unknown as [View];
          const target = { resource: nodes, namespace: '', name: machine.metadata.name };
          if (workload.kind === 'open') await workload.client.delete(target).catch(() => undefined);
          return effect(...given);
        }),
    },
  },
  {
    name: 'a Machine gets the Node that a predecessor of its name had',
    upstream: null,
    invariants: ['machine-own-life'],
    hint: 3,
    sabotage: {
      machineClient: (client) => {
        const known = new Map<string, { readonly uid: string; readonly nodeRef: unknown }>();
        return patchingMachines(client, (body, { name }, isStatus) => {
          if (!isStatus) return body;
          const nodeRef = body.status?.['nodeRef'];
          if (nodeRef !== undefined) known.set(name, { uid: uidOf(body), nodeRef });
          const before = known.get(name);
          const isOther = before !== undefined && before.uid !== uidOf(body);
          return isOther ? { ...body, status: { ...body.status, nodeRef: before.nodeRef } } : body;
        });
      },
    },
  },
  {
    name: 'data is taken before it is there',
    upstream: null,
    invariants: ['machine-own-life'],
    hint: 1,
    sabotage: {
      machineClient: (client) =>
        patchingMachines(client, (body, { name }) =>
          body.metadata?.['ownerReferences'] === undefined
            ? body
            : { ...body, spec: { ...body.spec, bootstrap: { dataSecretName: name } } },
        ),
    },
  },
  {
    name: 'the Node of a Machine that is deleted is forgotten',
    upstream: null,
    invariants: ['machine-forward'],
    hint: 3,
    sabotage: {
      machineClient: (client) =>
        patchingMachines(client, (body, _, isStatus) =>
          isStatus && body.status?.['phase'] === 'Deleting'
            ? { ...body, status: { ...body.status, nodeRef: null } }
            : body,
        ),
    },
  },
  {
    name: 'the finalizer goes first',
    upstream: null,
    invariants: ['deletion-order', 'infra-after-hooks'],
    hint: 1,
    sabotage: {
      machineClient: (client) =>
        altered(client, {
          async mergePatch<T extends KubeObject>(...[target, body, options]: Parameters<ApiClient['mergePatch']>) {
            const object = await client.mergePatch<T>(target, body, options);
            if ((body as Body).status?.['phase'] === 'Deleting')
              await client.mergePatch(
                target,
                { metadata: { finalizers: [] } },
                { signal: options?.signal as AbortSignal },
              );
            return object;
          },
        }),
    },
  },
  {
    name: 'the finalizer stays for ever',
    upstream: null,
    invariants: ['machine-gone'],
    hint: 1,
    sabotage: {
      machineClient: (client) =>
        patchingMachines(client, (body) => {
          const finalizers = body.metadata?.['finalizers'] as readonly string[] | undefined;
          return finalizers?.length === 0 ? null : body;
        }),
    },
  },
];

const nodes = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false } as const;
