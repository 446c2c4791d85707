// Every flag of `run`: upstream's bootstrap manager's (same name, default and meaning, spec 11.1), those of its core manager that
// the Machine controller has, and our own.
//
// The table is data: `--help`, docs/flags.md and the parser are made from it.

import type { FlagSpec } from './flag-types.js';

/** Names of the controllers that this operator holds. */
export const CONTROLLER_NAMES = ['kubeadmconfig', 'machine', 'cluster-initialized', 'machines-up-to-date'] as const;
/** One of CONTROLLER_NAMES. */
export type ControllerName = (typeof CONTROLLER_NAMES)[number];

const UPSTREAM_FLAGS: readonly FlagSpec[] = [
  {
    name: 'leader-elect',
    kind: 'bool',
    default: 'false',
    help: 'Take a Lease before doing anything, so that only one manager is active.',
  },
  {
    name: 'leader-elect-lease-duration',
    kind: 'duration',
    default: '15s',
    help: 'How long others wait before they take over a Lease that is not renewed.',
  },
  {
    name: 'leader-elect-renew-deadline',
    kind: 'duration',
    default: '10s',
    help: 'How long the leader tries to renew before it gives up.',
  },
  {
    name: 'leader-elect-retry-period',
    kind: 'duration',
    default: '2s',
    help: 'Time between two tries to take or renew the Lease.',
  },
  { name: 'namespace', kind: 'string', default: '', help: 'Handle objects of this namespace only; empty means all.' },
  {
    name: 'watch-filter',
    kind: 'string',
    default: '',
    help: 'Handle only objects whose label cluster.x-k8s.io/watch-filter has this value; empty means all.',
  },
  {
    name: 'profiler-address',
    kind: 'string',
    default: '',
    help: 'Address that serves processor and heap profiles in V8’s formats, without authentication; empty turns it off.',
  },
  { name: 'contention-profiling', kind: 'bool', default: 'false', help: 'Go block profiling.', effect: 'none' },
  {
    name: 'clustercache-concurrency',
    kind: 'int',
    default: '100',
    help: 'Workers of the workload cluster cache; connections here are made on demand.',
    effect: 'none',
  },
  {
    name: 'kubeadmconfig-concurrency',
    kind: 'int',
    default: '100',
    help: 'KubeadmConfigs handled at the same time; 0 and less mean one.',
  },
  {
    name: 'skip-crd-migration-phases',
    kind: 'list',
    default: '',
    help: 'Phases of the CRD migration to leave out: StorageVersionMigration, CleanupManagedFields.',
  },
  {
    name: 'sync-period',
    kind: 'duration',
    default: '10m',
    help: 'Every object is reconciled at least once in each period, spread over its last fifth; 0 turns it off.',
  },
  {
    name: 'kube-api-qps',
    kind: 'float',
    default: '100',
    help: 'Requests per second to the management API server, on average, for each resource on its own; 0 means 5, below 0 no limit.',
  },
  {
    name: 'kube-api-burst',
    kind: 'int',
    default: '200',
    help: 'Requests to the management API server that may be sent at once, for each resource on its own; 0 means 10.',
  },
  {
    name: 'clustercache-client-qps',
    kind: 'float',
    default: '20',
    help: 'Requests per second to each workload API server, on average, for each resource on its own; 0 means 5, below 0 no limit.',
  },
  {
    name: 'clustercache-client-burst',
    kind: 'int',
    default: '30',
    help: 'Requests to each workload API server that may be sent at once, for each resource on its own; 0 means 10.',
  },
  { name: 'bootstrap-token-ttl', kind: 'duration', default: '15m', help: 'How long a bootstrap token lives.' },
  {
    name: 'webhook-port',
    kind: 'int',
    default: '9443',
    help: 'Port of the webhook server. In a pod it is always wanted; elsewhere it starts when the flag is given or a certificate is there.',
  },
  {
    name: 'webhook-cert-dir',
    kind: 'string',
    default: '/tmp/k8s-webhook-server/serving-certs/',
    help: 'Folder of the webhook certificate; it is watched and reloaded.',
  },
  { name: 'webhook-cert-name', kind: 'string', default: 'tls.crt', help: 'File name of the webhook certificate.' },
  { name: 'webhook-key-name', kind: 'string', default: 'tls.key', help: 'File name of the webhook key.' },
  { name: 'health-addr', kind: 'string', default: ':9440', help: 'Address of /healthz and /readyz.' },
  {
    name: 'tls-min-version',
    kind: 'string',
    default: 'VersionTLS12',
    choices: ['VersionTLS10', 'VersionTLS11', 'VersionTLS12', 'VersionTLS13'],
    help: 'Least TLS version of the webhook and diagnostics servers.',
  },
  {
    name: 'tls-cipher-suites',
    kind: 'list',
    default: '',
    help: 'TLS cipher suites of these servers, by their Go names; empty takes the default.',
  },
  { name: 'diagnostics-address', kind: 'string', default: ':8443', help: 'Address of /metrics and /debug.' },
  {
    name: 'insecure-diagnostics',
    kind: 'bool',
    default: 'false',
    help: 'Serve /metrics over plain HTTP without authentication; /debug is not served then.',
  },
  {
    name: 'feature-gates',
    kind: 'list',
    default: '',
    help: 'Name=true|false pairs: MachinePool, KubeadmBootstrapFormatIgnition and the other gates of Cluster API.',
  },
  {
    name: 'kubeconfig',
    kind: 'string',
    default: '',
    help: 'Kubeconfig file; without it $KUBECONFIG, then the account of the pod, then ~/.kube/config.',
  },
  { name: 'v', kind: 'int', default: '2', help: 'Log level, 0 to 10.' },
  { name: 'vmodule', kind: 'string', default: '', help: 'Log level by Go file.', effect: 'none' },
  { name: 'logging-format', kind: 'string', default: 'text', choices: ['text', 'json'], help: 'Shape of log lines.' },
  {
    name: 'log-flush-frequency',
    kind: 'duration',
    default: '5s',
    help: 'Lines are written at once here.',
    effect: 'none',
  },
  { name: 'log-text-split-stream', kind: 'bool', default: 'false', help: 'Two log streams.', effect: 'none' },
  { name: 'log-text-info-buffer-size', kind: 'string', default: '0', help: 'Buffer of the text log.', effect: 'none' },
  { name: 'log-json-split-stream', kind: 'bool', default: 'false', help: 'Two log streams.', effect: 'none' },
  { name: 'log-json-info-buffer-size', kind: 'string', default: '0', help: 'Buffer of the JSON log.', effect: 'none' },
];

