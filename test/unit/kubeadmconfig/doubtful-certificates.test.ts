// Certificates that are there and look wrong: they are used, as upstream uses them, and an Event and `explain` say what is
// doubtful.
import { expect, test } from '@jest/globals';
import { createCaCertificate } from '../../../src/bootstrap/certificates/ca-certificate.js';
import { generateKeyPair, privateKeyPem } from '../../../src/bootstrap/certificates/keys.js';
import { addClusterSecrets, addMachine, cluster, create, secret } from './objects.js';
import { payload } from './readings.js';
import { explanationText } from '../../../src/cli/explain.js';
import { explainAlone } from './fault-kit.js';
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
    const explanation = await explainAlone(world, 'cp-0');
    expect(explanation.warnings).toEqual([expect.stringContaining(`Secret default/c1-ca: ${cause}`)]);
    expect(explanationText(explanation)).toContain(`Looks wrong: Secret default/c1-ca: ${cause}`);
    expect(JSON.stringify([operator.events, operator.logs, explanation])).not.toContain('BEGIN');
  },
);

test('explain: sound certificates -> nothing looks wrong; one that may not be read -> it says so, and why', async () => {
  const world = createWorld();
  await create(world.user, cluster({ initialized: true }));
  await addClusterSecrets(world.user);
  await addMachine(world.user, 'x');
  expect((await explainAlone(world, 'x')).warnings).toEqual([]);
  let reads = 0;
  world.setFaults({
    request: ({ verb, resource, name }) => {
      if (verb !== 'get' || resource !== 'secrets' || name !== 'c1-ca') return undefined;
      reads += 1;
      // The first is of its metadata.
      return reads === 1 ? undefined : { kind: 'status', code: 403, message: 'secrets "c1-ca" is forbidden' };
    },
  });
  expect((await explainAlone(world, 'x')).warnings).toEqual(['Secret default/c1-ca: secrets "c1-ca" is forbidden']);
});
