// Short ways to read test worlds: conditions as text, data as text, calls as text.
import type { ApiClient, KubeObject } from '../../../src/kube/contract.js';
import { decoded, read } from './objects.js';
import type { Operator, World } from './world.js';

/** A KubeadmConfig as tests read it. */
export interface Config extends KubeObject {
  readonly spec: {
    readonly joinConfiguration?: {
      readonly controlPlane?: object;
      readonly nodeRegistration?: { readonly taints?: readonly object[] };
      readonly discovery?: {
        readonly bootstrapToken?: {
          readonly token?: string;
          readonly caCertHashes?: readonly string[];
          readonly apiServerEndpoint?: string;
        };
        readonly file?: {
          readonly kubeConfig?: {
            readonly cluster?: { readonly server?: string; readonly certificateAuthorityData?: string };
          };
        };
      };
    };
    readonly clusterConfiguration?: { readonly controlPlaneEndpoint?: string };
  };
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      readonly message: string;
      readonly observedGeneration?: number;
      readonly lastTransitionTime: string;
    }[];
    readonly initialization?: { readonly dataSecretCreated?: boolean };
    readonly dataSecretName?: string;
    readonly observedGeneration?: number;
    readonly deprecated?: {
      readonly v1beta1?: {
        readonly conditions?: readonly {
          readonly type: string;
          readonly status: string;
          readonly reason?: string;
          readonly message?: string;
        }[];
      };
    };
  };
}

/** A Secret or ConfigMap as tests read it. */
export interface WithData extends KubeObject {
  readonly type?: string;
  readonly data: Readonly<Record<string, string>>;
}

export const configOf = (client: ApiClient, name: string): Promise<Config> =>
  read<Config>(client, 'KubeadmConfig', name);
export const secretOf = (client: ApiClient, name: string, namespace?: string): Promise<WithData> =>
  read<WithData>(client, 'Secret', name, namespace);
export const lockOf = (client: ApiClient, cluster = 'c1'): Promise<WithData> =>
  read<WithData>(client, 'ConfigMap', `${cluster}-lock`);

/** Whether an object exists. */
export async function exists(reading: Promise<unknown>): Promise<boolean> {
  try {
    await reading;
    return true;
  } catch {
    return false;
  }
}

/** The state that the object's snapshot names. */
export function stateOf(config: Config): string {
  return config.status?.conditions?.find(({ type }) => type === 'ActorState')?.reason ?? '';
}

/** `status reason message` of a condition. */
export function says(config: Config, type: string): string {
  const found = config.status?.conditions?.find((each) => each.type === type);
  return found === undefined ? '' : [found.status, found.reason, found.message].filter((part) => part !== '').join(' ');
}

/** The token of the spec. */
export function tokenOf(config: Config): string {
  return config.spec.joinConfiguration?.discovery?.bootstrapToken?.token ?? '';
}

/** The bootstrap data as text. */
export async function payload(client: ApiClient, name: string): Promise<string> {
  return decoded(await secretOf(client, name), 'value');
}

/** The operator's calls: `create configmaps/default`. Events are left out. */
export function calls(world: World): readonly string[] {
  return world.seen.map(({ verb, what }) => `${verb} ${what}`);
}

/** The operator's writes. */
export function writes(world: World): readonly string[] {
  return calls(world).filter((call) => !call.startsWith('get '));
}

/** Messages of the log. */
export function logged(operator: Operator): readonly string[] {
  return operator.logs.map(({ msg }) => String(msg));
}
