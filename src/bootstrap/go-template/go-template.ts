// Go's text/template with its built-in functions, over plain data.
//
// PARITY: endless work ends: the templates of one object have a number of steps, and texts a length (docs/parity.md). Everything else, also the
// words of errors, is Go's.
import { newTemplateBudget, type TemplateBudget } from './budget.js';
import { findBuiltin } from './builtins.js';
import { runTemplate } from './evaluator.js';
import { TemplateFailure } from './failure.js';
import { parseTemplate } from './parser.js';
import { invalid, valueOf, type TemplateData } from './values.js';

/** The output (a Go string), or at which stage it failed and with which words. */
export type TemplateResult =
  | { readonly kind: 'rendered'; readonly text: string }
  | {
      readonly kind: 'failed';
      readonly stage: 'parse' | 'execute';
      readonly message: string;
      /** The bound that was hit, in words that quote nothing of the template. */
      readonly limit?: string;
    };

/**
 * Renders a template (a Go string). `name` is what messages call it. Takes what it does from the budget, which templates of one
 * rendering share. Never throws on any input.
 */
export function renderGoTemplate(
  name: string,
  template: string,
  data: TemplateData,
  budget: TemplateBudget = newTemplateBudget(),
): TemplateResult {
  let stage: 'parse' | 'execute' = 'parse';
  try {
    const trees = parseTemplate(name, template, (word) => findBuiltin(word) !== undefined);
    stage = 'execute';
    const rendered = runTemplate(trees, name, { data: valueOf(data) ?? invalid, budget });
    return { kind: 'rendered', text: rendered };
  } catch (error) {
    if (error instanceof TemplateFailure) {
      const { stage: failedAt, message, limit } = error;
      return { kind: 'failed', stage: failedAt, message, ...(limit === undefined ? {} : { limit }) };
    }
    // JavaScript's own stack ends long before Go's.
    if (error instanceof RangeError) return { kind: 'failed', stage, message: `template: ${name}: nested too deeply` };
    throw error;
  }
}
