// Bootstrap data in Ignition form: the node's own configuration, with the user's additional one behind it.
//
// The output is Ignition 2.3.0 as compact JSON. In non-strict mode what is doubtful in the additional configuration comes
// back as warnings; nothing of it stops the data.
import { textToBytes } from './go-format/go-string.js';
import { convertAdditionalConfig } from './ignition/additional-config.js';
import type { IgnitionConfig } from './ignition/ignition-config.js';
import { printedBytes, printIgnitionConfig } from './ignition/ignition-json.js';
import { appendIgnitionConfig } from './ignition/merge-configs.js';
import { makeNodeConfig } from './ignition/node-config.js';
import type { Contributor, NodeData, WriteResult } from './node-data.js';

const ADDITIONAL_CONFIG_FIELD = 'spec.ignition.containerLinuxConfig.additionalConfig';

/** Data with what is doubtful in the additional configuration, or the field that must change. */
export type IgnitionResult = WriteResult & { readonly warnings?: readonly string[] };

/** Writes a node's Ignition configuration. */
export function writeIgnition(node: NodeData): IgnitionResult {
  const own = makeNodeConfig(node);
  if (own.kind === 'invalid') return own;
  const { additionalConfig = '', strict = false } = node.ignition?.containerLinuxConfig ?? {};
  if (additionalConfig === '') return written(own.config, own.contributors, []);

  const additional = convertAdditionalConfig(additionalConfig, strict);
  if (additional.kind === 'refused') {
    const message = `${ADDITIONAL_CONFIG_FIELD}: building Ignition config: converting additional CLC to Ignition: ${additional.message}`;
    return { kind: 'invalid', field: ADDITIONAL_CONFIG_FIELD, message };
  }
  const config = appendIgnitionConfig(own.config, additional.config);
  const bytes = printedBytes.config(config) - printedBytes.config(own.config);
  return written(config, [...own.contributors, { field: ADDITIONAL_CONFIG_FIELD, bytes }], additional.warnings);
}

function written(config: IgnitionConfig, named: readonly Contributor[], warnings: readonly string[]): IgnitionResult {
  const bytes = textToBytes(printIgnitionConfig(config));
  const rest = bytes.length - named.reduce((sum, contributor) => sum + contributor.bytes, 0);
  return { kind: 'written', bytes, contributors: [...named, { field: 'fixed text', bytes: rest }], warnings };
}
