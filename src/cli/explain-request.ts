// What somebody who asks for an explanation gives. Types only.
import type { FullApiClient } from '../kube/client.js';
import type { ApiClient } from '../kube/contract.js';
import type { OperatorConfig } from './config.js';

/** What an explainer is asked. */
export interface ExplainRequest {
  readonly client: ApiClient;
  readonly config: OperatorConfig;
  readonly namespace: string;
  readonly name: string;
  readonly nowMs: number;
  /** A client of a workload cluster from its kubeconfig; rejects with one line. */
  readonly connectWorkload: (kubeconfig: string, signal: AbortSignal) => Promise<FullApiClient>;
}
