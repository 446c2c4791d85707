// Work on strangers' texts grows with their length, and not faster.
//
// Every function that reads such a text is listed here and run on shapes that make careless patterns and loops slow, at a length and at
// eight times that length. Nothing is held against a clock of its own: one run is measured against the other.
import { describe, expect, test } from '@jest/globals';

import { invalidMessage } from '../../src/api/field-errors.js';
import { parseJson } from '../../src/api/json-syntax.js';
import { convert } from '../../src/api/kubeadmconfig/conversion.js';
import { annotationErrors, labelKeyErrors, labelValueErrors } from '../../src/api/label-rules.js';
import { mergePatch } from '../../src/api/merge-patch.js';
import { normaliseQuantity } from '../../src/api/quantity.js';
import { parseDuration } from '../../src/api/text-forms.js';
import { splitBootstrapToken } from '../../src/bootstrap/bootstrap-token.js';
import { caCertHashes } from '../../src/bootstrap/certificates/ca-cert-hashes.js';
import { readDerElements } from '../../src/bootstrap/certificates/der.js';
import { readPrivateKey } from '../../src/bootstrap/certificates/keys.js';
import { readPemBlocks } from '../../src/bootstrap/certificates/pem.js';
import { writeCloudConfig } from '../../src/bootstrap/cloud-config/cloud-config.js';
import { goJsonString } from '../../src/bootstrap/go-format/go-json.js';
import { goQuote } from '../../src/bootstrap/go-format/go-quote.js';
import { bytesToText, textToBytes } from '../../src/bootstrap/go-format/go-string.js';
import { goRfc3339 } from '../../src/bootstrap/go-format/go-time.js';
import { goYaml, isYamlText } from '../../src/bootstrap/go-format/go-yaml.js';
import { sortKeys } from '../../src/bootstrap/go-format/yaml-key-order.js';
import { isReadAsString } from '../../src/bootstrap/go-format/yaml-resolve.js';
import { readNumber, unquoteChar, unquoteText } from '../../src/bootstrap/go-template/constants.js';
import { renderGoTemplate } from '../../src/bootstrap/go-template/go-template.js';
import { writeIgnition } from '../../src/bootstrap/ignition-writer.js';
import { parseDimension } from '../../src/bootstrap/ignition/byte-size.js';
import { convertAdditionalConfig } from '../../src/bootstrap/ignition/additional-config.js';
import { dataUrl, dataUrlProblem, isGoBase64 } from '../../src/bootstrap/ignition/data-url.js';
import { isGoDuration } from '../../src/bootstrap/ignition/go-duration.js';
import { parseGoUrl } from '../../src/bootstrap/ignition/go-url.js';
import { embeddedValue, literalBlock } from '../../src/bootstrap/ignition/literal-block.js';
import { isSurelyPlain } from '../../src/bootstrap/ignition/plain-scalar.js';
import { mountUnitName } from '../../src/bootstrap/ignition/systemd-escape.js';
import { readUnitContent } from '../../src/bootstrap/ignition/unit-content.js';
import { parseKubernetesVersion } from '../../src/bootstrap/kubeadm/kubernetes-version.js';
import type { NodeData } from '../../src/bootstrap/node-data.js';
import { yamlDepthBound } from '../../src/bootstrap/yaml-depth.js';
import { readKubeconfigYaml } from '../../src/cli/kubeconfig-yaml.js';
import { readConditions } from '../../src/conditions/stored.js';
import { attachMessage, cutAtLine } from '../../src/conditions/message.js';
import { isSame, mergeDiff } from '../../src/controllers/kubeadmconfig/merge-diff.js';
import { mentionsInit, tokenIdInData } from '../../src/controllers/kubeadmconfig/stored-data.js';
import { selects, selectorProblem } from '../../src/controllers/machine/drain/selectors.js';
import { labelSelector } from '../../src/embedded/selectors.js';
import { compilePath } from '../../src/embedded/resources/columns.js';
import { formOf } from '../../src/embedded/read/representation.js';
import { decodeProtobuf } from '../../src/embedded/objects/protobuf.js';
import { jsonPatch } from '../../src/embedded/patch/json-patch.js';
import { readEnvelope } from '../../src/host/envelope.js';
import { normaliseMessage } from '../../src/host/normalise.js';
import { jsonExtent, jsonText } from '../../src/json-text.js';
import { cookieOf, requestTarget } from '../../src/http/request-target.js';
import { failureOfAnswer } from '../../src/kube/failures.js';
import { createAnswerParser } from '../../src/kube/http-wire.js';
import { pemOfBase64, serverUrl } from '../../src/kube/kubeconfig.js';
import { bypasses } from '../../src/kube/proxy.js';
import { versionAfter } from '../../src/kube/resource-version.js';
import { warningsOf } from '../../src/kube/warnings.js';
import { scrubSecrets, scrubStrictly } from '../../src/scrub.js';

