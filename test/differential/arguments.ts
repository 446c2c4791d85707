// The command line of the random histories.
import { parseArgs } from 'node:util';
import { ownCommand } from '../bench/system/provider.js';

/** What was asked for. */
export interface DifferentialArguments {
  /** Empty for the Go provider. */
  readonly against: string;
  readonly command: string;
  readonly seeds: readonly number[];
  readonly parallel: number;
  /** Histories that may be made shorter; each costs minutes. */
  readonly shrink: number;
  readonly patienceMs: number;
  readonly json: string;
}

const PROVIDER_FLAGS =
  '--webhook-port={webhook-port} --webhook-cert-dir={webhook-cert-dir} --bootstrap-token-ttl={ttl} --watch-filter={watch-filter} ' +
  '--kube-api-qps=1000 --kube-api-burst=2000';

/** Our own command line. */
const OURS = `${ownCommand} ${PROVIDER_FLAGS} --feature-gates=KubeadmBootstrapFormatIgnition=true`;

/** The command line of a Go provider. One look a second at each object would only make its histories longer. */
export function goCommand(program: string): string {
  return (
    `${program} --kubeconfig={kubeconfig} --health-addr=127.0.0.1:0 --diagnostics-address=127.0.0.1:0 --insecure-diagnostics ` +
    `${PROVIDER_FLAGS} --feature-gates=KubeadmBootstrapFormatIgnition=true,ReconcilerRateLimiting=false -v=4`
  );
}

/** How it is used. */
export const usage = `npm run test:differential -- [flags]
  --seeds N             histories to play (default 20)
  --seed S              the first seed, or with --seeds absent the only one
  --against LINE        the other provider (default: the Go provider v1.13.5, built once with Go). In the line stand {kubeconfig},
                        {webhook-port}, {webhook-cert-dir} (tls.crt and tls.key), {ttl} and {watch-filter}
  --provider-cmd LINE   ours, in the same way (default: this checkout's operator)
  --parallel N          histories at a time (default 40)
  --patience SECONDS    how long worlds may differ before that counts (default 50)
  --shrink N            failing histories that are made shorter (default 3)
  --json FILE           also write what was found as JSON
`;

/** Reads it; throws with one line for what is wrong. */
export function parseDifferential(args: readonly string[]): DifferentialArguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      against: { type: 'string', default: '' },
      'provider-cmd': { type: 'string', default: OURS },
      seeds: { type: 'string' },
      seed: { type: 'string' },
      parallel: { type: 'string', default: '40' },
      patience: { type: 'string', default: '50' },
      shrink: { type: 'string', default: '3' },
      json: { type: 'string', default: '' },
    },
  });
  const first = values.seed === undefined ? 1 : whole('seed', values.seed, 0);
  const count = values.seeds === undefined ? (values.seed === undefined ? 20 : 1) : whole('seeds', values.seeds, 1);
  return {
    against: values.against,
    command: values['provider-cmd'],
    seeds: Array.from({ length: count }, (_, index) => first + index),
    parallel: whole('parallel', values.parallel, 1),
    shrink: whole('shrink', values.shrink, 0),
    patienceMs: whole('patience', values.patience, 1) * 1000,
    json: values.json,
  };
}

function whole(name: string, text: string, min: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < min)
    throw new Error(`--${name}: want a whole number from ${min}, got ${text}`);
  return value;
}
