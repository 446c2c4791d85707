// The conformance suite on a real kube-apiserver. With CONFORMANCE_RECORD=1 it records what the server answers.
import { afterAll, beforeAll, describe } from '@jest/globals';

import { conformance } from '../conformance/suite/suite.js';
import { httpTarget, type Target } from '../conformance/suite/target.js';
import { startApiServer, type EnvtestServer } from './api-server.js';
import { installDefinitions } from './definitions.js';

describe('kube-apiserver', () => {
  let server: EnvtestServer;
  let target: Target;

  beforeAll(async () => {
    server = await startApiServer({ users: [{ name: 'bob' }] });
    await installDefinitions(server);
    target = httpTarget(server.url);
  }, 120_000);
  afterAll(async () => {
    await server.stop();
  });

  conformance('over HTTPS', { target: () => target, record: process.env.CONFORMANCE_RECORD === '1' });
});
