// Makes the acts of a history on one world, and gives back what the API server answered.
import { resources } from '../../src/api/names.js';
import type { KubeObject } from '../../src/kube/contract.js';
import { isApiError } from '../../src/kube/failures.js';
import { resourceOf } from '../../src/kube/resource-paths.js';
import { pause } from '../worlds/operator-process.js';
import type { Act, Json, Kind } from './history.js';
import type { Material } from './material.js';
import { specToken, type SeenKind } from './mirror.js';
import type { Side } from './side.js';

/** What an act came to: a status, or a word. */
export type Answer = number | string;

const COLLECTED: readonly SeenKind[] = ['KubeadmConfig', 'Secret', 'ConfigMap', 'Machine', 'MachinePool'];
/** A machine with much to do answers late. */
const SLOW = { timeoutMs: 120_000 } as const;
/** A provider that starts again does not answer its webhooks for so long. */
const RETRIES = 120;

/** Makes one act. */
export async function perform(side: Side, namespace: string, act: Act, material: Material): Promise<Answer> {
  switch (act.do) {
    case 'restart':
      await side.restart();
      return 'restarted';
    case 'wait':
      await pause(act.seconds * 1000);
      return 'waited';
    case 'collect':
      return collect(side, namespace);
    case 'adopt':
      return adopt(side, namespace, act);
    case 'forget':
      return answered(side, () =>
        side.client.mergePatch(
          target('KubeadmConfig', namespace, act.name),
          {
            status: {
              conditions: null,
              initialization: null,
              dataSecretName: null,
              observedGeneration: null,
              deprecated: null,
            },
          },
          { subresource: 'status' },
        ),
      );
    default: {
      const text = filled(side, namespace, JSON.stringify(act), material);
      // An act about a token that is not there, or of a user of another life, is about nothing.
      if (text.includes('<token-id:')) return 'no token';
      return write(side, namespace, JSON.parse(text) as typeof act);
    }
  }
}

function target(kind: Kind, namespace: string, name: string, version?: string) {
  const resource = resourceOf(resources[kind]);
  return { resource: version === undefined ? resource : { ...resource, version }, namespace, name };
}

async function write(
  side: Side,
  own: string,
  act: Extract<Act, { do: 'create' | 'patch' | 'status' | 'delete' }>,
): Promise<Answer> {
  const namespace = act.namespace ?? own;
  const { client } = side;
  if (act.do === 'create') {
    const object = { ...act.object, metadata: { ...act.object.metadata, namespace } };
    const { kind, metadata } = act.object;
    const remember = ({ metadata: { uid = '' } }: KubeObject): void =>
      void side.uids.set(`${namespace} ${kind}/${metadata.name}`, uid);
    const create = async (): Promise<void> =>
      remember(await client.create<KubeObject>(resourceOf(resources[kind]), object, SLOW));
    const read = async (): Promise<void> =>
      remember(await client.get<KubeObject>(target(kind, namespace, metadata.name), SLOW));
    return answered(side, create, { status: 409, then: read });
  }
  if (act.do === 'delete') {
    const remove = (): Promise<void> => client.delete(target(act.kind, namespace, act.name), SLOW);
    return answered(side, remove, { status: 404 });
  }
  const subresource = act.do === 'status' ? { subresource: 'status' } : {};
  return answered(side, () =>
    client.mergePatch(target(act.kind, namespace, act.name, act.version), act.body, { ...SLOW, ...subresource }),
  );
}

/** What a second attempt is told when the first was done and its answer lost. */
interface DoneBefore {
  readonly status: number;
  readonly then?: () => Promise<void>;
}

async function answered(side: Side, call: () => Promise<unknown>, done?: DoneBefore): Promise<Answer> {
  let isLost = false;
  for (let attempt = 0; ; attempt += 1) {
    try {
      await call();
      return 200;
    } catch (error) {
      if (!isApiError(error)) throw error;
      const { status, message, kind } = error.failure;
      if (isLost && status === done?.status) {
        await done.then?.();
        return 200;
      }
      isLost ||= kind === 'Unknown';
      const isAway =
        status === null || status >= 500 || (/webhook/.test(message) && /connect|EOF|refused/.test(message));
      if (!isAway || attempt >= RETRIES)
        return status === 422 || status === 400 || status === 403 ? 'refused' : (status ?? 'lost');
      await side.ready();
      await pause(250);
    }
  }
}

