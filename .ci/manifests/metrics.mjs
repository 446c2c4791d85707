// The metrics page and the Grafana dashboard, from the registry of the program: a metric that goes takes its panel with it.

import { load } from '../visualize.mjs';

const BOOTSTRAP_LEASE = 'kubeadm-bootstrap-manager-leader-election-capi';

const ALERTS = [
  [
    'No leader',
    // Other managers export the same metric, and a manager that is gone exports none: only this Lease, and also its absence, counts.
    `absent(leader_election_master_status{name="${BOOTSTRAP_LEASE}"} == 1)`,
    'nobody works on KubeadmConfigs',
  ],
  [
    'Errors do not stop',
    'sum by (controller) (rate(controller_runtime_reconcile_errors_total[15m])) > 0.1',
    '`explain` on the objects that the log names',
  ],
  ['A bug', 'increase(controller_runtime_reconcile_panics_total[1h]) > 0', 'report it with the log'],
  [
    'A state that should be short',
    'sum by (state) (kubeadm_bootstrap_actors{state=~"AcquiringLock|Initializing|Joining|Rotating"}) > 0',
    'for more than ten minutes: `explain` says what is waited for',
  ],
  [
    'A workload cluster is not reachable',
    'capi_cluster_cache_connection_up == 0',
    'joining machines of that cluster wait',
  ],
  [
    'Webhooks fail',
    'sum(rate(controller_runtime_webhook_requests_total{code=~"5.."}[5m])) > 0',
    'users cannot write KubeadmConfigs',
  ],
  [
    'The certificate cannot be read',
    'increase(certwatcher_read_certificate_errors_total[10m]) > 0',
    'the last one is still used: see cert-manager',
  ],
];

const p = (quantile, metric, by) => `histogram_quantile(${quantile}, sum by (le, ${by}) (rate(${metric}_bucket[5m])))`;

const PANELS = [
  ['Actors by state', 'sum by (controller, state) (kubeadm_bootstrap_actors)', '{{controller}} {{state}}', 'short'],
  ['Transitions', 'sum by (from, to) (rate(kubeadm_bootstrap_transitions_total[5m]))', '{{from}} → {{to}}', 'ops'],
  ['Time in state, p95', p(0.95, 'kubeadm_bootstrap_time_in_state_seconds', 'state'), '{{state}}', 's'],
  ['Effects', 'sum by (request, result) (rate(kubeadm_bootstrap_effects_total[5m]))', '{{request}} {{result}}', 'ops'],
  ['Effects, p95', p(0.95, 'kubeadm_bootstrap_effect_seconds', 'request'), '{{request}}', 's'],
  [
    'Turns',
    'sum by (controller, result) (rate(controller_runtime_reconcile_total[5m]))',
    '{{controller}} {{result}}',
    'ops',
  ],
  ['Turns, p95', p(0.95, 'controller_runtime_reconcile_time_seconds', 'controller'), '{{controller}}', 's'],
  ['Keys that wait', 'sum by (controller) (workqueue_depth)', '{{controller}}', 'short'],
  ['Requests', 'sum by (method, code) (rate(rest_client_requests_total[5m]))', '{{method}} {{code}}', 'reqps'],
  [
    'Webhook requests',
    'sum by (webhook, code) (rate(controller_runtime_webhook_requests_total[5m]))',
    '{{webhook}} {{code}}',
    'reqps',
  ],
  ['Webhooks, p95', p(0.95, 'controller_runtime_webhook_latency_seconds', 'webhook'), '{{webhook}}', 's'],
  [
    'Workload clusters connected',
    'sum by (cluster_namespace, cluster_name) (capi_cluster_cache_connection_up)',
    '{{cluster_namespace}}/{{cluster_name}}',
    'short',
  ],
  ['Leader', 'sum by (name) (leader_election_master_status)', '{{name}}', 'short'],
  [
    'Tokens without data',
    'sum(kubeadm_bootstrap_marked_tokens_without_data)',
    'to empty before swapping back',
    'short',
  ],
];

const datasource = { type: 'prometheus', uid: '${datasource}' };

function panel([title, expr, legendFormat, unit], index) {
  return {
    id: index + 1,
    title,
    type: 'timeseries',
    datasource,
    gridPos: { h: 8, w: 12, x: (index % 2) * 12, y: Math.floor(index / 2) * 8 },
    fieldConfig: { defaults: { unit }, overrides: [] },
    targets: [{ refId: 'A', datasource, expr, legendFormat }],
  };
}

/** The dashboard, for import into Grafana. */
export function dashboard() {
  return {
    title: 'kubeadm-bootstrap-operator',
    uid: 'kubeadm-bootstrap-operator',
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    tags: ['cluster-api'],
    time: { from: 'now-3h', to: 'now' },
    templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' }] },
    panels: PANELS.map(panel),
  };
}

/** A text as a cell of a Markdown table. */
const cell = (text) => text.replaceAll('|', '\\|');

/** The page about metrics. */
export async function metricsMarkdown() {
  const { createMetrics } = await load('src/metrics.ts', 'metrics');
  const all = await createMetrics().registry.getMetricsAsArray();
  const rows = all.map(({ name, help, labelNames = [], constructor }) => {
    const labels = labelNames.filter((label) => label !== 'le').map((label) => `\`${label}\``);
    return `| \`${name}\` | ${constructor.name.toLowerCase()} | ${labels.join(' ')} | ${cell(help)} |`;
  });
  return [
    '# Metrics',
    '',
    '`/metrics` on `--diagnostics-address`. Names are those of controller-runtime and Cluster API where they exist, so dashboards and alerts for the Go provider keep working; our own begin with `kubeadm_bootstrap_`. Metrics of Node.js and the process come with them. [security.md](security.md) says who may read them.',
    '',
    '[grafana-dashboard.json](grafana-dashboard.json) is a dashboard for import into Grafana.',
    '',
    '## Worth an alert',
    '',
    '| What | Expression | Then |',
    '|---|---|---|',
    ...ALERTS.map(([what, expr, then]) => `| ${what} | \`${cell(expr)}\` | ${cell(then)} |`),
    '',
    '## All metrics',
    '',
    '| Name | Type | Labels | Meaning |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
