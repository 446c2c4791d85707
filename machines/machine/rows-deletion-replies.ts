// What follows on the answers of a deletion's effects, in the same turn where it can.

import {
  bootstrapGoes,
  completed,
  drainContinues,
  drained,
  infrastructureGoes,
  nodeGoes,
  preTerminateHooks,
  volumesAttached,
  volumesDetached,
  volumesStart,
  type Say,
} from './intents.js';
import { row, timer, type MachineRow } from './row.js';
import { waitForDrain, waitForHooks, waitForRemoval, waitForVolumes } from './waits-deletion.js';

const always = { guard: 'always' } as const;

const both =
  (...says: readonly Say[]): Say =>
  (facts) =>
    says.flatMap((say) => say(facts));

/** What comes after drain and detach, for the two answers that can lead there. */
function afterwards(
  on: 'NODE_DRAINED' | 'VOLUMES_DETACHED',
  {
    ids,
    from,
    said,
  }: {
    readonly ids: readonly [string, string, string];
    readonly from: 'Draining' | 'DetachingVolumes';
    readonly said: Say;
  },
): readonly MachineRow[] {
  return [
    row({
      id: ids[0],
      requirements: ['MA-072', 'MA-073'],
      title: `pre-terminate hooks after ${from === 'Draining' ? 'the drain' : 'the volumes'}`,
      description:
        'Annotations of others hold the end of the infrastructure. Each is removed by its owner; there is no time limit.',
      on,
      from: [from],
      guard: 'hasPreTerminateHooks',
      target: 'PreTerminateHooks',
      requeue: timer.removal,
      conditions: both(said, preTerminateHooks),
      waitsFor: waitForHooks('preTerminateHooks'),
    }),
    row({
      id: ids[1],
      requirements: ['MA-075'],
      title: `infrastructure not readable after ${from === 'Draining' ? 'the drain' : 'the volumes'}`,
      description: 'Whether the infrastructure object is gone is not known: nothing behind it may be deleted.',
      on,
      from: [from],
      guard: 'isInfrastructureUnclear',
      target: 'DeletingInfrastructure',
      requeue: timer.removal,
      conditions: both(said, infrastructureGoes),
      waitsFor: waitForRemoval('infrastructure'),
    }),
    row({
      id: ids[2],
      requirements: ['MA-074'],
      title: `infrastructure to be deleted after ${from === 'Draining' ? 'the drain' : 'the volumes'}`,
      description: 'Nothing holds the infrastructure object any more: it is deleted.',
      on,
      from: [from],
      ...always,
      target: 'DeletingInfrastructure',
      request: 'deleteInfrastructure',
      conditions: both(said, infrastructureGoes),
      waitsFor: waitForRemoval('infrastructure'),
    }),
  ];
}

/** Rows of the answers. */
export const deletionReplyRows: readonly MachineRow[] = [
  row({
    id: 'M60',
    requirements: ['MA-064', 'MA-065', 'MA-099'],
    title: 'Pods left',
    description: 'Pods are still on the Node. The drain goes on after 20 s or when one of them goes.',
    on: 'PODS_LEFT',
    from: ['Draining'],
    ...always,
    target: 'Draining',
    requeue: timer.drain,
    conditions: drainContinues,
    waitsFor: waitForDrain,
  }),
  row({
    id: 'M61',
    requirements: ['MA-066', 'MA-069', 'MA-100', 'MA-101'],
    title: 'drained, volumes to be looked at',
    description: 'All Pods that count are gone; now the volumes have to be detached.',
    on: 'NODE_DRAINED',
    from: ['Draining'],
    guard: 'areVolumesInQuestion',
    target: 'DetachingVolumes',
    request: 'checkVolumes',
    conditions: both(drained, volumesStart),
    waitsFor: waitForVolumes,
  }),
  ...afterwards('NODE_DRAINED', { ids: ['M62', 'M63', 'M64'], from: 'Draining', said: drained }),
  row({
    id: 'M65',
    requirements: ['MA-070', 'MA-071', 'MA-102'],
    title: 'volumes attached',
    description:
      'Volumes are still attached to the Node. They are looked at again after 20 s or when an attachment changes.',
    on: 'VOLUMES_ATTACHED',
    from: ['DetachingVolumes'],
    ...always,
    target: 'DetachingVolumes',
    requeue: timer.volumes,
    conditions: volumesAttached,
    waitsFor: waitForVolumes,
  }),
  ...afterwards('VOLUMES_DETACHED', {
    ids: ['M66', 'M67', 'M68'],
    from: 'DetachingVolumes',
    said: volumesDetached,
  }).map((each) => ({
    ...each,
    requirements: [...each.requirements, 'MA-103'],
  })),
  row({
    id: 'M69',
    requirements: ['MA-075'],
    title: 'infrastructure asked to go',
    description: 'The infrastructure object is being deleted; its watch tells when it is gone.',
    on: 'INFRASTRUCTURE_DELETION_ASKED',
    from: ['DeletingInfrastructure'],
    ...always,
    target: 'DeletingInfrastructure',
    requeue: timer.removal,
    conditions: infrastructureGoes,
    waitsFor: waitForRemoval('infrastructure'),
  }),
  row({
    id: 'M70',
    requirements: ['MA-078'],
    title: 'bootstrap object asked to go',
    description: 'The bootstrap object is being deleted; its watch tells when it is gone.',
    on: 'BOOTSTRAP_DELETION_ASKED',
    from: ['DeletingBootstrap'],
    ...always,
    target: 'DeletingBootstrap',
    requeue: timer.removal,
    conditions: bootstrapGoes,
    waitsFor: waitForRemoval('bootstrap'),
  }),
  row({
    id: 'M71',
    requirements: ['MA-080', 'MA-081'],
    title: 'Node deleted',
    description: 'Nothing is left that belongs to the Machine: its finalizer is removed.',
    on: 'NODE_DELETED',
    from: ['DeletingNode'],
    ...always,
    target: 'RemovingFinalizer',
    request: 'removeFinalizer',
    conditions: nodeGoes,
  }),
  row({
    id: 'M72',
    requirements: ['MA-080'],
    title: 'finalizer removed',
    description: 'The API server forgets the Machine, unless finalizers of others hold it.',
    on: 'FINALIZER_REMOVED',
    from: ['RemovingFinalizer'],
    ...always,
    target: 'RemovingFinalizer',
    requeue: timer.removal,
    conditions: completed,
  }),
];
