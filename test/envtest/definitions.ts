// Installs Cluster API's CustomResourceDefinitions into a real API server, as the embedded server has them: v1beta2 only and
// without a conversion webhook.
import { bootstrapDefinitions, coreDefinitions } from '../../src/embedded/crds.js';
import type { EnvtestServer } from './api-server.js';

const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Definition {
  readonly metadata: { readonly name: string };
}

/** Creates definitions and waits until they are served. */
export async function installDefinitions(
  server: EnvtestServer,
  definitions: readonly object[] = [...coreDefinitions, ...bootstrapDefinitions],
): Promise<void> {
  for (const definition of definitions) {
    const { status, text } = await server.call('POST', path, definition);
    if (status !== 201) throw new Error(`cannot install ${(definition as Definition).metadata.name}: ${text}`);
  }
  for (const definition of definitions) await untilServed(server, definition as Definition);
}

interface Served {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string }[];
  };
}

async function untilServed(server: EnvtestServer, { metadata }: Definition): Promise<void> {
  for (let attempt = 0; attempt < 400; attempt += 1) {
    const { body } = await server.call('GET', `${path}/${metadata.name}`);
    const { group, names, versions } = (body as unknown as Served).spec;
    const answers = await Promise.all(
      versions.map(({ name }) => server.call('GET', `/apis/${group}/${name}/${names.plural}?limit=1`)),
    );
    const documents = await server.call('GET', `/openapi/v3/apis/${group}/${versions[0]?.name ?? ''}`);
    const isDescribed = documents.status === 200 && documents.text.includes(`/${names.plural}/`);
    if (isDescribed && answers.every(({ status }) => status === 200)) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`${metadata.name} is not served`);
}
