// Which management cluster: `--kubeconfig`, then $KUBECONFIG, then the account of the pod, then ~/.kube/config: Go's order.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../host/contract.js';
import { AccessError, type ServerAccess } from './access.js';
import { inClusterAccess, isInCluster, type Environment } from './in-cluster.js';

/** What decides. */
export interface ManagementAccessOptions {
  /** Value of `--kubeconfig`; empty when it is not given. */
  readonly kubeconfig: string;
  readonly environment: Environment;
  readonly clock: Clock;
  /** Parses YAML; only asked for a kubeconfig. */
  readonly parseYaml: (text: string) => unknown;
}

/** The access to the management cluster. Throws AccessError with one line that a person can act on. */
export async function findManagementAccess(options: ManagementAccessOptions): Promise<ServerAccess> {
  const { kubeconfig, environment, clock, parseYaml } = options;
  const fromEnvironment = environment['KUBECONFIG'] ?? '';
  const paths = kubeconfig !== '' ? kubeconfig : fromEnvironment;
  if (paths !== '') {
    const { managementAccess } = await import('./management-kubeconfig.js');
    return managementAccess({ paths, source: kubeconfig !== '' ? '--kubeconfig' : '$KUBECONFIG', clock, parseYaml });
  }
  if (!isInCluster(environment)) {
    const home = environment['HOME'] ?? '';
    const ofHome = join(home, '.kube', 'config');
    if (home !== '' && existsSync(ofHome)) {
      const { managementAccess } = await import('./management-kubeconfig.js');
      return managementAccess({ paths: ofHome, source: '~/.kube/config', clock, parseYaml });
    }
    throw new AccessError(
      'no cluster to work with: give --kubeconfig FILE, set KUBECONFIG, put a file at ~/.kube/config, or run in a pod with a service account',
    );
  }
  const access = inClusterAccess({ environment, clock });
  await access.identity();
  return access;
}
