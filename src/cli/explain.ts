// `explain KIND/NAME`: why is this object where it is? Reads the cluster only; no operator has to run.
//
// What the cluster does not record prints as `not recorded`.

import { Command, Option } from 'commander';
import { parse } from 'yaml';
import type { Explanation } from '../../machines/kit/explanation.js';
import { failureText } from '../../machines/kit/failure-text.js';
import { ApiError } from '../kube/contract.js';
import { sleep } from '../kube/waiting.js';
import { workloadConnect } from '../kube/workload-connect.js';
import { silentLogger } from '../log.js';
import { createMetrics } from '../metrics.js';
import { environment, systemClock } from '../system.js';
import { parseConfig, type OperatorConfig } from './config.js';
import { explainRecorded, EXPLAINERS } from './explainers.js';
import { CommandFailure } from './exit.js';
import { nearest } from './flag-types.js';
import { FIELD_MANAGER, openManagement, USER_AGENT } from './management.js';

interface ExplainOptions {
  readonly namespace?: string;
  readonly kubeconfig: string;
  readonly output: 'text' | 'json';
  readonly bootstrapTokenTtl: string;
  readonly snapshotStore?: OperatorConfig['snapshotStore'];
}

/** The subcommand. */
export function explainCommand(): Command {
  return new Command('explain')
    .description('why is an object where it is: state, deciding row, what it waits for, what would unblock it')
    .argument('<kind/name>', 'for example kubeadmconfig/c1-md-0-abcde')
    .option('-n, --namespace <namespace>', 'namespace of the object; without it that of the context, then default')
    .option(
      '--kubeconfig <file>',
      'kubeconfig file; without it $KUBECONFIG, then the account of the pod, then ~/.kube/config',
      '',
    )
    .option('--bootstrap-token-ttl <duration>', 'as the operator was started with', '15m')
    .addOption(
      new Option('--snapshot-store <store>', 'where to look for the state; without it wherever it is recorded').choices(
        ['status', 'annotation', 'configmap', 'none'],
      ),
    )
    .addOption(new Option('-o, --output <format>', 'text or json').choices(['text', 'json']).default('text'))
    .action(async (target: string, options: ExplainOptions) => {
      const [kind = '', name = '', rest] = target.split('/');
      if (name === '' || rest !== undefined)
        throw new CommandFailure(`want KIND/NAME, such as kubeadmconfig/my-config; got ${JSON.stringify(target)}`, 2);
      const explanation = await explain(kind, name, options);
      process.stdout.write(
        options.output === 'json' ? `${JSON.stringify(explanation, null, 2)}\n` : explanationText(explanation),
      );
    });
}

async function explain(kind: string, name: string, options: ExplainOptions): Promise<Explanation> {
  const word = kind.toLowerCase().replace(/\..*$/, '');
  const explainer = EXPLAINERS.find((each) => each.kinds.includes(word));
  if (explainer === undefined) {
    const known = EXPLAINERS.map((each) => each.kinds[0] ?? '');
    const near = nearest(
      word,
      EXPLAINERS.flatMap((each) => [...each.kinds]),
    );
    throw new CommandFailure(
      `there is no kind ${JSON.stringify(kind)} to explain: want one of ${known.join(', ')}${near === null ? '' : ` (did you mean ${near}?)`}`,
      2,
    );
  }
  const args = [`--kubeconfig=${options.kubeconfig}`, `--bootstrap-token-ttl=${options.bootstrapTokenTtl}`];
  const config = parseConfig(args, environment());
  const management = await openManagement({
    config,
    clock: systemClock,
    environment: environment(),
    log: silentLogger,
    metrics: createMetrics(),
  });
  const namespace = options.namespace ?? (management.contextNamespace || 'default');
  try {
    const request = {
      client: management.main,
      config,
      namespace,
      name,
      nowMs: systemClock.nowMs(),
      connectWorkload: workloadConnect({
        parseYaml: (text) => parse(text) as unknown,
        clock: systemClock,
        environment: environment(),
        userAgent: USER_AGENT,
        fieldManager: FIELD_MANAGER,
        qps: config.workloadQps,
        burst: config.workloadBurst,
        ownPod: management.ownPod,
      }),
    };
    const answer = await patiently(() => explainRecorded(explainer, request, options.snapshotStore));
    if (answer === null) throw new CommandFailure(`${explainer.kinds[0]} ${namespace}/${name} does not exist`);
    return answer;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { target, message } = error.failure;
    const what = target.name === '' ? `a list in namespace ${target.namespace}` : `${target.namespace}/${target.name}`;
    throw new CommandFailure(`cannot read ${target.kind} ${what}: ${message}`);
  } finally {
    await management.close();
  }
}

/** Asks again a few times where the server answered that it cannot answer now; what cannot be reached is said at once. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (const pauseMs of ASK_AGAIN_MS) {
    try {
      return await ask();
    } catch (error) {
      const isPassing =
        error instanceof ApiError &&
        error.failure.status !== null &&
        ['Unavailable', 'TooManyRequests'].includes(error.failure.kind);
      if (!isPassing) throw error;
      await sleep(systemClock, pauseMs, NEVER);
    }
  }
  return ask();
}

const ASK_AGAIN_MS = [250, 500, 1_000];
const NEVER = new AbortController().signal;
const NOT_RECORDED = 'not recorded';
const NEXT_TRY = `${NOT_RECORDED}: with a growing delay, and at once when what it waits for changes`;

/** The explanation for people. */
export function explanationText(answer: Explanation): string {
  const { object, row, waitsFor, lastError } = answer;
  const lines: readonly (readonly [string, string])[] = [
    ['Object', `${object.kind} ${object.namespace}/${object.name}`],
    ['State', `${answer.state}: ${answer.stateMeaning}`],
    ['Since', answer.since ?? NOT_RECORDED],
    [
      'Decided by',
      `${row.id} ${row.title} [${row.guard}]${row.requirements.length === 0 ? '' : ` (${row.requirements.join(', ')})`}`,
    ],
    ['', row.description],
    [
      'Waits for',
      waitsFor === null ? 'nothing' : `${waitsFor.kind} ${waitsFor.namespace}/${waitsFor.name}: ${waitsFor.what}`,
    ],
    ['Last error', lastError === null ? 'none' : failureText(lastError)],
    ['Next look', answer.nextLook ?? (lastError === null ? 'when something changes' : NEXT_TRY)],
    ['Unblocks it', answer.unblocks],
    ...answer.warnings.map((text) => ['Looks wrong', text] as const),
  ];
  const facts = Object.entries(answer.facts).map(
    ([name, value]) => `  ${name}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
  );
  return [
    ...lines.map(([name, text]) => `${(name === '' ? '' : `${name}:`).padEnd(13)}${text}`),
    'Facts:',
    ...facts,
    '',
  ].join('\n');
}