const SMALL = 4_000;
const FACTOR = 8;
/** Three times what work has that grows with the length; the square would take 64. */
const GROWTH_MAX = 24;
/** Less cannot be told from what the machine does meanwhile. */
const NOISE_MS = 4;
const TRIES = 6;

type Read = (text: string) => unknown;

/** Beginnings that lead into the parts of a grammar, repeated pieces that it must not go through twice, and ends that make it fail. */
const pieces: readonly string[] = [
  ' ',
  '-eyJ',
  'eyJ.',
  '0',
  '1',
  '/',
  '[',
  '[]',
  '{',
  '{}',
  '{"a":',
  '\\',
  '\\"',
  '\n',
  '\r',
  '\r\n',
  '"',
  '" "',
  "'",
  '%',
  '%25',
  '? ',
  '- ',
  'a: ',
  'a=',
  'a,',
  'a.',
  'a b ',
  ' \n',
  '\n ',
  ': ',
  '#',
  '-----',
  '{{',
  '{{"',
  '(',
  '@',
  '\u0085',
  '\udc80a',
  'token: ',
  '10.0.0.1:1 -> ',
  '\t',
];
const shapes = (length: number): readonly (readonly [string, string])[] =>
  pieces.flatMap((piece) => {
    const run = piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
    return [
      [JSON.stringify(piece), run],
      [`a, then ${JSON.stringify(piece)} and an end that fits nothing`, `a${run}\u0001!`],
    ] as const;
  });

const call = { verb: 'get', target: { kind: 'Node', namespace: '', name: 'n' } } as const;
const node = (changes: object): NodeData =>
  ({
    kubeadm: { mode: 'workerJoin', joinConfiguration: 'a: b\n' },
    files: [],
    users: [],
    bootCommands: [],
    preKubeadmCommands: [],
    postKubeadmCommands: [],
    verbosityFlag: '',
    mounts: [],
    ...changes,
  }) as unknown as NodeData;

function head(text: string): void {
  const nothing = (): undefined => undefined;
  const parser = createAnswerParser({ onHead: nothing, onBody: nothing, onEnd: nothing } as never);
  parser.feed(Buffer.from(`HTTP/1.1 200 OK\r\nwarning: ${text}\r\n\r\n`, 'latin1'));
}