/** Of the Go manager that holds the Machine controller. */
const CORE_FLAGS: readonly FlagSpec[] = [
  {
    name: 'machine-concurrency',
    kind: 'int',
    default: '100',
    help: 'Machines handled at the same time; 0 and less mean one.',
  },
  {
    name: 'remote-conditions-grace-period',
    kind: 'duration',
    default: '5m',
    help: 'How long NodeReady and NodeHealthy keep what they said of a workload cluster that does not answer; at least 2m.',
  },
  {
    name: 'additional-sync-machine-labels',
    kind: 'regexps',
    default: '',
    help: 'Regular expressions (Go’s syntax) of further labels that go from a Machine to its Node; a match anywhere in the key counts.',
  },
  {
    name: 'additional-sync-machine-annotations',
    kind: 'regexps',
    default: '',
    help: 'Regular expressions (Go’s syntax) of further annotations that go from a Machine to its Node; a match anywhere in the key counts.',
  },
];

const OWN_FLAGS: readonly FlagSpec[] = [
  {
    name: 'controllers',
    kind: 'list',
    default: 'kubeadmconfig',
    choices: [...CONTROLLER_NAMES, 'all'],
    help: 'Controllers to run.',
  },
  {
    name: 'condition-reasons',
    kind: 'string',
    default: 'table',
    choices: ['table', 'upstream'],
    help: 'Reasons of ControlPlaneInitialized and MachinesUpToDate: those of the transition tables or upstream’s.',
  },
  {
    name: 'recreate-lost-tokens',
    kind: 'bool',
    default: 'true',
    help: 'If a bootstrap token disappears before its Machine has joined, create it again with the same value.',
  },
  {
    name: 'snapshot-store',
    kind: 'string',
    default: 'status',
    choices: ['status', 'annotation', 'configmap', 'none'],
    help: 'Where the state of an actor is stored.',
  },
  {
    name: 'inspector-bind-address',
    kind: 'string',
    default: '127.0.0.1:8090',
    help: 'Address of the inspector page; empty turns it off.',
  },
  {
    name: 'inspector-protocols',
    kind: 'list',
    default: 'ui',
    choices: ['ui', 'stately', 'xstate-inspect'],
    help: 'Inspector endpoints to serve: the page (ui), Stately’s inspector (stately), @xstate/inspect (xstate-inspect).',
  },
  {
    name: 'inspector-auth',
    kind: 'string',
    default: 'none',
    choices: ['none', 'token', 'kubernetes'],
    help: 'Who may read the inspector; none works on loopback only.',
  },
  {
    name: 'inspector-token-file',
    kind: 'string',
    default: '',
    help: 'File with the token of --inspector-auth=token; one that is not there is made. Empty makes one among the temporary files, and the log says where.',
  },
  {
    name: 'inspector-allowed-hosts',
    kind: 'list',
    default: '',
    help: 'Additional Host values that the inspector answers.',
  },
  {
    name: 'inspector-allowed-origins',
    kind: 'list',
    default: '',
    help: 'Additional Origin values that the inspector answers.',
  },
  { name: 'inspector-history', kind: 'int', default: '100', help: 'Transitions kept per actor.' },
  {
    name: 'bootstrap-data-size-limit',
    kind: 'int',
    default: '0',
    help: 'Largest bootstrap data in bytes that is stored; 0 means no limit.',
  },
  {
    name: 'shadow',
    kind: 'bool',
    default: 'false',
    help: 'Decide everything, write nothing, log each write that would have been made.',
  },
];

/** All flags of `run`, upstream's first. */
export const RUN_FLAGS: readonly FlagSpec[] = [
  ...UPSTREAM_FLAGS,
  ...CORE_FLAGS,
  ...OWN_FLAGS.map((spec) => ({ ...spec, own: true })),
];
