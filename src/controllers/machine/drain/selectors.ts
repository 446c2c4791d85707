// Label selectors, as Kubernetes reads them. Pure. An absent or empty selector of a MachineDrainRule fits everything.

import type { LabelSelector, StringMap } from '../../../api/core.js';
import { invalid, listed, type FieldError } from '../../../api/field-errors.js';
import { goQuote } from '../../../api/go-json.js';
import { labelKeyErrors, labelValueErrors } from '../../../api/label-rules.js';

/** Whether a selector fits these labels; one that cannot be read fits nothing. */
export function selects(selector: LabelSelector | undefined, labels: StringMap | undefined): boolean {
  const has = labels ?? {};
  const exact = Object.entries(selector?.matchLabels ?? {}).every(([key, value]) => has[key] === value);
  return exact && (selector?.matchExpressions ?? []).every((expression) => fits(expression, has));
}

/** What is wrong with a selector, in the words of Kubernetes; null when nothing is. */
export function selectorProblem(selector: LabelSelector | undefined): string | null {
  const exact = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => ({ key, values: [value] }));
  for (const requirement of [...exact, ...(selector?.matchExpressions ?? [])]) {
    const operator = 'operator' in requirement ? requirement.operator : null;
    const { key, values = [] } = requirement;
    if (operator !== null && !operators.includes(operator)) {
      return `${goQuote(operator)} is not a valid label selector operator`;
    }
    const errors = [
      ...labelKeyErrors(key, 'key'),
      ...setErrors(operator, values),
      ...values.flatMap((value, index) => labelValueErrors(value, `values[${index}][${key}]`)),
    ];
    if (errors.length > 0) return listed(errors);
  }
  return null;
}

const operators: readonly string[] = ['In', 'NotIn', 'Exists', 'DoesNotExist'];

function setErrors(operator: string | null, values: readonly string[]): readonly FieldError[] {
  const wantsValues = operator === 'In' || operator === 'NotIn';
  if (wantsValues && values.length === 0) {
    return [invalid('values', null, "for 'in', 'notin' operators, values set can't be empty")];
  }
  const wantsNone = operator === 'Exists' || operator === 'DoesNotExist';
  if (wantsNone && values.length > 0) {
    return [invalid('values', values, 'values set must be empty for exists and does not exist')];
  }
  return [];
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
