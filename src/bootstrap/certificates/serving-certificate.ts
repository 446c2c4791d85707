// A self-signed serving certificate for one start of this program: a leaf for named hosts, nobody's authority.
//
//   L1. Not a CA; for server authentication alone; the names that it is for are in its subject alternative names.

import { isIP, isIPv4 } from 'node:net';

import { extension, selfSigned } from './ca-certificate.js';
import { derBitString, derImplicit, derObjectIdentifier, derSequence } from './der.js';
import type { GeneratedKey } from './types.js';

/** digitalSignature: bit 0, so the other seven of the byte are unused. */
const KEY_USAGE = derBitString(Uint8Array.of(0b1000_0000), 7);
const OID = {
  keyUsage: '2.5.29.15',
  subjectAlternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
  serverAuthentication: '1.3.6.1.5.5.7.3.1',
} as const;
const NAME = { dns: 2, address: 7 } as const;

/** Makes the certificate as PEM. `hosts` are DNS names (ASCII) and IP addresses. */
export async function createServingCertificate(options: {
  readonly key: GeneratedKey;
  readonly nowMs: number;
  readonly validityDays: number;
  readonly hosts: readonly string[];
}): Promise<string> {
  const { hosts, ...rest } = options;
  return selfSigned({
    ...rest,
    serial: 1,
    commonName: 'kubeadm-bootstrap-operator',
    extensions: derSequence(
      extension(OID.keyUsage, true, KEY_USAGE),
      extension(OID.extendedKeyUsage, false, derSequence(derObjectIdentifier(OID.serverAuthentication))),
      // An empty sequence says: no authority.
      extension(OID.basicConstraints, true, derSequence()),
      extension(OID.subjectAlternativeName, false, derSequence(...[...new Set(hosts)].map(generalName))),
    ),
  });
}

function generalName(host: string): Uint8Array {
  if (isIP(host) === 0) return derImplicit(NAME.dns, Buffer.from(host, 'ascii'));
  return derImplicit(NAME.address, isIPv4(host) ? Uint8Array.from(host.split('.').map(Number)) : ipv6Bytes(host));
}

/** The 16 bytes of an address that `isIP` takes for IPv6, written without a part in IPv4's form. */
function ipv6Bytes(host: string): Uint8Array {
  const [front = '', back] = (host.split('%')[0] ?? '').split('::');
  const groups = (text: string): number[] =>
    text
      .split(':')
      .filter((group) => group !== '')
      .map((group) => Number.parseInt(group, 16));
  const [first, last] = [groups(front), back === undefined ? [] : groups(back)];
  const all = [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last];
  return Uint8Array.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}
