// TLS settings as the Go manager's flags name them.
//
// Cipher suites are given by their IANA names and understood by OpenSSL under others. A name that is not known is an error
// that lists what is: a typing mistake must not silently weaken a server.

import { getCiphers, type SecureVersion, type TlsOptions } from 'node:tls';

const versions: Readonly<Record<string, SecureVersion>> = {
  VersionTLS10: 'TLSv1',
  VersionTLS11: 'TLSv1.1',
  VersionTLS12: 'TLSv1.2',
  VersionTLS13: 'TLSv1.3',
};

const suites: Readonly<Record<string, string>> = {
  TLS_AES_128_GCM_SHA256: 'TLS_AES_128_GCM_SHA256',
  TLS_AES_256_GCM_SHA384: 'TLS_AES_256_GCM_SHA384',
  TLS_CHACHA20_POLY1305_SHA256: 'TLS_CHACHA20_POLY1305_SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256: 'ECDHE-ECDSA-AES128-SHA256',
  TLS_ECDHE_ECDSA_WITH_RC4_128_SHA: 'ECDHE-ECDSA-RC4-SHA',
  TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA: 'ECDHE-RSA-DES-CBC3-SHA',
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256: 'ECDHE-RSA-AES128-SHA256',
  TLS_ECDHE_RSA_WITH_RC4_128_SHA: 'ECDHE-RSA-RC4-SHA',
  TLS_RSA_WITH_3DES_EDE_CBC_SHA: 'DES-CBC3-SHA',
  TLS_RSA_WITH_AES_128_CBC_SHA256: 'AES128-SHA256',
  TLS_RSA_WITH_RC4_128_SHA: 'RC4-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: 'ECDHE-ECDSA-AES128-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: 'ECDHE-ECDSA-AES256-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: 'ECDHE-ECDSA-AES256-GCM-SHA384',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: 'ECDHE-RSA-AES128-SHA',
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: 'ECDHE-RSA-AES256-SHA',
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: 'ECDHE-RSA-AES128-GCM-SHA256',
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: 'ECDHE-RSA-AES256-GCM-SHA384',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305: 'ECDHE-RSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-RSA-CHACHA20-POLY1305',
  TLS_RSA_WITH_AES_128_CBC_SHA: 'AES128-SHA',
  TLS_RSA_WITH_AES_256_CBC_SHA: 'AES256-SHA',
  TLS_RSA_WITH_AES_128_GCM_SHA256: 'AES128-GCM-SHA256',
  TLS_RSA_WITH_AES_256_GCM_SHA384: 'AES256-GCM-SHA384',
};

/** What a TLS server needs of the flags. */
export type TlsSettings = Pick<TlsOptions, 'minVersion' | 'ciphers' | 'honorCipherOrder'>;

/** Reads `--tls-min-version` and `--tls-cipher-suites`. */
export function tlsSettings(
  minVersion: string,
  cipherSuites: readonly string[],
): { readonly settings: TlsSettings } | { readonly problem: string } {
  const version = versions[minVersion];
  if (version === undefined) {
    return {
      problem: `unknown TLS version ${JSON.stringify(minVersion)}: want one of ${Object.keys(versions).join(', ')}`,
    };
  }
  const unknown = cipherSuites.find((name) => suites[name] === undefined);
  if (unknown !== undefined) {
    return { problem: `cipher suite ${unknown} is not supported: want of ${Object.keys(suites).join(', ')}` };
  }
  if (cipherSuites.length === 0) return { settings: { minVersion: version } };
  const useless = suitesWithoutEffect(cipherSuites);
  const usable = cipherSuites.filter((name) => !useless.includes(name));
  // Suites of TLS 1.3 are not chosen, as in Go: they are what is left where OpenSSL has none of the others.
  if (usable.length === 0) return { settings: { minVersion: 'TLSv1.3' } };
  return {
    settings: {
      minVersion: version,
      honorCipherOrder: true,
      ciphers: usable.map((name) => suites[name]).join(':'),
    },
  };
}

/** Suites that Go knows and this OpenSSL was built without: RC4 and 3DES, mostly. */
export function suitesWithoutEffect(cipherSuites: readonly string[]): readonly string[] {
  const known = new Set(getCiphers());
  return cipherSuites.filter((name) => suites[name] !== undefined && !known.has((suites[name] ?? '').toLowerCase()));
}
