// The operator's configuration as one value: what flags and environment say, parsed.

import type { FeatureGates } from './feature-gates.js';
import type { GoRegExp } from './go-regexp.js';
import type { ControllerName } from './run-flags.js';

/** Everything that `run` can be told. Durations are milliseconds. */
export interface OperatorConfig {
  readonly leaderElect: boolean;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  readonly namespace: string;
  readonly watchFilter: string;
  readonly kubeadmConfigConcurrency: number;
  readonly machineConcurrency: number;
  readonly remoteConditionsGraceMs: number;
  readonly additionalSyncLabels: readonly GoRegExp[];
  readonly additionalSyncAnnotations: readonly GoRegExp[];
  /** Every object is reconciled once in this time; 0 for never. */
  readonly syncPeriodMs: number;
  readonly skipCrdMigrationPhases: readonly string[];
  readonly kubeApiQps: number;
  readonly kubeApiBurst: number;
  readonly workloadQps: number;
  readonly workloadBurst: number;
  readonly tokenTtlMs: number;
  readonly webhook: {
    readonly port: number;
    readonly portGiven: boolean;
    readonly certDir: string;
    readonly certName: string;
    readonly keyName: string;
  };
  readonly healthAddress: string;
  readonly tls: { readonly minVersion: string; readonly cipherSuites: readonly string[] };
  readonly diagnosticsAddress: string;
  readonly profilerAddress: string;
  readonly insecureDiagnostics: boolean;
  readonly featureGates: FeatureGates;
  readonly kubeconfig: string;
  readonly logLevel: number;
  readonly loggingFormat: 'text' | 'json';
  readonly controllers: readonly ControllerName[];
  readonly conditionReasons: 'table' | 'upstream';
  readonly recreateLostTokens: boolean;
  readonly snapshotStore: 'status' | 'annotation' | 'configmap' | 'none';
  readonly inspector: {
    readonly bindAddress: string;
    readonly protocols: readonly string[];
    readonly auth: 'none' | 'token' | 'kubernetes';
    readonly tokenFile: string;
    readonly allowedHosts: readonly string[];
    readonly allowedOrigins: readonly string[];
    readonly history: number;
  };
  readonly bootstrapDataSizeLimit: number;
  readonly shadow: boolean;
  /** Flags and gates that were set although they change nothing here: logged once. */
  readonly withoutEffect: readonly string[];
  /** Every flag with its value, for the log at V(1). */
  readonly flagValues: readonly (readonly [string, string])[];
}
