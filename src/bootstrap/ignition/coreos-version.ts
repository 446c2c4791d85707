// Versions of etcd and flannel: three numbers, a pre-release and metadata. Messages are upstream's.

/** A version that was read. `text` is its normal form. */
export interface CoreosVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  readonly isPreRelease: boolean;
  readonly text: string;
}

const IDENTIFIER = /^[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*$/;

/** Reads `3.5.0`, `3.5.0-rc.1+build`. */
export function parseCoreosVersion(
  text: string,
):
  | { readonly kind: 'version'; readonly version: CoreosVersion }
  | { readonly kind: 'invalid'; readonly message: string } {
  const invalid = (message: string) => ({ kind: 'invalid' as const, message });
  const [beforeMetadata = '', metadata = ''] = splitOnce(text, '+');
  const [numbers = '', preRelease = ''] = splitOnce(beforeMetadata, '-');
  const parts = splitOnce(numbers, '.', 3);
  if (parts.length !== 3) return invalid(`${numbers} is not in dotted-tri format`);
  for (const [name, identifier] of [
    ['pre-release', preRelease],
    ['metadata', metadata],
  ] as const) {
    if (identifier !== '' && !IDENTIFIER.test(identifier)) {
      return invalid(`failed to validate ${name}: ${identifier} is not a valid semver identifier`);
    }
  }
  const bad = parts.find((part) => !/^\d+$/.test(part) || !Number.isSafeInteger(Number(part)));
  if (bad !== undefined) return invalid(`strconv.ParseInt: parsing ${JSON.stringify(bad)}: invalid syntax`);
  const [major = 0, minor = 0, patch = 0] = parts.map(Number);
  const suffix = (preRelease === '' ? '' : `-${preRelease}`) + (metadata === '' ? '' : `+${metadata}`);
  const version = { major, minor, patch, isPreRelease: preRelease !== '', text: `${major}.${minor}.${patch}${suffix}` };
  return { kind: 'version', version };
}

/** Whether a version comes before `major.minor.0`. */
export function isBefore(version: CoreosVersion, major: number, minor: number): boolean {
  if (version.major !== major) return version.major < major;
  if (version.minor !== minor) return version.minor < minor;
  return version.patch === 0 && version.isPreRelease;
}

function splitOnce(text: string, delimiter: string, parts = 2): string[] {
  const pieces = text.split(delimiter);
  if (pieces.length <= parts) return pieces;
  return [...pieces.slice(0, parts - 1), pieces.slice(parts - 1).join(delimiter)];
}
