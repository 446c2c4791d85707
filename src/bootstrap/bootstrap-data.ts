// The one way to bootstrap data, for the controller and for `render` alike.
//
//   1. prepareInit / prepareControlPlaneJoin / prepareWorkerJoin: what can be refused before anything is done.
//   2. wantedCertificates, loadCertificates: which Secrets to read, and what was in them.
//   3. completeDiscovery, withToken (joins): what the spec gets from the Cluster, its CA and a token.
//   4. neededSecrets, needsControlPlaneVersion: what files and users refer to.
//   5. renderInit / renderControlPlaneJoin / renderWorkerJoin: the bytes.
//
// Every function is pure and total. A spec that comes back is the spec to store; its rendering is the same tomorrow.
import { certificateFiles } from './certificates/certificate-files.js';
import type { PrepareResult, RenderInput, RenderResult } from './bootstrap-types.js';
import { writeCloudConfig } from './cloud-config/cloud-config.js';
import { discoveryKubeConfigFile } from './discovery-kubeconfig.js';
import { endpointText, hasEndpoint } from './endpoint.js';
import { writeIgnition } from './ignition-writer.js';
import { parseKubernetesVersion } from './kubeadm/kubernetes-version.js';
import { kubeadmDocuments, type DocumentsInput } from './kubeadm-documents.js';
import { resolveFiles, resolveUsers } from './node-sources.js';
import type { BootstrapMode, NodeData, NodeFile } from './node-data.js';
import { refuseData } from './refusals.js';
import { refuseTooLarge, refuseTooMuch } from './size-report.js';
import { isDefined, type KubeadmConfigSpec } from './spec-types.js';

export { loadCertificates, wantedCertificates } from './certificate-lookup.js';
export {
  clusterFacts,
  isControlPlaneInitialized,
  isControlPlaneMachine,
  ownerKubernetesVersion,
} from './cluster-facts.js';
export { completeDiscovery, dataToken, withToken } from './discovery.js';
export { neededSecrets, needsControlPlaneVersion } from './node-sources.js';
export { sizeReport } from './size-report.js';

const discoveryFileFailed = 'Failed to create kubeconfig for spec.joinConfiguration.discovery.file';
const workerWithControlPlane =
  'Machine is a Worker, but JoinConfiguration.ControlPlane is set in the KubeadmConfig object';

/** Before an init: the control plane endpoint is defaulted, the version and the kubeadm documents are checked. */
export function prepareInit(input: DocumentsInput): PrepareResult {
  const isReadable = parseKubernetesVersion(input.kubernetesVersion).kind === 'version';
  const spec = isReadable ? withControlPlaneEndpoint(input) : input.spec;
  const made = kubeadmDocuments('init', { ...input, spec });
  return made.kind === 'refused' ? { ...made, spec } : { kind: 'ready', spec };
}

/** Before a control plane join: `joinConfiguration.controlPlane` is there. */
export function prepareControlPlaneJoin({ spec }: { readonly spec: KubeadmConfigSpec }): PrepareResult {
  if (spec.joinConfiguration?.controlPlane !== undefined) return { kind: 'ready', spec };
  return { kind: 'ready', spec: { ...spec, joinConfiguration: { ...spec.joinConfiguration, controlPlane: {} } } };
}

/**
 * Before a worker join: `joinConfiguration.controlPlane` is not there.
 *
 * PARITY: upstream looks only after a token was made, and shows it nowhere (docs/parity.md, Q-20).
 */
export function prepareWorkerJoin({ spec }: { readonly spec: KubeadmConfigSpec }): PrepareResult {
  if (spec.joinConfiguration?.controlPlane === undefined) return { kind: 'ready', spec };
  return { ...refuseData({ field: 'spec.joinConfiguration.controlPlane', cause: workerWithControlPlane }), spec };
}

/** Data for the first control plane machine. */
export function renderInit(input: RenderInput): RenderResult {
  return render('init', { ...input, spec: withControlPlaneEndpoint(input) });
}

/** Data for a further control plane machine. The spec's discovery is complete. */
export function renderControlPlaneJoin(input: RenderInput): RenderResult {
  const prepared = prepareControlPlaneJoin(input);
  return prepared.kind === 'refused' ? prepared : render('controlPlaneJoin', { ...input, spec: prepared.spec });
}

/** Data for a worker or a machine pool. The spec's discovery is complete. */
export function renderWorkerJoin(input: RenderInput): RenderResult {
  const prepared = prepareWorkerJoin(input);
  return prepared.kind === 'refused' ? prepared : render('workerJoin', input);
}

const renderers = { init: renderInit, controlPlaneJoin: renderControlPlaneJoin, workerJoin: renderWorkerJoin } as const;

/** Data of this mode. */
export function renderMode(mode: BootstrapMode, input: RenderInput): RenderResult {
  return renderers[mode](input);
}

function render(mode: BootstrapMode, input: RenderInput): RenderResult {
  const made = kubeadmDocuments(mode, input);
  if (made.kind === 'refused') return made;
  const resolvedFiles = resolveFiles(input);
  if (resolvedFiles.kind === 'refused') return resolvedFiles;
  const resolvedUsers = resolveUsers(input);
  if (resolvedUsers.kind === 'refused') return resolvedUsers;
  const discovery = mode === 'init' ? ({ kind: 'file', file: null } as const) : discoveryKubeConfigFile(input.spec);
  if (discovery.kind === 'invalid') return refuseData({ ...discovery, message: discoveryFileFailed });

  const { spec } = input;
  const files: NodeFile[] = [
    ...(mode === 'workerJoin' ? [] : certificateFiles(input.certificates)),
    ...resolvedFiles.files,
    ...(discovery.file === null ? [] : [discovery.file]),
  ];
  const node: NodeData = {
    kubeadm: made.documents,
    files,
    users: resolvedUsers.users,
    bootCommands: spec.bootCommands ?? [],
    preKubeadmCommands: spec.preKubeadmCommands ?? [],
    postKubeadmCommands: spec.postKubeadmCommands ?? [],
    verbosityFlag: spec.verbosity === undefined ? '' : `--v ${spec.verbosity}`,
    ...(isDefined(spec.ntp) ? { ntp: spec.ntp! } : {}),
    ...(isDefined(spec.diskSetup) ? { diskSetup: spec.diskSetup! } : {}),
    mounts: spec.mounts ?? [],
    ...(spec.ignition === undefined ? {} : { ignition: spec.ignition }),
  };
  const format = spec.format === 'ignition' ? 'ignition' : 'cloud-config';
  const tooMuch = refuseTooMuch(node, format);
  if (tooMuch !== null) return tooMuch;
  const written = format === 'ignition' ? writeIgnition(node) : writeCloudConfig(node);
  if (written.kind === 'invalid') return refuseData({ field: written.field, cause: written.message });
  const { bytes, contributors, warnings = [] } = written;
  return (
    refuseTooLarge(bytes, contributors, input.sizeLimitBytes) ?? {
      kind: 'data',
      format,
      bytes,
      contributors,
      warnings,
    }
  );
}

/** The user's endpoint wins; otherwise the Cluster's, as soon as it is known. */
function withControlPlaneEndpoint({ spec, cluster }: Pick<DocumentsInput, 'spec' | 'cluster'>): KubeadmConfigSpec {
  if (spec.clusterConfiguration?.controlPlaneEndpoint || !hasEndpoint(cluster)) return spec;
  const clusterConfiguration = { ...spec.clusterConfiguration, controlPlaneEndpoint: endpointText(cluster) };
  return { ...spec, clusterConfiguration };
}
