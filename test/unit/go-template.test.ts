import { describe, expect, test } from '@jest/globals';

import { newTemplateBudget } from '../../src/bootstrap/go-template/budget.js';
import { renderFileTemplate } from '../../src/bootstrap/template-files.js';
import { renderGoTemplate } from '../../src/bootstrap/go-template/go-template.js';

const data = { controlPlane: { version: 'v1.34.0' } };
const message = (template: string): string => {
  const result = renderGoTemplate('/f', template, data);
  return result.kind === 'failed' ? result.message : `rendered ${result.text.length}`;
};

describe('go template: bounds', () => {
  test("output: exactly the limit -> rendered; one byte more -> upstream's error", () => {
    const limit = 1_048_576;
    expect(message('x'.repeat(limit))).toBe(`rendered ${limit}`);
    expect(message('x'.repeat(limit + 1))).toBe('rendered output exceeds the 1048576 byte limit');
    // Bytes count, not characters, and each write on its own.
    expect(message(`${'é'.repeat(limit / 2)}{{ "" }}`)).toBe(`rendered ${limit / 2}`);
    expect(message(`${'é'.repeat(limit / 2)}{{ 1 }}`)).toBe('rendered output exceeds the 1048576 byte limit');
  });

  test.each([
    ['a loop without end', '{{ range 9000000000000000000 }}{{ end }}', /exceeded the limit of \d+ steps$/],
    ['nested loops', '{{ range 100000 }}{{ range 100000 }}{{ end }}{{ end }}', /exceeded the limit of \d+ steps$/],
    [
      'a text that doubles',
      '{{ $x := "ab" }}{{ range 99 }}{{ $x = print $x $x }}{{ end }}',
      /a text exceeds the limit of \d+ characters$/,
    ],
    [
      'a template that uses itself',
      '{{ define "r" }}{{ template "r" }}{{ end }}{{ template "r" }}',
      /exceeded maximum template depth \(100000\)$/,
    ],
    ['wide padding', '{{ printf "%999999d%999999d%999999d%999999d%999999d" 1 2 3 4 5 }}', /limit/],
    ['deep parentheses', `{{ ${'('.repeat(9999)}1${')'.repeat(9999)} }}`, /nested too deeply$|^rendered 1$/],
    ['a chain of else if', `{{ if 0 }}a${'{{ else if 0 }}b'.repeat(300)}{{ else }}z{{ end }}`, /^rendered 1$/],
    [
      'a very long chain of else if',
      `{{ if 0 }}a${'{{ else if 0 }}b'.repeat(9_000)}{{ else }}z{{ end }}`,
      /^rendered 1$|limit/,
    ],
    ['deep blocks', '{{ if 1 }}'.repeat(50_000) + '{{ end }}'.repeat(50_000), /nested too deeply$|^rendered 0$/],
  ])('work: %s -> ends with a reason', (_name, template, expected) => {
    expect(message(template)).toMatch(expected);
  });
});

/** How many steps a template takes. */
function stepsOf(template: string): number {
  const budget = newTemplateBudget();
  const before = budget.steps;
  expect(renderGoTemplate('/f', template, data, budget)).toMatchObject({ kind: 'rendered' });
  return before - budget.steps;
}

