// The inspector of a running operator: its machines, its page, its way to say who may look.

import { kubernetesAuth, NO_AUTH, tokenAuth, type InspectorAuth } from '../inspector/auth.js';
import { isLoopbackAddress, splitAddress } from '../inspector/guards.js';
import { createInspector, type Inspector, type InspectorOptions } from '../inspector/inspector.js';
import { createAccessReviewer, type PostReview } from './diagnostics-auth.js';
import { CONTROLLER_MODULES } from './controllers.js';
import { endpointFaults } from './endpoint-faults.js';
import { inspectorToken } from './inspector-token.js';
import type { OperatorOptions } from './operator-options.js';
import { PAGE_ASSETS } from './page-assets.js';
import { selfSignedTls } from './self-signed.js';

/** What the inspector asks the operator. */
export interface InspectorPorts {
  readonly review: PostReview;
  readonly explain: InspectorOptions['explain'];
  readonly details: InspectorOptions['details'];
  readonly isLeader: () => boolean;
}

/** Makes the inspector, or null when it is off. Its address was checked with the other flags. */
export async function createOperatorInspector(
  options: OperatorOptions,
  ports: InspectorPorts,
): Promise<Inspector | null> {
  const { config, clock, random, log } = options;
  const { inspector } = config;
  if (inspector.bindAddress === '') return null;
  const isLocal = isLoopbackAddress(splitAddress(inspector.bindAddress)?.host ?? '');
  const machines = CONTROLLER_MODULES.filter((module) => config.controllers.includes(module.name));
  return createInspector({
    bindAddress: inspector.bindAddress,
    protocols: inspector.protocols,
    history: inspector.history,
    allowedHosts: inspector.allowedHosts,
    allowedOrigins: inspector.allowedOrigins,
    auth: await authOf(options, ports, { isTls: !isLocal }),
    ...(isLocal ? {} : { tls: await selfSignedTls(clock.nowMs(), inspector.bindAddress) }),
    machines: machines.map(({ table, layout }) => ({ table, layout })),
    assets: PAGE_ASSETS,
    clock,
    epoch: `${clock.nowMs().toString(36)}-${Buffer.from(random.bytes(4)).toString('hex')}`,
    explain: ports.explain,
    details: ports.details,
    status: () => ({ leader: ports.isLeader(), identity: 'kubeadm-bootstrap-operator' }),
    onFault: endpointFaults(options),
    log: {
      info: (message, fields) => log.info(message, { ...fields }),
      warn: (message, fields) => log.warning(message, { ...fields }),
    },
  });
}

async function authOf(
  options: OperatorOptions,
  ports: InspectorPorts,
  { isTls }: { readonly isTls: boolean },
): Promise<InspectorAuth> {
  const { config, clock, log } = options;
  switch (config.inspector.auth) {
    case 'none':
      return NO_AUTH;
    case 'token':
      return tokenAuth(await inspectorToken(options), { isTls });
    case 'kubernetes': {
      const reviewer = createAccessReviewer({ post: ports.review, nowMs: () => clock.nowMs() });
      return kubernetesAuth(
        async (token, path, method) => {
          const question = { authorization: `Bearer ${token}`, path, method };
          const verdict = await reviewer.ask(question, AbortSignal.timeout(REVIEW_TIME_MAX_MS));
          if (verdict.kind !== 'failed') return verdict.kind === 'allowed';
          log.error('Inspector access could not be reviewed', { err: verdict.cause });
          return null;
        },
        () => clock.nowMs(),
      );
    }
  }
}

/** A viewer waits no longer than this for the cluster's word. */
const REVIEW_TIME_MAX_MS = 10_000;
