// What CAPD needs of Docker although its machines live in memory: an answer to its ping, and the size of the machine.
import { createServer } from 'node:http';

/** A running stub. */
export interface DockerStub {
  /** For `DOCKER_HOST`. */
  readonly address: string;
  stop(): Promise<void>;
}

/** Starts it on a free port of loopback. */
export async function startDockerStub(): Promise<DockerStub> {
  const server = createServer((request, response) => {
    response.setHeader('Api-Version', '1.44');
    response.setHeader('content-type', 'application/json');
    const path = request.url ?? '';
    if (path.endsWith('/_ping')) return void response.end('OK');
    if (path.endsWith('/info')) return void response.end(JSON.stringify({ MemTotal: 8 * 1024 ** 3, NCPU: 2 }));
    response.statusCode = 404;
    response.end(JSON.stringify({ message: `not here: ${path}` }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    address: `tcp://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
