// resourceVersions as what they are: counters of one API server, compared as integers.

/** Negative, zero or positive, as the first is older than, equal to or newer than the second. Not-a-number counts as oldest. */
export function compareVersions(a: string, b: string): number {
  const [x, y] = [digits(a), digits(b)];
  if (x.length !== y.length) return x.length - y.length;
  return x < y ? -1 : x > y ? 1 : 0;
}

/** The newer of two. */
export function newerVersion(a: string, b: string): string {
  return compareVersions(a, b) >= 0 ? a : b;
}

/**
 * The least version after this one: what whatever follows it must at least have. It is spelled with a leading zero, so that it
 * compares as the number that it is, and never equals the name that the server gave to somebody's write.
 */
export function versionAfter(version: string): string {
  const plain = digits(version);
  return plain === '' ? '' : `0${BigInt(plain) + 1n}`;
}

function digits(version: string): string {
  return /^\d+$/.test(version) ? version.replace(/^0+(?=\d)/, '') : '';
}
