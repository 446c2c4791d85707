// Label selectors, as Kubernetes reads them. Pure. An absent or empty selector of a MachineDrainRule fits everything.

import type { LabelSelector, StringMap } from '../../../api/core.js';

/** Whether a selector fits these labels; one that cannot be read fits nothing. */
export function selects(selector: LabelSelector | undefined, labels: StringMap | undefined): boolean {
  const has = labels ?? {};
  const exact = Object.entries(selector?.matchLabels ?? {}).every(([key, value]) => has[key] === value);
  return exact && (selector?.matchExpressions ?? []).every((expression) => fits(expression, has));
}

/** What is wrong with a selector; null when nothing is. */
export function selectorProblem(selector: LabelSelector | undefined): string | null {
  for (const [key, value] of Object.entries(selector?.matchLabels ?? {})) {
    const problem = keyProblem(key) ?? valueProblem(key, value);
    if (problem !== null) return problem;
  }
  for (const { key, operator, values = [] } of selector?.matchExpressions ?? []) {
    switch (operator) {
      case 'In':
      case 'NotIn':
        if (values.length === 0)
          return `values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty`;
        break;
      case 'Exists':
      case 'DoesNotExist':
        if (values.length > 0)
          return `values: Invalid value: ${JSON.stringify(values)}: values set must be empty for exists and does not exist`;
        break;
      default:
        return `"${operator}" is not a valid label selector operator`;
    }
    const problem = keyProblem(key) ?? values.map((value) => valueProblem(key, value)).find((each) => each !== null);
    if (problem !== null && problem !== undefined) return problem;
  }
  return null;
}

function keyProblem(key: string): string | null {
  const isKey = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$/.test(key);
  return isKey
    ? null
    : `key: Invalid value: "${key}": name part must consist of alphanumeric characters, '-', '_' or '.'`;
}

function valueProblem(key: string, value: string): string | null {
  const isValue = value === '' || /^([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$/.test(value);
  return isValue
    ? null
    : `values[0][${key}]: Invalid value: "${value}": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.'`;
}

function fits(
  { key, operator, values = [] }: NonNullable<LabelSelector['matchExpressions']>[number],
  labels: StringMap,
): boolean {
  const value = labels[key];
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}
