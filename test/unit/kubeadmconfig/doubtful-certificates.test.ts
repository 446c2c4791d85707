// Certificates that are there and look wrong: they are used, as upstream uses them, and an Event says what is doubtful.
import { expect, test } from '@jest/globals';
import { createCaCertificate } from '../../../src/bootstrap/certificates/ca-certificate.js';
import { generateKeyPair, privateKeyPem } from '../../../src/bootstrap/certificates/keys.js';
import { addClusterSecrets, addMachine, cluster, create, secret } from './objects.js';
import { payload } from './readings.js';
import { createWorld } from './world.js';

test.each([
  ['key of another certificate', 'tls.key is not the key of tls.crt', 3650, true],
  ['expired', 'the certificate expired on', 1, false],
] as const)(
  'CA of an init: %s -> data is made, one Event names the Secret and the cause',
  async (_, cause, days, other) => {
    const world = createWorld();
    const key = await generateKeyPair('ECDSA-P256');
    const kept = other ? await generateKeyPair('ECDSA-P256') : key;
    const cert = await createCaCertificate({ key, nowMs: Date.UTC(2022, 0, 1), validityDays: days });
    await create(world.user, cluster());
    await addClusterSecrets(world.user, { without: ['ca'] });
    await create(world.user, secret('c1-ca', { 'tls.crt': cert, 'tls.key': privateKeyPem(kept) }));
    await addMachine(world.user, 'cp-0', { controlPlane: true });
    const operator = await world.start();
    await world.settle();
    expect(await payload(world.user, 'cp-0')).toContain('kubeadm init');
    expect(operator.events).toEqual([
      expect.objectContaining({
        type: 'Warning',
        reason: 'CertificateDoubtful',
        message: expect.stringContaining(`Secret default/c1-ca: ${cause}`),
      }),
    ]);
    expect(JSON.stringify([operator.events, operator.logs])).not.toContain('BEGIN');
  },
);
