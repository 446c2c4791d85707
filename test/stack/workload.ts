// The workload clusters in CAPD's memory: calls to them as their administrator, and what others asked of them.
import { request as httpRequest } from 'node:http';
import { request } from 'node:https';
import { parse } from 'yaml';
import { at, type Api } from './api.js';

/** A workload cluster's answer. */
export interface WorkloadAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** One call to the workload cluster of a Cluster; null while there is no kubeconfig or no answer. */
export async function workloadCall(
  api: Api,
  cluster: string,
  call: { readonly method: string; readonly path: string; readonly body?: unknown; readonly contentType?: string },
): Promise<WorkloadAnswer | null> {
  const secret = await api.get('Secret', `${cluster}-kubeconfig`);
  const value = at(secret, 'data', 'value');
  if (typeof value !== 'string') return null;
  const kubeconfig: unknown = parse(Buffer.from(value, 'base64').toString('utf8'));
  const pem = (...path: readonly (string | number)[]): string =>
    Buffer.from(String(at(kubeconfig, ...path) ?? ''), 'base64').toString('utf8');
  const payload = call.body === undefined ? undefined : JSON.stringify(call.body);
  return new Promise((resolve) => {
    const sent = request(
      `${String(at(kubeconfig, 'clusters', 0, 'cluster', 'server'))}${call.path}`,
      {
        method: call.method,
        agent: false,
        timeout: 10_000,
        ca: pem('clusters', 0, 'cluster', 'certificate-authority-data'),
        cert: pem('users', 0, 'user', 'client-certificate-data'),
        key: pem('users', 0, 'user', 'client-key-data'),
        headers: {
          'user-agent': 'stack-runner',
          accept: 'application/json',
          ...(payload === undefined
            ? {}
            : {
                'content-type': call.contentType ?? 'application/json',
                'content-length': Buffer.byteLength(payload),
              }),
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: parsed(text) }));
      },
    );
    sent.on('timeout', () => sent.destroy());
    sent.on('error', () => resolve(null));
    sent.end(payload);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return {};
  }
}

/** A bootstrap token as the workload cluster has it. */
export interface Token {
  readonly id: string;
  readonly expiration: string;
}

/** The bootstrap tokens of a workload cluster. */
export async function tokensOf(api: Api, cluster: string): Promise<readonly Token[]> {
  const answer = await workloadCall(api, cluster, { method: 'GET', path: '/api/v1/namespaces/kube-system/secrets' });
  const items = (at(answer?.body, 'items') ?? []) as readonly unknown[];
  return items
    .map((item) => ({
      name: String(at(item, 'metadata', 'name')),
      expiration: Buffer.from(String(at(item, 'data', 'expiration') ?? ''), 'base64').toString('utf8'),
    }))
    .filter(({ name }) => name.startsWith('bootstrap-token-'))
    .map(({ name, expiration }) => ({ id: name.replace('bootstrap-token-', ''), expiration }));
}

/** How often a bootstrap provider made each call to workload clusters, by `METHOD resource`. */
export type WorkloadCounts = ReadonlyMap<string, number>;

/** Reads CAPD's own count of the calls of bootstrap providers. */
export function workloadCounts(metricsPort: number): Promise<WorkloadCounts> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ host: '127.0.0.1', port: metricsPort, path: '/metrics', agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve(countsIn(text)));
    });
    sent.on('error', reject);
    sent.end();
  });
}

function countsIn(text: string): WorkloadCounts {
  const counts = new Map<string, number>();
  for (const line of text.split('\n')) {
    if (!line.startsWith('inmemory_apiserver_request_total{')) continue;
    const label = (name: string): string => new RegExp(`[{,]${name}="([^"]*)"`, 'u').exec(line)?.[1] ?? '';
    if (!/kubeadm-bootstrap/u.test(label('user_agent'))) continue;
    const what = label('resource') === '' ? label('path') : label('resource');
    const code = Number(label('code')) >= 400 ? ` (${label('code')})` : '';
    const name = `${label('verb')} ${what}${code}`;
    counts.set(name, (counts.get(name) ?? 0) + Number(line.slice(line.lastIndexOf(' ') + 1)));
  }
  return counts;
}
