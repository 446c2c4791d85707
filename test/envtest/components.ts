// Installs the built components on a bare API server.
//
// A bare API server has no cert-manager, no Service routing and no Deployment controller. So Deployment, Issuer and
// Certificate are left out, and `clientConfig.service` becomes the address of a webhook server in this process.
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import type { EnvtestServer } from './api-server.js';

interface Component {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

const plurals: Readonly<Record<string, string>> = {
  Namespace: 'namespaces',
  ServiceAccount: 'serviceaccounts',
  Service: 'services',
  Role: 'roles',
  RoleBinding: 'rolebindings',
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  CustomResourceDefinition: 'customresourcedefinitions',
  MutatingWebhookConfiguration: 'mutatingwebhookconfigurations',
  ValidatingWebhookConfiguration: 'validatingwebhookconfigurations',
};

/** Where the webhooks are reached, and who vouches for their certificate. */
export interface WebhookAddress {
  readonly url: string;
  readonly caPem: string;
}

/** Installs all objects of a components file that a bare API server understands. */
export async function installComponents(server: EnvtestServer, webhook: WebhookAddress, file: string): Promise<void> {
  const objects = parseAllDocuments(readFileSync(file, 'utf8'), { version: '1.1' }).map(
    (document) => document.toJS() as Component,
  );
  for (const object of objects) {
    const plural = plurals[object.kind];
    if (plural === undefined) continue;
    const { status, text } = await server.call('POST', pathOf(object, plural), withAddress(object, webhook));
    if (status !== 201) throw new Error(`${object.kind} ${object.metadata.name}: ${status} ${text}`);
  }
}

function pathOf({ apiVersion, metadata }: Component, plural: string): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return metadata.namespace === undefined ? `${root}/${plural}` : `${root}/namespaces/${metadata.namespace}/${plural}`;
}

function withAddress(value: unknown, webhook: WebhookAddress): unknown {
  if (Array.isArray(value)) return value.map((item) => withAddress(item, webhook));
  if (typeof value !== 'object' || value === null) return value;
  const { service, ...rest } = value as { readonly service?: { readonly path?: string } };
  if (service?.path !== undefined) {
    return { ...rest, url: `${webhook.url}${service.path}`, caBundle: Buffer.from(webhook.caPem).toString('base64') };
  }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withAddress(item, webhook)]));
}
