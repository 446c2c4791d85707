// What strangers send, from a seed: request lines, headers, upgrades, cookies, and reviews as the API server sends them, bent.

import { ADMISSION_ENDPOINTS, CONVERSION_PATH } from '../../src/webhooks/endpoints.js';

/** Draws from a seed. */
export interface Draw {
  /** A whole number from 0 to below `count`. */
  below(count: number): number;
  pick<T>(items: readonly T[]): T;
  chance(share: number): boolean;
}

/** Draws of a source of numbers between 0 and 1. */
export function drawFrom(next: () => number): Draw {
  const below = (count: number): number => Math.floor(next() * count);
  return {
    below,
    pick<T>(items: readonly T[]): T {
      return items[below(items.length)] as T;
    },
    chance: (share) => next() < share,
  };
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'get', 'X', ''];
const TARGETS = [
  '/',
  '//',
  '//[',
  '///x',
  '/%',
  '/%zz/%E0%A4%A',
  '/../../etc',
  '/healthz',
  '/readyz?verbose=%',
  '/healthz/ping',
  '/metrics',
  '/metrics?x[]=%ff',
  '/api/charts',
  '/api/stream/%',
  '/api/actors/%/%',
  '/api/actors/__proto__/constructor',
  '/api/timeline?ns=%&cluster=%00',
  '/charts/kubeadmconfig.svg',
  '/charts/__proto__.json',
  '/text?state=%&x',
  '/?token=%',
  '/stately',
  '/xstate-inspect?%',
  '/__proto__',
  '/apis/bootstrap.cluster.x-k8s.io/v1beta2/kubeadmconfigs?limit=-1',
  '/api/v1/namespaces/%/secrets/%?watch=maybe',
  '/api/v1/namespaces/x/configmaps?labelSelector=%,,(',
  'http://%/',
  'http://',
  'https://[::1/healthz',
  'x:y',
  '*',
  '?',
  '#',
  '',
  `/${'a'.repeat(9_000)}`,
  `/${'%'.repeat(3_000)}`,
  '/\xff\xfe',
];
const HEADERS = [
  'cookie: inspector=%',
  'cookie: inspector=%E0%A4%A; inspector=%ff',
  `cookie: ${'inspector=;'.repeat(500)}`,
  'authorization: Bearer',
  'authorization: Bearer %',
  'authorization: Basic \xff',
  'origin: null',
  'origin: https://evil.example',
  'origin: http://[',
  'sec-fetch-site: cross-site',
  'sec-fetch-mode: navigate',
  'host: evil.example',
  'host: [',
  'host:',
  'accept-encoding: gzip',
  'accept: application/json;as=Table;%',
  'content-type: application/json',
  'content-type: application/vnd.kubernetes.protobuf',
  'content-type: ;;;',
  'transfer-encoding: chunked',
  'transfer-encoding: gzip, chunked',
  'content-length: 3',
  'content-length: -1',
  'content-length: 99999999999999999999',
  'content-length: 3\r\ncontent-length: 4',
  'expect: 100-continue',
  'expect: the-unexpected',
  'connection: keep-alive, upgrade',
  'te: trailers',
  'x-\xff: \xff',
  ' folded: line',
  'no colon',
  'a: b\nc: d',
  `x: ${'y'.repeat(17_000)}`,
  'last-event-id: %',
];
const UPGRADES = ['websocket', 'h2c', 'WebSocket, foo', '%'];
const KEYS = ['dGhlIHNhbXBsZSBub25jZQ==', '', 'x', '\xff'];
const BODIES = ['', 'abc', '{', '[[[[', '3\r\nabc\r\n0\r\n\r\n', 'ffffffffff\r\n', '\x00\x01', '{"a":1}'];

/** The bytes of one request, sound or not. */
export function requestBytes(draw: Draw, host: string): Buffer {
  const method = draw.chance(0.7) ? 'GET' : draw.pick(METHODS);
  const version = draw.chance(0.95) ? 'HTTP/1.1' : draw.pick(['HTTP/1.0', 'HTTP/2.0', 'HTTP/9', 'http/1.1', '']);
  const lines = [`${method} ${draw.pick(TARGETS)} ${version}`];
  if (draw.chance(0.95)) lines.push(`host: ${host}`);
  if (draw.chance(0.3)) {
    lines.push('connection: upgrade', `upgrade: ${draw.pick(UPGRADES)}`, `sec-websocket-key: ${draw.pick(KEYS)}`);
    lines.push(`sec-websocket-version: ${draw.pick(['13', '8', '%', ''])}`);
  } else if (draw.chance(0.9)) lines.push('connection: close');
  for (let count = draw.below(3); count > 0; count -= 1) lines.push(draw.pick(HEADERS));
  const bytes = Buffer.from(`${lines.join('\r\n')}\r\n\r\n${draw.chance(0.2) ? draw.pick(BODIES) : ''}`, 'latin1');
  return draw.chance(0.1) ? bent(draw, bytes) : bytes;
}

/** Some bytes changed, or the end cut off. */
export function bent(draw: Draw, bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  if (copy.length === 0) return copy;
  for (let count = 1 + draw.below(4); count > 0; count -= 1) copy[draw.below(copy.length)] = draw.below(256);
  return draw.chance(0.3) ? copy.subarray(0, draw.below(copy.length)) : copy;
}

