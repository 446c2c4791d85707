// Rendering of one template file: the limit on its output, and upstream's words around a template's own errors.
import type { YamlValue } from './go-format/go-yaml.js';

/** The rendered text, or why there is none. */
export type RenderedTemplate =
  { readonly kind: 'rendered'; readonly text: string } | { readonly kind: 'failed'; readonly cause: string };

/** Renders a file's content. The file's path names the template. */
export function renderFileTemplate(path: string, _content: string, _data: YamlValue): RenderedTemplate {
  return { kind: 'failed', cause: `failed to parse template for file "${path}": not available yet` };
}
