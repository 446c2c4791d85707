// The inspector of a running operator: its machines, its page, its way to say who may look.

import { createCaCertificate } from '../bootstrap/certificates/ca-certificate.js';
import { generateKeyPair, privateKeyPem } from '../bootstrap/certificates/keys.js';
import { kubernetesAuth, NO_AUTH, tokenAuth, type InspectorAuth } from '../inspector/auth.js';
import { isLoopbackAddress, splitAddress } from '../inspector/guards.js';
import { createInspector, type Inspector, type InspectorOptions } from '../inspector/inspector.js';
import { createAccessReviewer, type PostReview } from './diagnostics-auth.js';
import { CONTROLLER_MODULES } from './controllers.js';
import type { OperatorOptions } from './operator-options.js';
import { PAGE_ASSETS } from './page-assets.js';

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
    auth: authOf(options, ports),
    ...(isLocal ? {} : { tls: await selfSigned(clock.nowMs()) }),
    machines: machines.map(({ table, layout }) => ({ table, layout })),
    assets: PAGE_ASSETS,
    clock,
    epoch: `${clock.nowMs().toString(36)}-${Buffer.from(random.bytes(4)).toString('hex')}`,
    explain: ports.explain,
    details: ports.details,
    status: () => ({ leader: ports.isLeader(), identity: 'kubeadm-bootstrap-operator' }),
    log: {
      info: (message, fields) => log.info(message, { ...fields }),
      warn: (message, fields) => log.warning(message, { ...fields }),
    },
  });
}

function authOf({ config, clock, random }: OperatorOptions, ports: InspectorPorts): InspectorAuth {
  switch (config.inspector.auth) {
    case 'none':
      return NO_AUTH;
    case 'token': {
      const token = Buffer.from(random.bytes(24)).toString('base64url');
      // The one place where a person gets it: not in a log line, which others collect.
      process.stderr.write(`inspector token of this start: ${token}\n`);
      return tokenAuth(token);
    }
    case 'kubernetes': {
      const reviewer = createAccessReviewer({ post: ports.review, nowMs: () => clock.nowMs() });
      return kubernetesAuth(
        async (token, path, method) =>
          (await reviewer.ask({ authorization: `Bearer ${token}`, path, method }, AbortSignal.timeout(10_000))).kind ===
          'allowed',
        () => clock.nowMs(),
      );
    }
  }
}

async function selfSigned(nowMs: number): Promise<{ readonly key: string; readonly cert: string }> {
  const key = await generateKeyPair('ECDSA-P256');
  return { key: privateKeyPem(key), cert: await createCaCertificate({ key, nowMs, validityDays: 365 }) };
}
