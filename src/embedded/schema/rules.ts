// The CEL rules of the Cluster API definitions, as predicates. There is no CEL here: a definition with another rule is refused
// when it is installed, so that no rule is ever silently skipped.
import { isObject } from '../json.js';

type Predicate = (value: unknown) => boolean;

const partitionType =
  /^(Linux|LinuxSwap|LinuxRAID|LVM|Fat32|NTFS|LinuxExtended|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$/;
const reservedConditions = ['Ready', 'Available', 'HealthCheckSucceeded', 'OwnerRemediated', 'ExternallyRemediated'];

/** `self.all(x, self.exists_one(y, <the keys are equal>))`. */
function uniqueBy(...keys: readonly string[]): Predicate {
  return (value) => {
    if (!Array.isArray(value)) return true;
    const seen = value.map((item) => JSON.stringify(keys.map((key) => (isObject(item) ? item[key] : undefined))));
    return new Set(seen).size === seen.length;
  };
}

const predicates: Readonly<Record<string, Predicate>> = {
  'self.all(x, self.exists_one(y, x.name == y.name))': uniqueBy('name'),
  [`self.matches('${partitionType.source}')`]: (value) => typeof value !== 'string' || partitionType.test(value),
  '[has(self.layout),has(self.diskLayout)].filter(x,x==true).size() == 1': (value) =>
    !isObject(value) || (value.layout === undefined) !== (value.diskLayout === undefined),
  "!(self in ['Ready','Available','HealthCheckSucceeded','OwnerRemediated','ExternallyRemediated'])": (value) =>
    typeof value !== 'string' || !reservedConditions.includes(value),
  'self.all(x, self.exists_one(y, x == y))': (value) =>
    !Array.isArray(value) || new Set(value.map((item) => JSON.stringify(item))).size === value.length,
};

/** Whether a rule is one of those that are carried out. */
export function isKnownRule(rule: string): boolean {
  return Object.hasOwn(predicates, rule);
}

/** Whether a value satisfies a known rule. */
export function satisfies(rule: string, value: unknown): boolean {
  return predicates[rule]?.(value) ?? true;
}
