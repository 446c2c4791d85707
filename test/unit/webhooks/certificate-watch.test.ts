import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { silentLogger } from '../../../src/log.js';
import { readCertificate, watchCertificate, type KeyPair } from '../../../src/webhooks/certificates.js';
import type { TlsSettings } from '../../../src/webhooks/tls-options.js';
import { emptyFolder, mountCertificate, servingCertificate } from './serving-certificate.js';

describe('watch of a certificate', () => {
  let folder: string;

  beforeEach(() => void (folder = emptyFolder()));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('files: the same at each look -> read, and not taken apart again; a new pair -> judged and handed on', async () => {
    const files = { folder, certificateName: 'tls.crt', keyName: 'tls.key' };
    const [first, second] = [servingCertificate('first'), servingCertificate('second')];
    mountCertificate(folder, 0, first);
    let judgements = 0;
    // TLS is asked with these settings whenever a pair is judged.
    const tls = Object.defineProperty({}, 'minVersion', {
      enumerable: true,
      get: () => ((judgements += 1), 'TLSv1.2'),
    }) as TlsSettings;
    const looks: (() => void)[] = [];
    const handedOn: KeyPair[] = [];
    let reads = 0;
    const stop = watchCertificate({
      files,
      tls,
      initial: first,
      timers: {
        schedule(_delayMs, run) {
          looks.push(run);
          return () => undefined;
        },
      },
      logger: silentLogger,
      onChange: (pair) => void handedOn.push(pair),
      onRead: () => void (reads += 1),
    });
    const look = async (): Promise<void> => {
      const before = reads;
      looks.shift()?.();
      while (reads === before) await new Promise((resolve) => setImmediate(resolve));
    };
    for (let round = 0; round < 5; round += 1) await look();
    expect([judgements, handedOn]).toEqual([0, []]);
    mountCertificate(folder, 1, second);
    await look();
    await stop();
    expect(judgements).toBeGreaterThan(0);
    expect(handedOn).toEqual([second]);
    expect(await readCertificate(files)).toEqual({ pair: second });
  });
});