const group = 'bootstrap.cluster.x-k8s.io';
const metadata = {
  name: 'c',
  namespace: 'ns',
  annotations: { 'cluster.x-k8s.io/conversion-data': '{"spec":{"verbosity":1}}' },
  managedFields: [{ manager: 'm', operation: 'Update', fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': {} } }],
};
const shared = {
  files: [{ path: '/a', content: 'x', contentFrom: { secret: { name: 's', key: 'k' } } }],
  users: [{ name: 'u', groups: 'g', sshAuthorizedKeys: ['k'] }],
  ntp: { enabled: true, servers: ['s'] },
  mounts: [['a', 'b']],
  preKubeadmCommands: ['true'],
  format: 'cloud-config',
};
const spec2 = {
  ...shared,
  clusterConfiguration: { apiServer: { extraArgs: [{ name: 'a', value: 'b' }] }, featureGates: { A: true } },
  initConfiguration: { bootstrapTokens: [{ token: 'abcdef.0123456789abcdef', ttlSeconds: 5 }], timeouts: {} },
  joinConfiguration: { discovery: { bootstrapToken: { token: 't' } }, nodeRegistration: { taints: [] } },
  diskSetup: { partitions: [{ device: 'd', layout: true }], filesystems: [{ device: 'd' }] },
};
const spec1 = {
  ...shared,
  clusterConfiguration: { apiServer: { extraArgs: { a: 'b' }, timeoutForControlPlane: '4m0s' } },
  joinConfiguration: { discovery: { timeout: '5m0s' }, nodeRegistration: { kubeletExtraArgs: { a: 'b' } } },
};
const object2 = {
  apiVersion: `${group}/v1beta2`,
  kind: 'KubeadmConfig',
  metadata,
  spec: spec2,
  status: { conditions: [] },
};
const object1 = {
  apiVersion: `${group}/v1beta1`,
  kind: 'KubeadmConfig',
  metadata,
  spec: spec1,
  status: { ready: true },
};
const asTemplate = <T extends { readonly spec: object }>(object: T) => ({
  ...object,
  kind: 'KubeadmConfigTemplate',
  spec: { template: { spec: object.spec } },
});

const DEPTHS = [10, 999, 1_001, 4_000, 5_000, 9_900, 10_001, 20_000];
const TEXTS = ['', 'a', '%', '\u0000', '\ud800', '{', 'x'.repeat(10_000), '-5', '0', '12h', '{{', '__proto__'];

/** JSON text of something that does not belong where it is put. */
function oddJson(draw: Draw): string {
  if (draw.chance(0.1)) {
    const depth = draw.pick(DEPTHS);
    return draw.chance(0.5)
      ? `${'['.repeat(depth)}${']'.repeat(depth)}`
      : `${'{"f:a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  }
  if (draw.chance(0.5)) return JSON.stringify(draw.pick(TEXTS));
  return draw.pick(['null', 'true', '0', '-1', '1e308', '0.1', '[]', '{}', '[null]', '{"__proto__":{"a":1}}', '[{}]']);
}

/** Replaces one value somewhere below, or adds one that does not belong there. Returns JSON text. */
function oddSomewhere(draw: Draw, value: unknown): string {
  if (typeof value !== 'object' || value === null || draw.chance(0.05)) return oddJson(draw);
  const isList = Array.isArray(value);
  const entries = Object.entries(value).map(([key, each]) => [key, JSON.stringify(each)] as [string, string]);
  // Most odd things are deep inside: at the top they are refused at once.
  const below = Object.values(value).flatMap((each, index) =>
    typeof each === 'object' && each !== null ? [index] : [],
  );
  const at = below.length > 0 && draw.chance(0.8) ? draw.pick(below) : draw.below(entries.length + 1);
  const [key] = entries[at] ?? [];
  if (key === undefined) entries.push([draw.pick(['', 'x', '__proto__', 'toJSON', 'constructor']), oddJson(draw)]);
  else entries[at] = [key, oddSomewhere(draw, (value as Record<string, unknown>)[key])];
  return isList
    ? `[${entries.map(([, text]) => text).join(',')}]`
    : `{${entries.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}

/** A review for one of the webhooks' paths. */
export interface Review {
  readonly path: string;
  readonly type: string;
  readonly body: Buffer;
  /** What the answer of a sound server is. */
  readonly kind: 'AdmissionReview' | 'ConversionReview';
}

/** A review, bent in at least one place. */
export function review(draw: Draw): Review {
  const isConversion = draw.chance(0.5);
  const [from, to] = draw.chance(0.5) ? [object2, 'v1beta1'] : [object1, 'v1beta2'];
  const object = draw.chance(0.8) ? from : asTemplate(from);
  const { path } = draw.pick(ADMISSION_ENDPOINTS);
  const operation = draw.pick(['CREATE', 'UPDATE']);
  const whole = isConversion
    ? {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'ConversionReview',
        request: { uid: 'u', desiredAPIVersion: `${group}/${to}`, objects: [object, object] },
      }
    : {
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        request: { uid: 'u', operation, object: draw.chance(0.8) ? object2 : asTemplate(object2), oldObject: object2 },
      };
  const bytes = Buffer.from(oddSomewhere(draw, whole));
  return {
    path: isConversion ? CONVERSION_PATH : path,
    type: draw.chance(0.98) ? 'application/json' : draw.pick(['', 'text/plain', 'application/json; charset=%']),
    body: draw.chance(0.1) ? bent(draw, bytes) : bytes,
    kind: isConversion ? 'ConversionReview' : 'AdmissionReview',
  };
}

/** A sound review that is allowed. */
export const soundReview: Review = {
  path: ADMISSION_ENDPOINTS.find(({ type, kind }) => type === 'validating' && kind === 'KubeadmConfig')?.path ?? '',
  type: 'application/json',
  body: Buffer.from(
    JSON.stringify({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: { uid: 'u', operation: 'CREATE', object: { ...object2, spec: { verbosity: 1 } } },
    }),
  ),
  kind: 'AdmissionReview',
};
