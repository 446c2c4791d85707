// The bootstrap provider of the stack: ours or upstream's, started, ended and exchanged while the stack runs.
//
//   BP1. At most one provider runs; the next one gets the same account, webhook port and certificate: an exchange of the image.
//   BP2. Processor time is counted over all processes of the provider, those that were killed included.
import { join, resolve } from 'node:path';
import { startProgram, type Program } from './program.js';

/** The operator as it is shipped; the runner is started in the checkout's folder. */
const bundle = resolve('dist/kubeadm-bootstrap-operator.js');

/** Whose provider. */
export type ProviderName = 'ours' | 'go';

/** What a provider is started with. */
export interface ProviderOptions {
  readonly kubeconfig: string;
  readonly programs: string;
  readonly webhookPort: number;
  readonly certificates: string;
  readonly folder: string;
  /** Flags for Node before the bundle. */
  readonly nodeFlags: readonly string[];
}

/** The provider over its processes. */
export interface ProviderLife {
  readonly name: ProviderName;
  readonly program: Program | null;
  /** Starts a provider with more flags than the usual ones. */
  start(name: ProviderName, flags?: readonly string[]): void;
  stop(): Promise<void>;
  kill(): Promise<void>;
  /** Processor time of all processes so far, seconds. */
  cpuSeconds(): number;
  /** The most memory that was seen since it was asked last, MiB. */
  takePeakMebibytes(): number;
  readonly logs: readonly string[];
}

const sampleEachMs = 500;

/** A provider that does not run yet. */
export function createProvider(options: ProviderOptions): ProviderLife {
  let name: ProviderName = 'ours';
  let program: Program | null = null;
  let endedCpuSeconds = 0;
  let peak = 0;
  const logs: string[] = [];
  const sample = (): void => void (peak = Math.max(peak, program?.mebibytes() ?? 0));
  const sampling = setInterval(sample, sampleEachMs);
  sampling.unref();
  const end = async (how: 'stop' | 'kill'): Promise<void> => {
    if (program === null) return;
    sample();
    endedCpuSeconds += program.cpuSeconds();
    await program[how]();
    program = null;
  };
  return {
    get name() {
      return name;
    },
    get program() {
      return program;
    },
    logs,
    start(wanted, flags = []) {
      if (program !== null) throw new Error('a provider runs already');
      name = wanted;
      const log = join(options.folder, `provider-${wanted}.log`);
      if (!logs.includes(log)) logs.push(log);
      program = startProgram({ ...commandOf(wanted, options, flags), name: `provider ${wanted}`, log });
    },
    stop: () => end('stop'),
    kill: () => end('kill'),
    cpuSeconds: () => endedCpuSeconds + (program?.cpuSeconds() ?? 0),
    takePeakMebibytes() {
      sample();
      const taken = peak;
      peak = 0;
      return taken;
    },
  };
}

/** Default flags on both sides, but for what keeps two programs on one machine apart. */
function commandOf(
  name: ProviderName,
  { kubeconfig, programs, webhookPort, certificates, nodeFlags }: ProviderOptions,
  flags: readonly string[],
): { readonly command: string; readonly args: readonly string[] } {
  const common = [
    `--kubeconfig=${kubeconfig}`,
    `--webhook-port=${webhookPort}`,
    `--webhook-cert-dir=${certificates}`,
    '--health-addr=127.0.0.1:0',
    '--diagnostics-address=127.0.0.1:0',
    ...flags,
  ];
  if (name === 'go') return { command: join(programs, 'bootstrap'), args: common };
  return {
    command: process.execPath,
    args: [...nodeFlags, bundle, 'run', '--inspector-bind-address=127.0.0.1:0', ...common],
  };
}
