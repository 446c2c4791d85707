// The invariants by name, with what each says.

/** The invariants. */
export const INVARIANTS = {
  'one-init': 'at most one machine of a cluster gets init data',
  'init-under-lock': 'init data is stored while the lock is its own',
  'infra-first': 'nobody gets data before the infrastructure of its cluster is there',
  'join-after-init': 'nobody gets join data of a cluster that is not initialised',
  'token-before-data': 'the token in stored data exists in the workload cluster and is the one of the spec',
  'data-once': 'the data of a Machine is made once',
  'data-owner': 'data goes with its KubeadmConfig and is labelled with its cluster',
  'well-formed': 'data, tokens, certificates and locks have the fields that others read them by',
  'started-token': 'the data of a started Machine never changes its token',
  'token-once': 'one token is minted for a Machine',
  'token-known': 'a token is in the spec before it is in the workload cluster',
  'token-bounded': 'a token of ours ends, within its time to live',
  'token-alive': 'a token lives while a node may still join with it',
  'created-stays': 'dataSecretCreated never goes back',
  'created-true': 'dataSecretCreated is said of data that is there',
  'lock-owner': 'the init lock is deleted by its holder, or once the holder is gone, or after initialisation',
  'own-writes': 'nothing is written that is not ours',
  'others-changes': 'what others wrote is never undone',
  paused: 'nothing of a paused object is changed',
  ending: 'nothing is made for a KubeadmConfig that is on its way out',
  'fresh-views': 'no turn starts on a view older than its own writes',
  guarded: 'what is deleted, and data that is changed, is named with the life and the version that were seen',
  lease: 'only the holder of the Lease writes',
  'no-secrets': 'no secret outside of Secrets and the token of the spec',
  boots: 'what was given to a node lets it boot',
  'one-turn': 'an actor has one turn at a time',
  'no-busy-loop': 'requests are bounded over time',
  'no-bug': 'nothing throws what nobody expects',
  'infra-after-hooks': 'a Machine never loses its infrastructure before its hooks, its Pods and its volumes are gone',
  'deletion-order': 'infrastructure, bootstrap object, Node and finalizer go one after the other',
  'alive-keeps': 'a Machine that is not deleted keeps its infrastructure, its bootstrap object and its Node',
  'machine-forward': 'data, provider ID, Node and phase of a Machine never go back',
  'machine-own-life': 'a Machine has nothing of a predecessor of its name',
  'drain-recorded': 'nothing is evicted before the hooks are gone and the start of the drain is recorded',
  'machine-gone': 'once faults stop, deleted Machines go with all that was theirs, within bounded time',
  joins: 'once faults stop, every node joins within bounded time',
  prompt: 'where nothing goes wrong, what can be done is done at once',
  'lock-released': 'no lock is left of a cluster that is initialised',
  'kubeconfig-current': 'nobody asks a workload cluster by a kubeconfig that was replaced',
  'stored-certificates': 'init data has the certificates that are stored',
  told: 'once faults stop, every KubeadmConfig says that its data is there, which, and that it is ready',
  'condition-right': 'a Cluster is said to be initialised once it has a control plane node, and never loses that',
  'condition-news': 'a condition is written only where something changes',
  'caches-true': 'once faults stop, caches show what is there, and nothing else',
  quiet: 'once every node has joined, nothing is written and no cluster is asked',
} as const;
export type InvariantName = keyof typeof INVARIANTS;

/** What was violated. */
export interface Violation {
  readonly invariant: InvariantName;
  readonly message: string;
  readonly atMs: number;
}
