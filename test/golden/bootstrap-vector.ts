// Recorded bootstrap data of the Go provider: reading the vectors, and evaluating one by our own code.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { KubernetesObject } from '../../src/api/core.js';
import type { KubeadmConfig } from '../../src/api/kubeadmconfig/v1beta2.js';
import { evaluateOffline, type OfflineResult } from '../../src/bootstrap/offline.js';

const folder = join(import.meta.dirname, 'vectors');

/** What upstream did. */
export interface Expected {
  readonly format?: string;
  readonly valueBase64?: string;
  readonly specAfter?: unknown;
  readonly conditions: readonly { type: string; status: string; reason: string; message?: string }[];
  readonly error?: string;
  readonly errorMatch?: 'exact' | 'fails';
}

/** One recorded input with its outcome. */
export interface Vector {
  readonly id: string;
  readonly title: string;
  readonly since?: string;
  readonly deviation?: string;
  readonly input: {
    readonly cluster: KubernetesObject;
    readonly machine?: KubernetesObject;
    readonly machinePool?: KubernetesObject;
    readonly kubeadmConfig: KubeadmConfig;
    readonly secrets: readonly KubernetesObject[];
    readonly configMaps: readonly KubernetesObject[];
    readonly objects?: readonly KubernetesObject[];
    readonly mintedToken?: string;
  };
  readonly expected: Expected;
}

/** All recorded inputs, in order. */
export const vectors: readonly Vector[] = readdirSync(folder)
  .filter((name) => name.startsWith('kc-vec-'))
  .sort()
  .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Vector);

/** The recorded input of this id. */
export function vector(id: string): Vector {
  const found = vectors.find((candidate) => candidate.id === id);
  if (found === undefined) throw new Error(`there is no vector ${id}`);
  return found;
}

/** All objects of an input. */
export function objectsOf({ input }: Vector): readonly KubernetesObject[] {
  const { cluster, machine, machinePool, kubeadmConfig, secrets, configMaps, objects = [] } = input;
  const given = [cluster, machine, machinePool, kubeadmConfig, ...secrets, ...configMaps, ...objects];
  return given.filter((object) => object !== undefined);
}

/** What our code does with an input. A token only if upstream minted one; certificates are never generated. */
export function evaluate(vector: Vector): Promise<OfflineResult> {
  return evaluateOffline({
    objects: objectsOf(vector),
    config: vector.input.kubeadmConfig,
    token: () => {
      if (vector.input.mintedToken === undefined) throw new Error('no token may be minted for this input');
      return vector.input.mintedToken;
    },
    generate: () => Promise.reject(new Error('no certificate may be generated for this input')),
    hasMachinePools: true,
    sizeLimitBytes: 0,
    respectsStoredData: true,
  });
}
