// `version`: which build this is and which contracts it speaks.

import { Command, Option } from 'commander';

declare const __VERSION__: string | undefined;
declare const __COMMIT__: string | undefined;

/** What this build is. `contract` is the Cluster API contract that the CRDs implement; `served` what is readable. */
export const VERSION = {
  version: typeof __VERSION__ === 'string' ? __VERSION__ : '0.0.0-dev',
  commit: typeof __COMMIT__ === 'string' ? __COMMIT__ : 'unknown',
  contract: 'v1beta2',
  served: ['v1beta2', 'v1beta1'],
  parity: ['v1.13.5', 'v1.14.0'],
} as const;

/** The version as a person or a program reads it. */
export function versionText(output: 'text' | 'json'): string {
  if (output === 'json') return `${JSON.stringify({ ...VERSION, node: process.version }, null, 2)}\n`;
  return [
    `kubeadm-bootstrap-operator ${VERSION.version} (commit ${VERSION.commit}, Node.js ${process.version})`,
    `Cluster API contract: ${VERSION.contract} (served versions: ${VERSION.served.join(', ')})`,
    `In parity with the Go kubeadm bootstrap provider ${VERSION.parity[0]}, with the additions of ${VERSION.parity[1]}`,
    '',
  ].join('\n');
}

/** The subcommand. */
export function versionCommand(): Command {
  return new Command('version')
    .description('version, commit, contract versions')
    .addOption(new Option('-o, --output <format>', 'text or json').choices(['text', 'json']).default('text'))
    .action(({ output }: { readonly output: 'text' | 'json' }) => {
      process.stdout.write(versionText(output));
    });
}
