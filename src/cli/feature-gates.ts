// Feature gates with upstream's names and defaults. Two have an effect here; the others are accepted so that arguments
// written for the Go provider keep working.

import { nearest, parseBool, UsageError } from './flag-types.js';

interface Gate {
  readonly default: boolean;
  readonly stage: 'Alpha' | 'Beta' | 'GA';
  readonly hasEffect: boolean;
}

/** All gates that upstream's manager knows (spec 1.4). */
export const FEATURE_GATES = {
  MachinePool: { default: true, stage: 'Beta', hasEffect: true },
  KubeadmBootstrapFormatIgnition: { default: false, stage: 'Alpha', hasEffect: true },
  PriorityQueue: { default: true, stage: 'Beta', hasEffect: false },
  ReconcilerRateLimiting: { default: true, stage: 'Beta', hasEffect: false },
  MachineSetPreflightChecks: { default: true, stage: 'Beta', hasEffect: false },
  MachineWaitForVolumeDetachConsiderVolumeAttachments: { default: true, stage: 'GA', hasEffect: true },
  ClusterTopology: { default: false, stage: 'Alpha', hasEffect: false },
  RuntimeSDK: { default: false, stage: 'Alpha', hasEffect: false },
  InPlaceUpdates: { default: false, stage: 'Alpha', hasEffect: false },
  MachineTaintPropagation: { default: false, stage: 'Alpha', hasEffect: true },
} as const satisfies Record<string, Gate>;

/** Name of a gate. */
export type FeatureGateName = keyof typeof FEATURE_GATES;
/** Every gate with its value. */
export type FeatureGates = Readonly<Record<FeatureGateName, boolean>>;

/** Which gates were named although they change nothing here: logged once. */
export interface ParsedFeatureGates {
  readonly gates: FeatureGates;
  readonly withoutEffect: readonly string[];
}

/** Reads `Name=bool` pairs, `AllAlpha` and `AllBeta` included. Throws UsageError for an unknown name or value. */
export function parseFeatureGates(pairs: readonly string[]): ParsedFeatureGates {
  const names = Object.keys(FEATURE_GATES) as FeatureGateName[];
  const values = Object.fromEntries(names.map((name) => [name, FEATURE_GATES[name].default])) as Record<
    FeatureGateName,
    boolean
  >;
  const named = new Map<string, boolean>();
  for (const pair of pairs) {
    const [name = '', text] = pair.split('=', 2);
    if (text === undefined) throw new UsageError(`--feature-gates: missing bool value for ${name}`);
    const value = parseBool(text);
    if (value === null) throw new UsageError(`--feature-gates: invalid value of ${name}=${text}: want true or false`);
    if (!isGate(name) && name !== 'AllAlpha' && name !== 'AllBeta') {
      const near = nearest(name, names);
      throw new UsageError(
        `--feature-gates: unrecognized feature gate: ${name}${near === null ? '' : ` (did you mean ${near}?)`}`,
      );
    }
    named.set(name, value);
  }
  for (const stage of ['Alpha', 'Beta'] as const) {
    const all = named.get(`All${stage}`);
    if (all !== undefined) for (const name of names) if (FEATURE_GATES[name].stage === stage) values[name] = all;
  }
  for (const [name, value] of named) if (isGate(name)) values[name] = value;
  if (values.ReconcilerRateLimiting && !values.PriorityQueue) {
    throw new UsageError(
      'if feature gate ReconcilerRateLimiting is enabled, feature gate PriorityQueue must be enabled as well',
    );
  }
  const withoutEffect = [...named.keys()].filter((name) => isGate(name) && !FEATURE_GATES[name].hasEffect);
  return { gates: Object.freeze(values), withoutEffect };
}

function isGate(name: string): name is FeatureGateName {
  return Object.hasOwn(FEATURE_GATES, name);
}
