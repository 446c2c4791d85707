// Addresses to listen on, as flags give them: checked with the other flags, before anything is started.

import { isLoopbackAddress, splitAddress } from '../inspector/guards.js';
import { UsageError } from './flag-types.js';

/** Where to listen; without a host on every interface. */
export interface ListenAddress {
  readonly host: string | undefined;
  readonly port: number;
}

/** Splits `host:port`; an empty host means every interface. Null for `0` and an empty text: off. */
export function listenAddress(address: string, flag: string): ListenAddress | null {
  if (address === '' || address === '0') return null;
  const { host, port } = addressOf(address, flag);
  return { host: host === '' ? undefined : host, port };
}

/** Checks the flags with addresses. Throws UsageError with one line that names the flag and what would be right. */
export function checkAddresses({
  healthAddress,
  diagnosticsAddress,
  profilerAddress,
  inspector,
}: {
  readonly healthAddress: string;
  readonly diagnosticsAddress: string;
  readonly profilerAddress: string;
  readonly inspector: { readonly bindAddress: string; readonly auth: string };
}): void {
  listenAddress(healthAddress, 'health-addr');
  listenAddress(diagnosticsAddress, 'diagnostics-address');
  listenAddress(profilerAddress, 'profiler-address');
  if (inspector.bindAddress === '') return;
  const { host } = addressOf(inspector.bindAddress, 'inspector-bind-address');
  if (!isLoopbackAddress(host) && inspector.auth === 'none') {
    throw new UsageError(
      '--inspector-bind-address: an address that is not loopback needs --inspector-auth=token or kubernetes',
    );
  }
}

function addressOf(address: string, flag: string): { readonly host: string; readonly port: number } {
  const split = splitAddress(address);
  if (split !== null) return split;
  throw new UsageError(`--${flag}: want host:port or :port, got ${JSON.stringify(address)}`);
}
