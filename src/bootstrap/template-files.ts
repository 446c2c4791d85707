// Rendering of one template file: upstream's words around a template's own errors. The limit on its output is the template
// engine's.
import { goQuote } from './go-format/go-quote.js';
import { newTemplateBudget, type TemplateBudget } from './go-template/budget.js';
import { renderGoTemplate } from './go-template/go-template.js';
import type { TemplateData } from './go-template/values.js';

/** The rendered text, or why there is none. */
export type RenderedTemplate =
  { readonly kind: 'rendered'; readonly text: string } | { readonly kind: 'failed'; readonly cause: string };

/** How a file's template is rendered. */
export interface TemplateFileOptions {
  /** What the templates of one rendering share. */
  readonly budget: TemplateBudget;
  /** The content comes from a Secret: a failure names its place and its bound, and quotes nothing. */
  readonly isSecret: boolean;
}

/** Renders a file's content. The file's path names the template. */
export function renderFileTemplate(
  path: string,
  content: string,
  data: TemplateData,
  { budget, isSecret }: TemplateFileOptions = { budget: newTemplateBudget(), isSecret: false },
): RenderedTemplate {
  const result = renderGoTemplate(path, content, data, budget);
  if (result.kind === 'rendered') return result;
  const { stage, message, limit } = result;
  const words = isSecret ? `template: ${path}${placeIn(message, path)}: ${limit ?? hidden}` : message;
  return { kind: 'failed', cause: `failed to ${stage} template for file ${goQuote(path)}: ${words}` };
}

const hidden = 'the content comes from a Secret, so the error is not shown';

/** `:3:7`, the line and column behind the template's name; empty where the message has none. */
function placeIn(message: string, path: string): string {
  const start = `template: ${path}`;
  if (!message.startsWith(start)) return '';
  return /^(?::\d{1,10}){1,2}(?=:)/.exec(message.slice(start.length, start.length + 32))?.[0] ?? '';
}
