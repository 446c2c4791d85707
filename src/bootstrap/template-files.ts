// Rendering of one template file: upstream's words around a template's own errors. The limit on its output is the template
// engine's.
import { goQuote } from './go-format/go-quote.js';
import { renderGoTemplate } from './go-template/go-template.js';
import type { TemplateData } from './go-template/values.js';

/** The rendered text, or why there is none. */
export type RenderedTemplate =
  { readonly kind: 'rendered'; readonly text: string } | { readonly kind: 'failed'; readonly cause: string };

/** Renders a file's content. The file's path names the template. */
export function renderFileTemplate(path: string, content: string, data: TemplateData): RenderedTemplate {
  const result = renderGoTemplate(path, content, data);
  if (result.kind === 'rendered') return result;
  return { kind: 'failed', cause: `failed to ${result.stage} template for file ${goQuote(path)}: ${result.message}` };
}
