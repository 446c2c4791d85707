import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly rules?: readonly Rule[];
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace: string }[];
  readonly webhooks?: readonly Readonly<Record<string, unknown>>[];
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** All objects of a file. */
export function manifests(path: string): readonly Manifest[] {
  return parseAllDocuments(readFileSync(path, 'utf8'), { version: '1.1' }).map(
    (document) => document.toJS() as Manifest,
  );
}

/** The rules of a role in a file. */
export function rulesOf(path: string, kind: string, name: string): readonly Rule[] {
  const role = manifests(path).find((one) => one.kind === kind && one.metadata.name === name);
  if (role?.rules === undefined) throw new Error(`${path} has no ${kind} ${name}`);
  return role.rules;
}

/** The verbs that rules allow on one resource. */
export function verbsOn(rules: readonly Rule[], group: string, resource: string): readonly string[] {
  const covers = (names: readonly string[], name: string): boolean => names.includes(name) || names.includes('*');
  return [
    ...new Set(
      rules
        .filter(({ resourceNames }) => resourceNames === undefined)
        .filter(({ apiGroups, resources }) => covers(apiGroups, group) && covers(resources, resource))
        .flatMap(({ verbs }) => verbs),
    ),
  ].sort();
}
