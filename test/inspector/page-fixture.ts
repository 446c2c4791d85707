// An inspector with the real page, the real chart of a KubeadmConfig and made-up actors, for tests in a browser.

import { systemClock } from '../../src/system.js';
import { ALL_TABLES } from '../../src/charts/tables.js';
import { LAYOUTS } from '../../src/charts/layouts.js';
import { NO_AUTH } from '../../src/inspector/auth.js';
import { createInspector, type Inspector, type InspectorOptions } from '../../src/inspector/inspector.js';
import type { ActorNote } from '../../src/inspector/store.js';
import type { ActorContext } from '../../machines/kit/row.js';

/** A fact object in which everything is said once. */
export const someFacts = (
  cluster: string,
  isControlPlaneMachine: boolean,
  more: Record<string, unknown> = {},
): Record<string, unknown> => ({
  owner: 'Machine',
  hasCluster: true,
  infrastructureProvisioned: true,
  isControlPlaneMachine,
  lock: 'free',
  names: { namespace: 'team-a', config: 'x', owner: 'x', cluster, lockHolder: '' },
  failure: null,
  ...more,
});

/** A note of the machine kubeadmconfig. */
export const someNote = (
  name: string,
  row: string,
  from: string,
  to: string,
  more: Partial<ActorNote> = {},
): ActorNote => ({
  machine: 'kubeadmconfig',
  uid: `uid-${name}`,
  id: `team-a/${name}`,
  atMs: systemClock.nowMs(),
  event: 'OBSERVED',
  row,
  from,
  to,
  request: null,
  sinceMs: systemClock.nowMs(),
  wakeAtMs: null,
  facts: someFacts('c1', name.includes('cp')),
  waitsFor: null,
  ...more,
});

/** Starts an inspector on a free port. */
export async function startPage(
  more: Partial<InspectorOptions> = {},
): Promise<{ readonly inspector: Inspector; readonly url: string }> {
  const { pageAssets } = (await import('../../.ci/build.mjs' as string)) as {
    pageAssets: () => Promise<InspectorOptions['assets']>;
  };
  const lines: string[] = [];
  const inspector = createInspector({
    bindAddress: '127.0.0.1:0',
    protocols: ['ui', 'stately', 'xstate-inspect'],
    history: 100,
    allowedHosts: [],
    allowedOrigins: [],
    auth: NO_AUTH,
    machines: ALL_TABLES.map((table) => ({ table, layout: LAYOUTS[table.id]! })),
    assets: await pageAssets(),
    clock: systemClock,
    epoch: 'test',
    explain: () => null,
    details: () => null,
    status: () => ({ leader: true, identity: 'test' }),
    onFault: ({ error }) => lines.push(String(error)),
    log: { info: (message) => lines.push(message), warn: (message) => lines.push(message) },
    ...more,
  });
  const server = await inspector.listen();
  if (server === null) throw new Error(`the inspector did not listen: ${lines.join('; ')}`);
  return { inspector, url: server.url };
}

/** The context of an actor that was never asked. */
export const freshContext: ActorContext = { row: null, sinceMs: 0, wakeAtMs: null };
