// The inspector as benches run it: on a free port, open to everybody on this machine, with nothing to tell but its actors.
import { systemClock } from '../../src/system.js';
import { NO_AUTH } from '../../src/inspector/auth.js';
import { createInspector, type Inspector, type InspectorOptions } from '../../src/inspector/inspector.js';

/** Makes one for these machines; `assets` are its page's. */
export function makeInspector({ machines, assets }: Pick<InspectorOptions, 'machines' | 'assets'>): Inspector {
  return createInspector({
    bindAddress: '127.0.0.1:0',
    protocols: ['ui'],
    history: 100,
    allowedHosts: [],
    allowedOrigins: [],
    auth: NO_AUTH,
    machines,
    assets,
    clock: systemClock,
    epoch: 'bench',
    explain: () => null,
    details: () => null,
    status: () => ({ leader: true, identity: 'bench' }),
    onFault: () => undefined,
    log: { info: () => undefined, warn: () => undefined },
  });
}
