// Go's text/template with its built-in functions, over plain data.
//
// PARITY: endless work ends: a template has a number of steps, and texts a length (docs/parity.md). Everything else, also the
// words of errors, is Go's.
import { findBuiltin } from './builtins.js';
import { runTemplate } from './evaluator.js';
import { TemplateFailure } from './failure.js';
import { RENDERED_BYTES_MAX } from './go-template-limits.js';
import { parseTemplate } from './parser.js';
import { invalid, valueOf, type TemplateData } from './values.js';

/** The output (a Go string), or at which stage it failed and with which words. */
export type TemplateResult =
  | { readonly kind: 'rendered'; readonly text: string }
  | { readonly kind: 'failed'; readonly stage: 'parse' | 'execute'; readonly message: string };

/** Renders a template (a Go string). `name` is what messages call it. Never throws on any input. */
export function renderGoTemplate(name: string, template: string, data: TemplateData): TemplateResult {
  let stage: 'parse' | 'execute' = 'parse';
  try {
    const trees = parseTemplate(name, template, (word) => findBuiltin(word) !== undefined);
    stage = 'execute';
    const rendered = runTemplate(trees, name, { data: valueOf(data) ?? invalid, outputBytesMax: RENDERED_BYTES_MAX });
    return { kind: 'rendered', text: rendered };
  } catch (error) {
    if (error instanceof TemplateFailure) return { kind: 'failed', stage: error.stage, message: error.message };
    // JavaScript's own stack ends long before Go's.
    if (error instanceof RangeError) return { kind: 'failed', stage, message: `template: ${name}: nested too deeply` };
    throw error;
  }
}
