// What an API server warns of, in the header that it sends it in.

import { SERVER_TEXT_CHARS_MAX } from '../limits.js';

/** The texts of a `Warning` header: `299 - "text"`, several separated by commas. What is beyond the longest that is read is lost. */
export function warningsOf(header: string): readonly string[] {
  const read = header.slice(0, SERVER_TEXT_CHARS_MAX);
  return Array.from(read.matchAll(/\b299 \S+ "((?:[^"\\]|\\.)*)"/g), ([, text = '']) => text.replace(/\\(.)/g, '$1'));
}
