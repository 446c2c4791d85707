import { describe, expect, test } from '@jest/globals';
import { parseConfig } from '../../../src/cli/config.js';
import { startOperator } from '../../../src/cli/operator.js';
import { createEmbeddedApiServer } from '../../../src/embedded/api-server.js';
import { bootstrapDefinitions, coreDefinitions } from '../../../src/embedded/crds.js';
import { silentLogger } from '../../../src/log.js';
import { createMetrics } from '../../../src/metrics.js';
import { systemClock, systemRandom } from '../../../src/system.js';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Definition {
  readonly spec: { readonly versions: readonly { readonly name: string }[] };
}

/** A definition as an older release has it. */
const older = (definition: object, name: string): object => {
  const { spec } = definition as Definition;
  return { ...definition, spec: { ...spec, versions: spec.versions.slice(-1).map((one) => ({ ...one, name })) } };
};

/** The lines with which a start on these definitions fails. */
async function failure(crds: readonly object[]): Promise<readonly string[]> {
  const server = createEmbeddedApiServer({ clock: systemClock, random: systemRandom, crds });
  const folder = mkdtempSync(join(tmpdir(), 'preflight-'));
  await server.listen();
  writeFileSync(join(folder, 'kubeconfig'), server.kubeconfig());
  const flags = ['--health-addr=', '--diagnostics-address=', '--inspector-bind-address='];
  try {
    await startOperator({
      config: parseConfig([`--kubeconfig=${join(folder, 'kubeconfig')}`, ...flags], {}),
      environment: {},
      clock: systemClock,
      random: systemRandom,
      log: silentLogger,
      metrics: createMetrics(),
    });
    return [];
  } catch (error) {
    return (error as Error).message.split('\n');
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('start on a cluster that does not fit', () => {
  test('Cluster API of contract v1beta1 -> one line that names contract, what is served, and what to do', async () => {
    const lines = await failure([...coreDefinitions.map((each) => older(each, 'v1beta1')), ...bootstrapDefinitions]);
    expect(lines).toEqual([
      'Cluster API’s contract v1beta2 is needed, and the API server serves cluster.x-k8s.io in v1beta1 only: install Cluster API v1.11 or later (see docs/support-matrix.md)',
    ]);
  });

  test('no Cluster API at all -> a line for each kind that is missing', async () => {
    const lines = await failure(bootstrapDefinitions);
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines)
      expect(line).toMatch(/does not serve \S+\.cluster\.x-k8s\.io in version v1beta2: install/);
  });
});
