// Our own client against a real kube-apiserver.
import { kubeClientSuite } from '../conformance/kube-client-suite.js';
import { startApiServer } from './api-server.js';

kubeClientSuite('kube-apiserver', async () => {
  const server = await startApiServer({ users: [{ name: 'bob' }] });
  return {
    kubeconfig: (user) =>
      user === 'stranger' ? server.kubeconfig('bob').replace('token-bob', 'token-stranger') : server.kubeconfig(user),
    stop: () => server.stop(),
  };
});
