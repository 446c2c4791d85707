import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { leaseGroups } from '../../../src/cli/lease-groups.js';
import { createMetrics } from '../../../src/metrics.js';

const names = createMetrics()
  .registry.getMetricsAsArray()
  .map(({ name }) => name);

function used(text: string): readonly string[] {
  const found = text.match(
    /\b(?:controller_runtime|capi|workqueue|rest_client|leader_election|certwatcher|kubeadm_bootstrap)_\w+/g,
  );
  return [...new Set(found ?? [])].map((name) => name.replace(/_bucket$/, ''));
}

describe('metrics in documents', () => {
  test('dashboard: every metric that a panel reads -> exists', () => {
    const { panels } = JSON.parse(readFileSync('docs/grafana-dashboard.json', 'utf8')) as {
      readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
    };
    const read = used(panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join('\n'));
    expect(read.length).toBeGreaterThan(10);
    expect(read.filter((name) => !names.includes(name))).toEqual([]);
  });

  test('metrics.md: every metric -> named; every named one -> exists', () => {
    const page = readFileSync('docs/metrics.md', 'utf8');
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
    expect(used(page.replaceAll('kubeadm_bootstrap_`', '')).filter((name) => !names.includes(name))).toEqual([]);
  });

  test('metrics.md: the alert for a missing leader -> asks for our Lease alone, and fires when no manager is there', () => {
    const row = readFileSync('docs/metrics.md', 'utf8')
      .split('\n')
      .find((line) => line.startsWith('| No leader |'));
    const [lease] = leaseGroups(['kubeadmconfig']);
    expect(row).toContain(`\`absent(leader_election_master_status{name="${lease?.lease}"} == 1)\``);
  });
});