describe('go template: what work costs', () => {
  const declared = (count: number): string =>
    Array.from({ length: count }, (_, index) => `{{ $v${index} := 1 }}`).join('');

  test('a variable with many declared after it -> a use costs more steps than one of the last', () => {
    const uses = (name: string): number => stepsOf(`${declared(96)}{{ range 100 }}{{ ${name} }}{{ end }}`);
    expect(uses('$v0') - uses('$v95')).toBeGreaterThanOrEqual(1_000);
    expect(
      stepsOf(`${declared(96)}{{ range 100 }}{{ $v0 = 2 }}{{ end }}`) -
        stepsOf(`${declared(96)}{{ range 100 }}{{ $v95 = 2 }}{{ end }}`),
    ).toBeGreaterThanOrEqual(1_000);
  });

  test('a hundred variables -> rendered; more -> refused with the limit', () => {
    expect(message(declared(100))).toBe('rendered 0');
    expect(message(declared(101))).toMatch(/has more than the limit of 100 variables$/);
  });

  test.each(['html', 'js', 'urlquery', 'printf "%q"', 'printf "%x"'])(
    '%s of a long text -> a step for each four characters',
    (escape) => {
      const made = '{{ $t := printf "%40000s" "x" }}';
      expect(stepsOf(`${made}{{ $u := ${escape} $t }}`) - stepsOf(made)).toBeGreaterThanOrEqual(10_000);
    },
  );

  test('print of a map -> costs with its members', () => {
    expect(stepsOf('{{ $u := print $ }}')).toBeGreaterThan(stepsOf('{{ $u := print 1 }}'));
  });

  test('a template of two hundred lines with conditions, loops and quoted values -> far below what all may take', () => {
    const line =
      '{{ if .controlPlane.version }}{{ range 3 }}v={{ $.controlPlane.version | printf "%q" }}{{ end }}{{ end }}\n';
    expect(stepsOf(line.repeat(200))).toBeLessThan(15_000);
  });
});

describe('go template: no way out of the data', () => {
  test.each([
    '{{ .constructor }}',
    '{{ .__proto__ }}',
    '{{ .controlPlane.toString }}',
    '{{ index .controlPlane "__proto__" }}',
    '{{ index . "constructor" }}',
    '{{ .controlPlane.version | print | len | printf "%s" | html | js }}'.replace(
      '{{',
      '{{ with .hasOwnProperty }}x{{ end }}{{ if false }}{{',
    ) + '{{ end }}',
  ])('prototype members: %s -> no value', (template) => {
    const result = renderGoTemplate('/f', template, data);
    expect(result).toEqual({ kind: 'rendered', text: template.includes('with') ? '' : '<no value>' });
  });

  test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'eval', 'require', 'process'])(
    'functions: %s -> not defined',
    (name) => {
      expect(message(`{{ ${name} }}`)).toBe(`template: /f:1: function "${name}" not defined`);
      expect(message(`{{ template "${name}" }}`)).toMatch(new RegExp(`template "${name}" not defined$`));
    },
  );

  test('text that looks like code -> text', () => {
    const text = '`${process.pid}`;(()=>{throw 1})()//\n</script>';
    expect(renderGoTemplate('/f', `${text}{{ "${'`+process.pid+`'}" }}`, {})).toEqual({
      kind: 'rendered',
      text: `${text}\`+process.pid+\``,
    });
  });

  test("data: a member that is not the object's own -> not seen", () => {
    const inherited = Object.create({ secret: 'x' }) as Record<string, string>;
    expect(renderGoTemplate('/f', '{{ .secret }}', inherited)).toEqual({ kind: 'rendered', text: '<no value>' });
  });
});

describe('template files', () => {
  test("file: parse and execution errors -> upstream's words around Go's", () => {
    expect(renderFileTemplate('/etc/t', '{{ toYaml . }}', data)).toEqual({
      kind: 'failed',
      cause: 'failed to parse template for file "/etc/t": template: /etc/t:1: function "toYaml" not defined',
    });
    expect(renderFileTemplate('/etc/t', '{{ index "abc" 7 }}', data)).toEqual({
      kind: 'failed',
      cause:
        'failed to execute template for file "/etc/t": template: /etc/t:1:3: executing "/etc/t" at <index "abc" 7>: error calling index: index out of range: 7',
    });
    expect(renderFileTemplate('/etc/t', 'v={{ .controlPlane.version }}', data)).toEqual({
      kind: 'rendered',
      text: 'v=v1.34.0',
    });
  });

  test('file: bytes that are not UTF-8 -> kept', () => {
    expect(renderFileTemplate('/etc/t', 'a\udcffb{{ 1 }}', data)).toEqual({ kind: 'rendered', text: 'a\udcffb1' });
  });
});