/** The history's placeholders, filled from a world. */
function filled(side: Side, namespace: string, text: string, material: Material): string {
  const inJson = (value: string): string => JSON.stringify(value).slice(1, -1);
  return text
    .replace(
      /<given (first|second) (\w+)\.(crt|key)>/g,
      (_, set: 'first' | 'second', purpose: string, what: string) => {
        const pair = material[set][purpose];
        return inJson((what === 'crt' ? pair?.cert : pair?.key) ?? '');
      },
    )
    .replaceAll('<kubeconfig>', () => inJson(side.workloadKubeconfig))
    .replaceAll('<unreachable kubeconfig>', () => inJson(side.unreachableKubeconfig))
    .replace(/<uid:(\w+)\/([^>]+)>/g, (_, kind: SeenKind, name: string) => {
      return side.uids.get(`${namespace} ${kind}/${name}`) ?? '00000000-0000-4000-8000-000000000000';
    })
    .replace(/<token-id:([^>]+)>/g, (whole, name: string) => {
      const config = side.mirror.get('KubeadmConfig', namespace, name);
      const [id = ''] = config === undefined ? [] : specToken(config).split('.');
      return /^[a-z0-9]{6}$/.test(id) && id !== 'abcdef' ? id : whole;
    });
}

type Owner = KubeObject & { readonly spec?: Json };
type Config = KubeObject & { readonly status?: { readonly dataSecretName?: string } };

async function adopt(side: Side, namespace: string, { kind, name }: Extract<Act, { do: 'adopt' }>): Promise<Answer> {
  const owner = side.mirror.get(kind, namespace, name) as Owner | undefined;
  const isPool = kind === 'MachinePool';
  const spec = (isPool ? ((owner?.spec?.['template'] ?? {}) as Json)['spec'] : owner?.spec) as Json | undefined;
  const reference = (spec?.['bootstrap'] as { readonly configRef?: { readonly name?: string } } | undefined)?.configRef;
  const config = side.mirror.get('KubeadmConfig', namespace, reference?.name ?? '') as Config | undefined;
  const dataSecretName = config?.status?.dataSecretName;
  if (dataSecretName === undefined) return 'no data';
  const bootstrap = { bootstrap: { dataSecretName } };
  const body = { spec: isPool ? { template: { spec: bootstrap } } : bootstrap };
  return answered(side, () => side.client.mergePatch(target(kind, namespace, name), body));
}

async function collect(side: Side, namespace: string): Promise<Answer> {
  for (let isMore = true; isMore;) {
    isMore = false;
    const live = new Set(
      ([...COLLECTED, 'Cluster'] as const)
        .flatMap((kind) => side.mirror.list(kind, namespace))
        .map(({ metadata }) => metadata.uid),
    );
    for (const kind of COLLECTED) {
      for (const { metadata } of side.mirror.list(kind, namespace)) {
        const owners = metadata.ownerReferences ?? [];
        if (owners.length === 0 || owners.some(({ uid }) => live.has(uid)) || metadata.deletionTimestamp !== undefined)
          continue;
        await answered(side, () => side.client.delete(target(kind, namespace, metadata.name)));
        isMore = true;
      }
    }
    await pause(150);
  }
  return 'collected';
}

/** Has every KubeadmConfig looked at again: the Go provider watches no Secrets, and its backoff is long. */
export async function touch(side: Side, namespace: string, annotation: string, value: string): Promise<void> {
  const body = { metadata: { annotations: { [annotation]: value } } };
  await Promise.all(
    side.mirror
      .list('KubeadmConfig', namespace)
      .map(({ metadata }) =>
        side.client.mergePatch(target('KubeadmConfig', namespace, metadata.name), body).catch(() => undefined),
      ),
  );
}

/** Takes away all that a history has left. */
export async function clear(side: Side, namespace: string): Promise<void> {
  const kinds = ['KubeadmConfig', 'Machine', 'MachinePool', 'Cluster', 'ConfigMap', 'Secret'] as const;
  for (const kind of kinds) {
    await Promise.all(
      side.mirror.list(kind, namespace).map(async ({ metadata }) => {
        const at = target(kind, namespace, metadata.name);
        if ((metadata.finalizers ?? []).length > 0)
          await side.client.mergePatch(at, { metadata: { finalizers: null } }).catch(() => undefined);
        await side.client.delete(at).catch(() => undefined);
      }),
    );
  }
  const tokens = [...side.mirror.tokensOf(namespace).keys()].map((token) => token.split('.')[0] ?? '');
  await Promise.all(
    tokens.map((id) =>
      side.client.delete(target('Secret', 'kube-system', `bootstrap-token-${id}`)).catch(() => undefined),
    ),
  );
  side.mirror.forget(namespace);
}
