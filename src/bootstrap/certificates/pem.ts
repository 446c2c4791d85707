// PEM as Go's encoding/pem reads and writes it.
//
// Reading is lenient: text around blocks is skipped, a damaged block is skipped and the search goes on behind it. Nothing
// is thrown. Lines may end in CRLF. Writing uses lines of 64 characters and LF.

/** How often damaged blocks may have the rest of a text read: a bundle has none. */
const PASSES_MAX = 64;

/** One block. `hasHeaders` marks the old style with `Key: value` lines (encrypted keys). */
export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Uint8Array;
}

/** All sound blocks of a text, in order. */
export function readPemBlocks(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  // Damaged blocks may each lead to the end of the text: the work ends at so many times its length.
  let charsLeft = PASSES_MAX * text.length;
  const begin = /(?:^|\n)-----BEGIN ([^\n]*?)-----[ \t\r]*(?:\n|$)/g;
  for (;;) {
    const opening = begin.exec(text);
    if (opening === null || charsLeft < 0) return blocks;
    const { block, reached } = readBody(opening[1] ?? '', text, begin.lastIndex);
    charsLeft -= reached - begin.lastIndex;
    if (block === null) {
      // The opening line of the next block may follow at once: give its line feed back to the search.
      begin.lastIndex = Math.max(opening.index + 1, begin.lastIndex - 1);
      continue;
    }
    blocks.push(block.block);
    begin.lastIndex = block.end;
  }
}

/** A block without headers. */
export function writePem(type: string, bytes: Uint8Array): string {
  const lines = Buffer.from(bytes)
    .toString('base64')
    .replace(/.{64}(?=.)/g, '$&\n');
  return `-----BEGIN ${type}-----\n${lines}\n-----END ${type}-----\n`;
}

/** The block whose opening line ends at `start`, if it is sound, and how far the text was read for it. */
function readBody(
  type: string,
  text: string,
  start: number,
): { readonly block: { readonly block: PemBlock; readonly end: number } | null; readonly reached: number } {
  let at = start;
  let hasHeaders = false;
  for (;;) {
    const lineEnd = text.indexOf('\n', at);
    if (lineEnd === -1) break;
    const line = text.slice(at, lineEnd);
    if (!line.includes(':') || line.startsWith('-----')) break;
    hasHeaders = true;
    at = lineEnd + 1;
  }
  const marker = `-----END ${type}-----`;
  // The end line may follow at once (no body) or after a line feed.
  const markerAt = text.startsWith(marker, at) ? at : text.indexOf(`\n${marker}`, at - 1) + 1;
  if (markerAt <= 0) return { block: null, reached: text.length };
  const damaged = { block: null, reached: markerAt };
  const lineRest = /^[ \t\r]*(?:\n|$)/.exec(text.slice(markerAt + marker.length, markerAt + marker.length + 256));
  if (lineRest === null) return damaged;
  const bytes = decodeBase64(text.slice(at, markerAt));
  if (bytes === null) return damaged;
  const end = Math.max(markerAt + marker.length, at);
  return { block: { block: { type, hasHeaders, bytes }, end }, reached: end };
}

function decodeBase64(text: string): Uint8Array | null {
  const packed = text.replace(/[ \t\r\n]/g, '');
  if (packed.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(packed)) return null;
  return Buffer.from(packed, 'base64');
}
