// Files and users with everything they refer to put in: Secrets' values and rendered templates.
//
// The order decides which error a user sees first: the control plane's version (only if some file is a template), every
// file's Secret, the templates in file order, every user's Secret. The first failure ends it.
import type { ControlPlaneVersion, RenderInput, Refused, SecretReads } from './bootstrap-types.js';
import { newTemplateBudget } from './go-template/budget.js';
import { base64ToText } from './go-format/go-string.js';
import { goQuote } from './go-format/go-quote.js';
import { parseKubernetesVersion } from './kubeadm/kubernetes-version.js';
import type { NodeFile, NodeUser } from './node-data.js';
import { refuseData } from './refusals.js';
import { isDefined, type KubeadmConfigSpec, type SpecFile } from './spec-types.js';
import { renderFileTemplate } from './template-files.js';

const filesUnreadable = 'Failed to read content from secrets for spec.files';
const usersUnreadable = 'Failed to read password from secrets for spec.users';

/** A reference to one key of a Secret. */
interface SecretSource {
  readonly secret?: { readonly name?: string; readonly key?: string };
}

/** The names of the Secrets that files and users refer to, each once, in the order in which they are resolved. */
export function neededSecrets(spec: KubeadmConfigSpec): readonly string[] {
  const sources = [
    ...(spec.files ?? []).map((file) => file.contentFrom),
    ...(spec.users ?? []).map((user) => user.passwdFrom),
  ];
  return [...new Set(sources.filter(isDefined).map((source) => source?.secret?.name ?? ''))].filter(
    (name) => name !== '',
  );
}

/** Whether some file is a template, so that the control plane's version must be read. */
export function needsControlPlaneVersion(spec: KubeadmConfigSpec): boolean {
  return (spec.files ?? []).some(isTemplate);
}

/** `spec.files` with their contents. */
export function resolveFiles(
  input: RenderInput,
): { readonly kind: 'files'; readonly files: readonly NodeFile[] } | Refused {
  const { spec, namespace, secrets } = input;
  const specFiles = spec.files ?? [];
  const data = specFiles.some(isTemplate) ? templateData(input.controlPlaneVersion) : null;
  if (data?.kind === 'refused') return data;

  const files: NodeFile[] = [];
  for (const [index, file] of specFiles.entries()) {
    const { contentFrom, contentFormat: _, ...rest } = file;
    const field = `spec.files[${index}]`;
    if (!isDefined(contentFrom)) {
      files.push({ ...rest, field, content: file.content ?? '' });
      continue;
    }
    const read = readSource(contentFrom, { secrets, namespace, what: 'file' });
    if (read.kind === 'failed') {
      return refuseData({ field: `${field}.contentFrom.secret`, cause: read.cause, message: filesUnreadable });
    }
    files.push({ ...rest, field, content: read.text });
  }
  if (data === null) return { kind: 'files', files };

  const budget = newTemplateBudget();
  for (const [index, file] of files.entries()) {
    if (!isTemplate(specFiles[index])) continue;
    const isSecret = isDefined(specFiles[index]?.contentFrom);
    const rendered = renderFileTemplate(file.path, file.content, data.data, { budget, isSecret });
    if (rendered.kind === 'failed') {
      const cause = `failed to render templates: ${rendered.cause}`;
      return refuseData({ field: `${file.field}.content`, cause, message: `Failed to prepare spec.files: ${cause}` });
    }
    files[index] = { ...file, content: rendered.text };
  }
  return { kind: 'files', files };
}

/** `spec.users` with their passwords. */
export function resolveUsers({
  spec,
  namespace,
  secrets,
}: RenderInput): { readonly kind: 'users'; readonly users: readonly NodeUser[] } | Refused {
  const users: NodeUser[] = [];
  for (const [index, user] of (spec.users ?? []).entries()) {
    const { passwdFrom, ...rest } = user;
    if (!isDefined(passwdFrom)) {
      users.push(rest);
      continue;
    }
    const read = readSource(passwdFrom, { secrets, namespace, what: 'passwd' });
    if (read.kind === 'failed') {
      const field = `spec.users[${index}].passwdFrom.secret`;
      return refuseData({ field, cause: read.cause, message: usersUnreadable });
    }
    users.push({ ...rest, passwd: read.text });
  }
  return { kind: 'users', users };
}

function isTemplate(file: SpecFile | undefined): boolean {
  return file?.contentFormat === 'Template';
}

function templateData(
  version: ControlPlaneVersion,
): { readonly kind: 'data'; readonly data: { readonly controlPlane?: { readonly version: string } } } | Refused {
  if (version.kind === 'absent') return { kind: 'data', data: {} };
  const refuse = (cause: string): Refused =>
    refuseData({
      field: 'spec.controlPlaneRef of the Cluster',
      cause,
      message: `Failed to prepare spec.files: ${cause}`,
    });
  if (version.kind === 'failed') return refuse(`failed to read control plane version: ${version.cause}`);
  if (version.version === '') return { kind: 'data', data: {} };
  const parsed = parseKubernetesVersion(version.version);
  if (parsed.kind === 'invalid') {
    const quoted = goQuote(version.version);
    return refuse(`failed to parse control plane version ${quoted} for template data: ${parsed.cause}`);
  }
  return { kind: 'data', data: { controlPlane: { version: `v${parsed.version.text}` } } };
}

/** One key of one Secret. Messages are upstream's and never hold a value. */
function readSource(
  source: SecretSource | undefined,
  { secrets, namespace, what }: { secrets: SecretReads; namespace: string; what: 'file' | 'passwd' },
): { readonly kind: 'read'; readonly text: string } | { readonly kind: 'failed'; readonly cause: string } {
  const name = source?.secret?.name ?? '';
  const key = source?.secret?.key ?? '';
  const failed = (cause: string) => ({ kind: 'failed', cause: `failed to resolve ${what} source: ${cause}` }) as const;
  if (name === '') return failed(`failed to retrieve Secret "${namespace}/": resource name may not be empty`);
  const read = secrets.get(name) ?? { kind: 'notFound' };
  if (read.kind === 'failed') return failed(`failed to retrieve Secret "${namespace}/${name}": ${read.cause}`);
  if (read.kind === 'notFound') return failed(`secret not found: ${namespace}/${name}: secrets "${name}" not found`);
  const value = Object.hasOwn(read.data, key) ? read.data[key] : undefined;
  if (value === undefined) return failed(`secret references non-existent secret key: ${goQuote(key)}`);
  return { kind: 'read', text: base64ToText(value) };
}