const readers: Readonly<Record<string, Read>> = {
  // What users write into objects.
  parseDuration,
  normaliseQuantity: (text) => normaliseQuantity(text),
  labelKeyErrors: (text) => labelKeyErrors(text, 'f'),
  labelValueErrors: (text) => labelValueErrors(text, 'f'),
  annotationErrors: (text) => annotationErrors({ [text]: text }, 'f'),
  selects: (text) => selects({ matchLabels: { [text]: text } }, { a: text }),
  selectorProblem: (text) => selectorProblem({ matchExpressions: [{ key: text, operator: 'In', values: [text] }] }),
  invalidMessage: (text) => invalidMessage('K', text, [{ field: text, reason: 'Invalid', message: text } as never]),
  parseKubernetesVersion,
  splitBootstrapToken,
  goRfc3339,
  attachMessage: (text) => attachMessage('a', text),
  cutAtLine: (text) => cutAtLine(text, 100),
  readConditions: (text) => readConditions({ status: { conditions: [{ type: text, status: text, message: text }] } }),
  readEnvelope: (text) => readEnvelope(text, 'u'),
  convert: (text) =>
    convert(
      { apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta1', spec: { files: [{ path: text, content: text }] } },
      text,
    ),
  // Bootstrap data.
  goQuote,
  goJsonString,
  textToBytes,
  bytesToText: (text) => bytesToText(Buffer.from(text, 'latin1')),
  goYaml: (text) => (isYamlText(text) ? goYaml({ a: text, b: [text], [text]: 1 }) : null),
  sortKeys: (text) => sortKeys([text, `${text}1`]),
  isReadAsString,
  dataUrl,
  dataUrlProblem,
  'dataUrlProblem of parameters': (text) => dataUrlProblem(`data:text/plain;a="${text}`),
  'dataUrlProblem of data': (text) => dataUrlProblem(`data:,${text}`),
  isGoBase64,
  literalBlock: (text) => literalBlock(text, 10),
  embeddedValue: (text) => embeddedValue(text, 8),
  isSurelyPlain,
  isGoDuration,
  parseDimension,
  parseGoUrl,
  'parseGoUrl of a host': (text) => parseGoUrl(`http://${text}`),
  'parseGoUrl of an address': (text) => parseGoUrl(`http://[${text}]:1/`),
  mountUnitName: (text) => mountUnitName(`/${text}`),
  readUnitContent,
  'readUnitContent of an option': (text) => readUnitContent(`[A]\nb=${text}`),
  writeCloudConfig: (text) =>
    writeCloudConfig(
      node({ files: [{ field: 'f', path: text, content: text }], bootCommands: [text], mounts: [[text]] }),
    ),
  'writeIgnition of a file': (text) => writeIgnition(node({ files: [{ field: 'f', path: '/a', content: text }] })),
  'writeIgnition of base64': (text) =>
    writeIgnition(node({ files: [{ field: 'f', path: '/a', content: text, encoding: 'base64' }] })),
  'writeIgnition of a command': (text) => writeIgnition(node({ preKubeadmCommands: [text] })),
  'writeIgnition of a mount': (text) => writeIgnition(node({ mounts: [['a', `/${text}`, text]] })),
  'writeIgnition of a path': (text) => writeIgnition(node({ files: [{ field: 'f', path: text, content: '' }] })),
  renderGoTemplate: (text) => renderGoTemplate('t', text, {} as never),
  'renderGoTemplate of an action': (text) => renderGoTemplate('t', `{{ ${text} }}`, {} as never),
  'renderGoTemplate of a format': (text) =>
    renderGoTemplate('t', `{{ printf ${JSON.stringify(text)} 1 }}`, {} as never),
  unquoteText: (text) => unquoteText(`"${text}"`),
  unquoteChar: (text) => unquoteChar(`'${text}'`),
  readNumber,
  yamlDepthBound,
  convertAdditionalConfig: (text) => convertAdditionalConfig(text, true),
  'convertAdditionalConfig of a list': (text) => convertAdditionalConfig(`storage: {files: [{path: "${text}`, false),
  // Certificates.
  readPemBlocks,
  'readPemBlocks of a block': (text) => readPemBlocks(`-----BEGIN A-----\n${text}\n-----END A-----\n`),
  readPrivateKey,
  caCertHashes: (text) => caCertHashes(text),
  readDerElements: (text) => readDerElements(Buffer.from(text, 'latin1')),
  // What servers say.
  parseJson,
  jsonExtent,
  jsonText: (text) => jsonText({ [text]: text }),
  failureOfAnswer: (text) => failureOfAnswer(call as never, { status: 500, text, retryAfter: text }),
  'failureOfAnswer of a Status': (text) =>
    failureOfAnswer(call as never, {
      status: 500,
      text: JSON.stringify({ kind: 'Status', message: text }),
      retryAfter: text,
    }),
  warningsOf,
  'createAnswerParser of a header': (text) => {
    try {
      head(text);
    } catch {
      // A refusal is an answer.
    }
  },
  versionAfter,
  normaliseMessage,
  scrubSecrets,
  scrubStrictly,
  tokenIdInData,
  mentionsInit,
  // Kubeconfigs and addresses.
  readKubeconfigYaml,
  pemOfBase64: (text) => pemOfBase64('f', Buffer.from(text).toString('base64')),
  serverUrl: (text) => serverUrl(`https://a/${text}`, { hasTls: true }),
  bypasses: (text) => bypasses(new URL('https://a.b'), text),
  // Requests to our own ports, and to the API server of demonstrations.
  requestTarget: (text) => requestTarget(text),
  cookieOf: (text) => cookieOf(text, 'a'),
  labelSelector: (text) => labelSelector(text),
  compilePath: (text) => compilePath(`.${text}`),
  formOf: (text) => formOf(text),
  decodeProtobuf: (text) => decodeProtobuf(`k8s\0${text}`),
  jsonPatch: (text) => jsonPatch({ a: 1 }, [{ op: 'add', path: `/${text}`, value: 1 }]),
};

/** Shapes that fit one function alone; the text gives the length. */
const shaped: Readonly<Record<string, Read>> = {
  'readUnitContent of lines just short enough': (text) =>
    readUnitContent(`[A]\n${`${text.slice(0, 2_000)}\n`.repeat(text.length / 2_000)}`),
  'readPemBlocks of openings': (text) => readPemBlocks('-----BEGIN A-----\n'.repeat(text.length / 18)),
  'readPemBlocks of openings of one end': (text) =>
    readPemBlocks(`${'-----BEGIN A-----\n'.repeat(text.length / 18)}-----END A-----\n`),
  'readPemBlocks of headers': (text) => readPemBlocks(`-----BEGIN A-----\n${'a:\n'.repeat(text.length / 3)}`),
  'readDerElements of empty elements': (text) => readDerElements(Buffer.alloc(text.length, Buffer.of(0x30, 0))),
  'warningsOf texts without an end': (text) => warningsOf('299 - "\\"'.repeat(text.length / 9)),
};

function timeOf(read: Read, text: string): number {
  const start = process.cpuUsage();
  try {
    read(text);
  } catch (error) {
    // A refusal is an answer; the end of the stack is none.
    if (error instanceof RangeError) throw error;
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

/** How much longer a function takes for eight times the text, by the best of several runs; stops as soon as that is little enough. */
function growthOf(read: Read, small: string, large: string): number {
  let smallMs = Number.POSITIVE_INFINITY;
  let largeMs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES; tries += 1) {
    largeMs = Math.min(largeMs, timeOf(read, large));
    if (largeMs <= GROWTH_MAX * NOISE_MS) return largeMs / NOISE_MS;
    smallMs = Math.min(smallMs, timeOf(read, small));
    if (largeMs <= GROWTH_MAX * Math.max(smallMs, NOISE_MS)) break;
  }
  return largeMs / Math.max(smallMs, NOISE_MS);
}

describe("work on strangers' texts grows with their length", () => {
  const large = shapes(SMALL * FACTOR);
  test.each(Object.entries(readers))('%s: eight times the text -> at most 24 times the work', (_, read) => {
    const steep = shapes(SMALL).flatMap(([name, text], index) => {
      const growth = growthOf(read, text, large[index]?.[1] ?? '');
      return growth > GROWTH_MAX ? [`${name}: ${growth.toFixed(0)} times`] : [];
    });
    expect(steep).toEqual([]);
  });
});

describe('work on shapes that fit one function', () => {
  test.each(Object.entries(shaped))('%s: eight times the text -> at most 24 times the work', (_, read) => {
    expect(growthOf(read, 'a'.repeat(2 * SMALL), 'a'.repeat(2 * SMALL * FACTOR))).toBeLessThanOrEqual(GROWTH_MAX);
  });
});

describe("work on strangers' structures grows with their size", () => {
  const nested = (depth: number, end: unknown): unknown => {
    let value = end;
    for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? { a: value } : { b: value };
    return value;
  };
  const growthOfSize = (make: (size: number) => () => unknown): number => {
    const [small, large] = [make(200), make(200 * FACTOR)];
    return growthOf((which) => (which === 'small' ? small() : large()), 'small', 'large');
  };

  test.each<readonly [string, (size: number) => () => unknown]>([
    ['isSame', (size) => () => isSame(nested(size, 1), nested(size, 2))],
    ['mergeDiff', (size) => () => mergeDiff(nested(size, 1), nested(size, 2))],
    [
      'filesystems of one node',
      (size) => () =>
        writeIgnition(
          node({
            mounts: Array.from({ length: size * 2 }, (_, at) => [`x${at}`, '/a']),
            diskSetup: {
              filesystems: Array.from({ length: size * 2 }, (_, at) => ({
                device: '/d',
                filesystem: 'ext4',
                label: `l${at}`,
              })),
            },
          }),
        ),
    ],
  ])('%s: eight times the size -> at most 24 times the work', (_, make) => {
    expect(growthOfSize(make)).toBeLessThanOrEqual(GROWTH_MAX);
  });

  test.each<readonly [string, (deep: unknown) => unknown]>([
    ['isSame', (deep) => isSame(deep, structuredCloneOf(deep))],
    ['jsonText', (deep) => jsonText(deep)],
    [
      'convert',
      (deep) =>
        convert(
          {
            apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta1',
            kind: 'KubeadmConfig',
            metadata: { managedFields: deep as never },
          },
          'bootstrap.cluster.x-k8s.io/v1beta2',
        ),
    ],
  ])('%s: a value of ten thousand levels -> an answer, not the end of the stack', (_, read) => {
    expect(() => read(nested(10_000, 1))).not.toThrow();
  });

  test.each([
    ['brackets', '['],
    ['mappings in lists', '- '],
    ['explicit keys', '? '],
    ['mappings', '{a: '],
  ])('deep YAML of %s: -> refused before a reader recurses', (_, piece) => {
    const text = piece.repeat(100_000);
    expect(convertAdditionalConfig(text, false).kind).toBe('refused');
    expect(() => readKubeconfigYaml(text)).toThrow('error parsing kubeconfig');
  });

  test('mergePatch: a patch of a thousand levels -> applied', () => {
    expect(mergePatch({}, nested(1_000, 1))).toEqual(nested(1_000, 1));
  });
});

/** A copy made through text, which has no depth to speak of. */
function structuredCloneOf(value: unknown): unknown {
  return JSON.parse(jsonText(value));
}
