// Our own client against the embedded server, over HTTP.
import { createEmbeddedApiServer } from '../../src/embedded/api-server.js';
import { systemClock, systemRandom } from '../../src/system.js';
import { kubeClientSuite } from './kube-client-suite.js';

kubeClientSuite('embedded server', async () => {
  const users = [
    { name: 'admin', token: 'token-admin', groups: ['system:masters'] },
    { name: 'bob', token: 'token-bob', rules: [] },
  ];
  const server = createEmbeddedApiServer({ clock: systemClock, random: systemRandom, users });
  await server.listen();
  return {
    kubeconfig: (user) =>
      user === 'stranger' ? server.kubeconfig('bob').replace('token-bob', 'token-stranger') : server.kubeconfig(user),
    stop: () => server.close(),
  };
});
