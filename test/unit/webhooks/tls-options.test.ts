import { describe, expect, test } from '@jest/globals';
import { tlsSettings } from '../../../src/webhooks/tls-options.js';

describe('TLS settings', () => {
  test('versions and suites: Go names -> the names of Node', () => {
    expect(tlsSettings('VersionTLS12', ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'TLS_AES_128_GCM_SHA256'])).toEqual({
      settings: {
        minVersion: 'TLSv1.2',
        honorCipherOrder: true,
        ciphers: 'ECDHE-RSA-AES128-GCM-SHA256:TLS_AES_128_GCM_SHA256',
      },
    });
    expect(tlsSettings('VersionTLS13', [])).toEqual({ settings: { minVersion: 'TLSv1.3' } });
  });

  test('versions and suites: an unknown name -> a problem that lists the known ones', () => {
    expect(tlsSettings('TLS12', [])).toEqual({
      problem: 'unknown TLS version "TLS12": want one of VersionTLS10, VersionTLS11, VersionTLS12, VersionTLS13',
    });
    expect(tlsSettings('VersionTLS12', ['RC4'])).toMatchObject({
      problem: expect.stringContaining('cipher suite RC4 is not supported: want of TLS_AES_128_GCM_SHA256'),
    });
  });
});
