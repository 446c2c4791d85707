// The cluster's control plane endpoint as text.
import type { ClusterFacts } from './bootstrap-types.js';

/** Whether host and port are both set. */
export function hasEndpoint({ controlPlaneEndpoint }: ClusterFacts): boolean {
  return controlPlaneEndpoint.host !== '' && controlPlaneEndpoint.port !== 0;
}

/** `host:port`, an IPv6 host in brackets. */
export function endpointText({ controlPlaneEndpoint: { host, port } }: ClusterFacts): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
