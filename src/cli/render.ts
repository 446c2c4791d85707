// `render`: the bootstrap data of one KubeadmConfig from manifests, without a cluster.
//
// It is the reconciler's own code on the objects of a file. Nothing is printed on stdout but a result; a refusal or a wait
// is one line on stderr. Certificates that an init lacks are made in memory and are part of the data only.

import { Command, Option } from 'commander';
import type { KubernetesObject } from '../api/core.js';
import { kubeadmConfigSpec, type KubeadmConfig } from '../api/kubeadmconfig/v1beta2.js';
import { sizeReport } from '../bootstrap/bootstrap-data.js';
import { newBootstrapToken, splitBootstrapToken } from '../bootstrap/bootstrap-token.js';
import { generateCertificates } from '../bootstrap/certificates/generate-certificates.js';
import { createKeyPool } from '../bootstrap/certificates/key-pool.js';
import { generateKeyPair } from '../bootstrap/certificates/keys.js';
import { dataSecret } from '../bootstrap/data-secret.js';
import { goYaml, type YamlValue } from '../bootstrap/go-format/go-yaml.js';
import { evaluateOffline, type CertificateSource, type OfflineResult } from '../bootstrap/offline.js';
import type { Schema } from '../embedded/schema/schema.js';
import { validate } from '../embedded/schema/validate.js';
import { systemClock, systemRandom } from '../system.js';
import { readTextFile } from './documents.js';
import { CommandFailure } from './exit.js';
import { parseFeatureGates } from './feature-gates.js';
import { readManifests } from './read-manifests.js';

type Output = 'raw' | 'secret' | 'json';

interface RenderOptions {
  readonly filename: readonly string[];
  readonly name?: string;
  readonly as?: 'init' | 'join';
  readonly token?: string;
  readonly featureGates: string;
  readonly output: Output;
}

/** The subcommand. */
export function renderCommand(): Command {
  return new Command('render')
    .description('bootstrap data of one KubeadmConfig from manifests, without a cluster')
    .requiredOption(
      '-f, --filename <file>',
      'YAML or JSON stream of Kubernetes objects, - for stdin; may be repeated',
      (file: string, before: readonly string[] = []) => [...before, file],
    )
    .option('--name <namespace/name>', 'which KubeadmConfig, if there are several')
    .addOption(
      new Option('--as <mode>', 'init or join instead of what the Cluster says').choices(['init', 'join'] as const),
    )
    .option('--token <token>', 'the bootstrap token that would otherwise be minted')
    .option('--feature-gates <gates>', 'Name=true|false pairs, as for run', '')
    .addOption(new Option('-o, --output <format>', 'what to print').choices(['raw', 'secret', 'json']).default('raw'))
    .action(render);
}

async function render(options: RenderOptions): Promise<void> {
  const { gates } = parseFeatureGates(options.featureGates.split(',').filter((pair) => pair !== ''));
  if (options.token !== undefined && splitBootstrapToken(options.token) === null) {
    throw new CommandFailure('--token must be 6 and 16 lower-case letters or digits: abcdef.0123456789abcdef', 2);
  }
  const objects = options.filename.flatMap((file) => readManifests(readTextFile(file)));
  const config = choose(objects, options.name);
  const result = await evaluateOffline({
    objects,
    config,
    ...(options.as === undefined ? {} : { as: options.as }),
    token: () => options.token ?? newBootstrapToken(systemRandom.bytes),
    generate: certificateSource(config),
    hasMachinePools: gates.MachinePool,
    sizeLimitBytes: 0,
    respectsStoredData: false,
  });
  if (result.kind !== 'data') throw new CommandFailure(whyNot(config, result));
  for (const warning of [...unsupportedValues(config), ...result.warnings])
    process.stderr.write(`warning: ${oneLine(warning)}\n`);
  process.stdout.write(print(config, result, options.output));
}

/** Words that an API server would not take and rendering takes for the default. */
function unsupportedValues({ spec = {} }: KubeadmConfig): readonly string[] {
  return validate(spec, kubeadmConfigSpec.openApi as Schema, 'spec')
    .filter(({ reason }) => reason === 'FieldValueNotSupported')
    .map(({ field, detail }) => `${field}: ${detail}`);
}

function choose(objects: readonly KubernetesObject[], name: string | undefined): KubeadmConfig {
  const configs = objects.filter(({ kind }) => kind === 'KubeadmConfig') as KubeadmConfig[];
  const names = configs.map(nameOf);
  const wanted = name === undefined || name.includes('/') ? name : `default/${name}`;
  const chosen = wanted === undefined ? configs : configs.filter((_, index) => names[index] === wanted);
  const [config, another] = chosen;
  if (config !== undefined && another === undefined) return config;
  if (config !== undefined) throw new CommandFailure(`choose a KubeadmConfig with --name: ${names.join(', ')}`, 2);
  throw new CommandFailure(
    wanted === undefined || names.length === 0
      ? 'there is no KubeadmConfig in the input'
      : `there is no KubeadmConfig ${wanted} in the input, but: ${names.join(', ')}`,
  );
}

function certificateSource(config: KubeadmConfig): CertificateSource {
  return async (wants, settings) => {
    const pool = createKeyPool({ generate: generateKeyPair });
    const { signal } = new AbortController();
    const nowMs = systemClock.nowMs();
    const answer = await generateCertificates({ wants, settings, owner: nameOf(config), pool, nowMs, signal });
    pool.close();
    return answer.kind === 'aborted' ? { kind: 'failed', message: 'aborted' } : answer;
  };
}

/** One line: condition, reason, message, cause. */
function whyNot(config: KubeadmConfig, result: Exclude<OfflineResult, { readonly kind: 'data' }>): string {
  const conditions = Object.entries(result.conditions).filter(([, condition]) => condition?.status !== 'True');
  const [type, condition] = result.kind === 'refused' ? [result.conditionType, result] : (conditions[0] ?? []);
  const parts = [
    `KubeadmConfig ${nameOf(config)}: ${result.kind === 'waiting' ? 'waiting' : 'refused'}`,
    condition === undefined ? '' : `${type}=${condition.status}, ${condition.reason}`,
    result.message,
    result.cause === result.message ? '' : result.cause,
    result.kind === 'refused' ? placeOf(result.field) : '',
  ];
  return oneLine(parts.filter((part) => part !== '').join(': '));
}

/** What is to be mended: a field of the KubeadmConfig or its owner, or another object. */
function placeOf(field: string): string {
  return field.startsWith('Secret ') ? field : `field ${field}`;
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ');
}

function print(
  config: KubeadmConfig,
  result: Extract<OfflineResult, { kind: 'data' }>,
  output: Output,
): Uint8Array | string {
  const { bytes, format, contributors, specAfter, cluster, token } = result;
  if (output === 'raw') return bytes;
  if (output === 'json') {
    const value = Buffer.from(bytes).toString('base64');
    return `${JSON.stringify({ format, value, specAfter, sizes: sizeReport(bytes, contributors) }, null, 2)}\n`;
  }
  const { name = '', namespace = '', uid } = config.metadata;
  const owner = { name, namespace, ...(uid === undefined ? {} : { uid }) };
  return goYaml(dataSecret(owner, { clusterName: cluster.name, format, bytes, token }) as unknown as YamlValue);
}

function nameOf({ metadata }: KubeadmConfig): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}
