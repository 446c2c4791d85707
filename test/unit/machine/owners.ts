// A MachineSet `ms` of a MachineDeployment `md`, as owners of Machines.
import { infrastructureGroup } from './definitions.js';
import { find, put } from './objects.js';
import type { World } from './world.js';

/** Labels of a Machine of the MachineSet. */
export const ofSet = { 'cluster.x-k8s.io/set-name': 'ms', 'cluster.x-k8s.io/deployment-name': 'md' };
/** Labels of the MachineSet. */
export const ofDeployment = { 'cluster.x-k8s.io/deployment-name': 'md' };
/** The owner reference of a Machine, but for the uid. */
export const setReference = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineSet',
  name: 'ms',
  controller: true,
  blockOwnerDeletion: true,
};

/** The template of both owners. */
export const template = {
  metadata: { labels: { app: 'w' } },
  spec: {
    clusterName: 'c1',
    version: 'v1.36.0',
    bootstrap: { configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfigTemplate', name: 'w' } },
    infrastructureRef: { apiGroup: infrastructureGroup, kind: 'InfraMachineTemplate', name: 'w' },
  },
};
const spec = { clusterName: 'c1', replicas: 1, selector: { matchLabels: { app: 'w' } }, template };

/** What a MachineSet is made from. */
export const machineSet = { metadata: { labels: ofDeployment }, spec };
/** What a MachineDeployment is made from. */
export const machineDeployment = { spec };

/** Makes both owners; returns what a Machine needs to belong to them. */
export async function putOwners({ user }: World) {
  const { metadata } = await put(user, 'MachineDeployment', 'md', machineDeployment);
  const owner = { ...setReference, kind: 'MachineDeployment', name: 'md', uid: metadata.uid };
  await put(user, 'MachineSet', 'ms', { ...machineSet, metadata: { labels: ofDeployment, ownerReferences: [owner] } });
  const uid = (await find(user, 'MachineSet', 'ms'))?.metadata.uid ?? '';
  return { labels: ofSet, ownerReferences: [{ ...setReference, uid }] };
}
