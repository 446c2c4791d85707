// PEM as Go's encoding/pem reads and writes it.
//
// Reading is lenient: text around blocks is skipped, a damaged block is skipped and the search goes on behind it. Nothing
// is thrown. Lines may end in CRLF. Writing uses lines of 64 characters and LF.

/** One block. `hasHeaders` marks the old style with `Key: value` lines (encrypted keys). */
export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Uint8Array;
}

/** All sound blocks of a text, in order. */
export function readPemBlocks(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  const begin = /(?:^|\n)-----BEGIN ([^\n]*?)-----[ \t\r]*(?:\n|$)/g;
  for (;;) {
    const opening = begin.exec(text);
    if (opening === null) return blocks;
    const block = readBody(opening[1] ?? '', text, begin.lastIndex);
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

function readBody(type: string, text: string, start: number): { block: PemBlock; end: number } | null {
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
  if (markerAt <= 0) return null;
  const lineRest = /^[ \t\r]*(?:\n|$)/.exec(text.slice(markerAt + marker.length, markerAt + marker.length + 256));
  if (lineRest === null) return null;
  const bytes = decodeBase64(text.slice(at, markerAt));
  if (bytes === null) return null;
  return { block: { type, hasHeaders, bytes }, end: Math.max(markerAt + marker.length, at) };
}

function decodeBase64(text: string): Uint8Array | null {
  const packed = text.replace(/[ \t\r\n]/g, '');
  if (packed.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(packed)) return null;
  return Buffer.from(packed, 'base64');
}
