// A real API server, and a proxy in front of it through which the operator comes.
import { writeFileSync } from 'node:fs';
import type { FullApiClient } from '../../src/kube/client.js';
import { startApiProxy, type ApiProxy } from '../worlds/api-proxy.js';
import { clientOf } from '../worlds/world.js';
import { kubeconfigText, startApiServer, type EnvtestServer } from './api-server.js';
import { installDefinitions } from './definitions.js';

/** What runs. */
export interface ProxiedServer {
  readonly server: EnvtestServer;
  /** Goes around the proxy. */
  readonly client: FullApiClient;
  readonly proxy: ApiProxy;
  /** The operator's way, through the proxy: as YAML and as a file. */
  readonly kubeconfig: string;
  readonly kubeconfigFile: string;
  stop(): Promise<void>;
}

/** Starts both, with these kinds (default: the core and bootstrap ones). */
export async function startProxiedServer(definitions?: readonly object[]): Promise<ProxiedServer> {
  const user = 'operator';
  const server = await startApiServer({ users: [{ name: user, groups: ['system:masters'] }] });
  await installDefinitions(server, definitions);
  const proxy = await startApiProxy(server.url);
  const client = clientOf(server.kubeconfig());
  const kubeconfig = kubeconfigText({ url: proxy.url, ca: '', user, token: server.token(user) });
  const kubeconfigFile = `${server.folder}/proxied.kubeconfig`;
  writeFileSync(kubeconfigFile, kubeconfig);
  return {
    server,
    client,
    proxy,
    kubeconfig,
    kubeconfigFile,
    async stop() {
      await proxy.close();
      await client.close();
      await server.stop();
    },
  };
}
