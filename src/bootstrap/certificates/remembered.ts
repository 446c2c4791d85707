// Answers about texts that come again and again: the nodes of a cluster join one after the other and share its certificates.
import { createHash } from 'node:crypto';

/** Answers that are kept; the oldest goes first. */
const REMEMBERED_MAX = 256;

/** The function, asked once for each list of texts. Texts are kept as their digests: some are keys. */
export function remembered<T>(make: (...texts: readonly string[]) => T): (...texts: readonly string[]) => T {
  const answers = new Map<string, T>();
  return (...texts) => {
    const id = createHash('sha256').update(JSON.stringify(texts)).digest('base64');
    if (!answers.has(id)) answers.set(id, make(...texts));
    const [oldest] = answers.keys();
    if (answers.size > REMEMBERED_MAX && oldest !== undefined) answers.delete(oldest);
    return answers.get(id) as T;
  };
}
