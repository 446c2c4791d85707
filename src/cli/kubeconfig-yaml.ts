// The YAML of a kubeconfig that a Secret holds: plain mappings, lists and scalars, read in bounded time.
//
//   KY1. Size, structure and depth are looked at before the YAML reader sees the text; all of it is linear.
//   KY2. Anchors, aliases, tags and keys that are no texts are refused: no kubeconfig needs them.
//   KY3. A message names a place and the kind of a mistake, never what stands there.

import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { yamlDepthBound } from '../bootstrap/yaml-depth.js';
import { AccessError } from '../kube/access.js';
import { KUBECONFIG_CHARS_MAX, KUBECONFIG_DEPTH_MAX, KUBECONFIG_MARKS_MAX } from '../limits.js';

/** The document as a plain value. Throws AccessError. */
export function readKubeconfigYaml(text: string): unknown {
  refuseLarge(text);
  const lines = new LineCounter();
  const options = {
    uniqueKeys: false,
    merge: false,
    prettyErrors: false,
    logLevel: 'error',
    lineCounter: lines,
  } as const;
  const document = parseDocument(text, options);
  const refuse = (what: string, offset = 0): never => {
    const { line, col } = lines.linePos(offset);
    throw refused(`${what} at line ${line}, column ${col}`);
  };
  const [error] = document.errors;
  if (error !== undefined) refuse(`it is not YAML: ${error.code}`, error.pos[0]);

  function plain(node: unknown): unknown {
    if (node === null) return null;
    if (isScalar(node)) return node.value;
    if (isSeq(node)) return node.items.map(plain);
    if (!isMap(node)) return refuse('it has an alias', (node as { range?: readonly number[] }).range?.[0]);
    const members = node.items.map(({ key, value }): readonly [string, unknown] => {
      if (!isScalar(key)) return refuse('it has a key that is no text', node.range?.[0]);
      return [String(key.value), plain(value)];
    });
    return Object.fromEntries(members);
  }
  return plain(document.contents);
}

function refuseLarge(text: string): void {
  if (text.length > KUBECONFIG_CHARS_MAX) {
    throw refused(`it has ${text.length} characters, more than the limit of ${KUBECONFIG_CHARS_MAX}`);
  }
  const marks = marksOf(text);
  if (marks > KUBECONFIG_MARKS_MAX) {
    throw refused(`it has ${marks} punctuation marks and lines, more than the limit of ${KUBECONFIG_MARKS_MAX}`);
  }
  if (yamlDepthBound(text) > KUBECONFIG_DEPTH_MAX) {
    throw refused(`it is nested more deeply than the limit of ${KUBECONFIG_DEPTH_MAX}`);
  }
}

/** What YAML's structure is made of. Certificates and keys in base64 have none of it but their lines. */
function marksOf(text: string): number {
  let marks = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const isLetterOrDigit = (code >= 48 && code <= 57) || ((code | 32) >= 97 && (code | 32) <= 122);
    if (!isLetterOrDigit && !' +/='.includes(text[at] ?? '')) marks += 1;
  }
  return marks;
}

function refused(why: string): AccessError {
  return new AccessError(`error parsing kubeconfig: ${why}`);
}
