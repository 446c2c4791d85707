// Builds deploy/ and the pages about it (docs/rbac.md, docs/metrics.md, the dashboard) from the code that needs them.
//
// `manifests({ check })` writes what changed, or with `check` reports what is stale. `node .ci/manifests.mjs --release FOLDER`
// puts a clusterctl repository (`bootstrap-kubeadm/<version>/`) into a folder.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { crds, webhooks } from './manifests/api.mjs';
import { dashboard, metricsMarkdown } from './manifests/metrics.mjs';
import { OTHER_CONTROLLERS, bootstrapRbac, controllerRbac, rbacMarkdown } from './manifests/rbac.mjs';
import { certificate, deployment, namespace, service } from './manifests/workload.mjs';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

// clusterctl knows one line of versions for a provider's name, and looks up the installed version in the metadata of the one
// it goes to. So a release has a number of Cluster API's line, above every patch release of the series that it replaces:
// then the Go provider's metadata knows it, and one can go back. The series are upstream's: an upgrade starts from any of them.
const RELEASE_TAG = 'v1.13.100';
const RELEASE_SERIES = [
  { major: 0, minor: 1, contract: 'v1beta2' },
  ...[14, 13, 12, 11].map((minor) => ({ major: 1, minor, contract: 'v1beta2' })),
  ...[10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map((minor) => ({ major: 1, minor, contract: 'v1beta1' })),
];

const metadataYaml = () =>
  print([{ apiVersion: 'clusterctl.cluster.x-k8s.io/v1alpha3', kind: 'Metadata', releaseSeries: RELEASE_SERIES }]);

// YAML 1.1 is what kubectl and clusterctl read: words like `on` must be quoted.
function print(objects) {
  return objects
    .map((object) =>
      stringify(object, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false, sortMapEntries: true }),
    )
    .join('---\n');
}

// Nobody can pull from `.invalid`: whoever installs names an image of their own. clusterctl asks for a canonical name.
const NO_REGISTRY = 'registry.invalid/';
const IMAGE = `${NO_REGISTRY}kubeadm-bootstrap-operator:v${version}`;

/** All objects of the provider, in the order in which they are applied. */
export async function components(image = IMAGE) {
  return [
    namespace(),
    ...(await crds()),
    ...bootstrapRbac(),
    service(),
    deployment(image),
    ...certificate(),
    ...(await webhooks()),
  ];
}

/** Every file that is made here: path and text. */
async function files() {
  const definitions = await crds();
  return [
    ...definitions.map((crd) => [`deploy/crd/${crd.metadata.name}.yaml`, print([crd])]),
    ['deploy/bootstrap-components.yaml', print(await components())],
    ['deploy/metadata.yaml', metadataYaml()],
    ...OTHER_CONTROLLERS.map((one) => [`deploy/controllers/${one.name}.yaml`, print(controllerRbac(one))]),
    ['docs/rbac.md', rbacMarkdown()],
    ['docs/metrics.md', await metricsMarkdown()],
    ['docs/grafana-dashboard.json', `${JSON.stringify(dashboard(), null, 2)}\n`],
  ];
}

/** Writes or checks the files; returns the problems. */
export async function manifests({ check }) {
  const stale = (await files()).filter(([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text);
  if (check) return stale.map(([path]) => `${path} is stale: run npm run generate`);
  for (const [path, text] of stale) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    process.stdout.write(`wrote ${path}\n`);
  }
  return [];
}

/** Writes a local clusterctl repository with one version of the provider. Throws without an image that can be pulled. */
export async function release(folder, { tag = RELEASE_TAG, image } = {}) {
  if (image === undefined || image.startsWith(NO_REGISTRY))
    throw new Error('--release needs --image: the name under which the cluster can pull the operator');
  const target = join(folder, 'bootstrap-kubeadm', tag);
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'bootstrap-components.yaml'), print(await components(image)));
  writeFileSync(join(target, 'metadata.yaml'), metadataYaml());
  return target;
}

if (process.argv[1]?.endsWith('manifests.mjs')) {
  const option = (name) => {
    const at = process.argv.indexOf(`--${name}`);
    return at === -1 ? undefined : process.argv[at + 1];
  };
  const folder = option('release');
  if (folder !== undefined) {
    const [tag, image] = [option('tag'), option('image')];
    try {
      process.stdout.write(`${await release(folder, { ...(tag && { tag }), ...(image && { image }) })}\n`);
    } catch (error) {
      process.stderr.write(`error: ${error.message}\n`);
      process.exitCode = 2;
    }
  } else {
    const problems = await manifests({ check: process.argv.includes('--check') });
    for (const problem of problems) process.stderr.write(`${problem}\n`);
    process.exitCode = problems.length === 0 ? 0 : 1;
  }
}
