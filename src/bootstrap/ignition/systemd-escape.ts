// Unit names of mount points, as systemd-escape(1) makes them.
//
// systemd starts a mount unit only if its name is the escaped form of `Where=`.
//
// PARITY: upstream only turns `/` into `-`, so that `/var/lib/my-data` or `/mnt/` give units that systemd refuses. For every
// path where the two agree the bytes are upstream's (docs/parity.md).
import { textToBytes } from '../go-format/go-string.js';

/** The name of the mount unit of an absolute path; null when the path has `..` or `.` in it and so no name. */
export function mountUnitName(path: string): string | null {
  const parts = path.split('/').filter((part) => part !== '');
  if (parts.some((part) => part === '.' || part === '..')) return null;
  return `${parts.length === 0 ? '-' : parts.map(escapePart).join('-').replace(/^\./, '\\x2e')}.mount`;
}

function escapePart(part: string): string {
  let escaped = '';
  for (const byte of textToBytes(part)) {
    const char = String.fromCharCode(byte);
    escaped += /[A-Za-z0-9:_.]/.test(char) ? char : `\\x${byte.toString(16).padStart(2, '0')}`;
  }
  return escaped;
}
