// Requests: what one costs from the call to its text, on one connection that is there already. Both ends are in this process.
import { createServer, type AddressInfo } from 'node:net';
import { fixedAccess } from '../../../src/kube/access.js';
import { createHttpsTransport } from '../../../src/kube/https-transport.js';
import { systemClock } from '../../../src/system.js';
import { durations, quantile, type Figure } from './figure.js';

const body = JSON.stringify({ kind: 'KubeadmConfig', spec: { files: ['x'.repeat(2_000)] } });
const answer = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

/** Reads one after the other, over plain TCP. */
export async function requestFigures(): Promise<readonly Figure[]> {
  const server = createServer((socket) => {
    socket.on('data', () => void socket.write(answer));
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const nobody = { headers: {}, ca: '', clientCertificate: '', clientKey: '' };
  const place = { server: url, tlsServerName: '', insecureSkipTlsVerify: false, proxyUrl: '' };
  const transport = createHttpsTransport({ access: fixedAccess(place, nobody), clock: systemClock, environment: {} });
  const { signal } = new AbortController();
  const read = () =>
    transport.send({
      method: 'GET',
      url: '/x',
      headers: {},
      signal,
      streaming: false,
      answer: { bytesMax: 1_000_000, budget: null },
      beforeSend: () => undefined,
    });
  const cold = await durations(read, 50, 1);
  const warm = await durations(read, 2_000, 2_000);
  await transport.close();
  server.close();
  return [
    { name: 'a request, p50 of the first 50', value: quantile(cold, 0.5) * 1_000, unit: 'µs' },
    { name: 'a request, p50 when warm', value: quantile(warm, 0.5) * 1_000, unit: 'µs' },
  ];
}
