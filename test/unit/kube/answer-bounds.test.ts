// What an API server can make this process keep: bounded by the bytes that are kept, whatever pieces they come in.
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { resources } from '../../../src/api/names.js';
import { fixedAccess } from '../../../src/kube/access.js';
import { readLines } from '../../../src/kube/body.js';
import { createApiClient, type FullApiClient } from '../../../src/kube/client.js';
import { ApiError } from '../../../src/kube/contract.js';
import { isSilence } from '../../../src/kube/failures.js';
import { createAnswerParser } from '../../../src/kube/http-wire.js';
import type { AnswerExtent } from '../../../src/kube/exchange.js';
import { failureOfAnswer } from '../../../src/kube/failures.js';
import { createHttpsTransport } from '../../../src/kube/https-transport.js';
import { createByteBudget, KeptBytes, shareOf, type ByteBudget } from '../../../src/kube/kept-bytes.js';
import { resourceOf } from '../../../src/kube/resource-paths.js';
import { systemClock } from '../../../src/system.js';

const machines = resourceOf(resources.Machine);
const closers: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A server of raw bytes, and a client that keeps 1,000 bytes of an object and 4,000 of a list. */
async function clientOf(
  answer: (socket: Socket) => void,
  budget: ByteBudget | null = null,
  extent: AnswerExtent | null = null,
): Promise<FullApiClient> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const access = fixedAccess(
    { server: url, tlsServerName: '', insecureSkipTlsVerify: false, proxyUrl: '' },
    { headers: {}, ca: '', clientCertificate: '', clientKey: '' },
  );
  const client = createApiClient({
    transport: createHttpsTransport({ access, clock: systemClock, environment: {} }),
    clock: systemClock,
    userAgent: 'x',
    fieldManager: 'x',
    timeoutMs: 5_000,
    answers: { objectBytesMax: 1_000, listBytesMax: 4_000, lineBytesMax: 1_000, extent, budget },
  });
  closers.push(
    () => void server.close(),
    () => client.close(),
  );
  return client;
}

async function reasonOf(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((thrown: unknown) => thrown);
  return error instanceof ApiError ? error.failure.reason : String(error);
}

const chunked = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
const object = { resource: machines, namespace: 'default', name: 'm1' };

describe('answers: bounds', () => {
  test('an object longer than objects may be -> TooLarge; a list of that length -> read', async () => {
    const body = JSON.stringify({ metadata: { name: 'x', pad: 'y'.repeat(2_000) }, items: [] });
    const client = await clientOf((socket) => {
      const answer = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
      socket.write(answer);
      socket.on('data', () => socket.write(answer));
    });
    expect(await reasonOf(client.get(object))).toBe('TooLarge');
    expect(await client.list(machines)).toMatchObject({ items: [] });
  });

  test('chunks of one byte -> what comes on the wire counts, not the body alone', async () => {
    let sent = 0;
    const client = await clientOf((socket) => {
      socket.write(chunked);
      socket.on('error', () => undefined);
      const more = (): void => {
        if (socket.destroyed || sent > 1_000_000) return;
        sent += 6_000;
        socket.write('1\r\nx\r\n'.repeat(1_000), () => setImmediate(more));
      };
      more();
    });
    expect(await reasonOf(client.list(machines))).toBe('TooLarge');
    expect(sent).toBeLessThan(1_000_000);
  });

  test('a watch whose line comes in chunks of one byte -> TooLarge at the bound of a line', async () => {
    const client = await clientOf((socket) => void socket.write(chunked + '1\r\nx\r\n'.repeat(1_200)));
    const read = async (): Promise<void> => {
      for await (const event of client.watch(machines, {})) expect(event).toBe('never');
    };
    expect(await reasonOf(read())).toBe('TooLarge');
  });

  test('many answers under way -> all together stay within the budget; what ended is given back', async () => {
    const budget = createByteBudget(8_192);
    const client = await clientOf((socket) => void socket.write(`${chunked}800\r\n${'x'.repeat(2_048)}\r\n`), budget);
    const controller = new AbortController();
    const reasons = Array.from({ length: 8 }, () => reasonOf(client.list(machines, { signal: controller.signal })));
    expect(await Promise.race(reasons)).toBe('TooLarge');
    expect(budget.taken()).toBeLessThanOrEqual(8_192);
    controller.abort();
    await Promise.all(reasons);
    expect(budget.taken()).toBe(0);
  });

  test('others have filled what all share -> a reason of its own, that is no silence; a small answer is read all the same', async () => {
    const whole = createByteBudget(8_192);
    const other = shareOf(whole, { bytesMax: 10_000, ownBytes: 1_024 });
    expect(other.take(9_216)).toBe('taken');
    const small = JSON.stringify({ metadata: { name: 'x' } });
    const large = JSON.stringify({ metadata: { name: 'x' }, items: ['y'.repeat(3_000)] });
    const budget = shareOf(whole, { bytesMax: 10_000, ownBytes: 1_024 });
    const client = await clientOf((socket) => {
      const reply = (bytes: Buffer): void => {
        const body = bytes.includes('/m1 ') ? small : large;
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      };
      socket.on('data', reply);
      reply(Buffer.from('GET /m1 '));
    }, budget);
    expect(await client.get(object)).toMatchObject({ metadata: { name: 'x' } });
    const error = await client.list(machines).catch((thrown: unknown) => thrown);
    expect((error as ApiError).failure).toMatchObject({ reason: 'Crowded', status: null });
    expect((error as ApiError).message).toContain('leave no room');
    expect(isSilence(error)).toBe(false);
    expect([whole.taken(), budget.taken()]).toEqual([8_192, 0]);
    other.give(9_216);
    expect(whole.taken()).toBe(0);
  });

  test('one cluster that fills its share -> TooLarge for itself, room for others', () => {
    const whole = createByteBudget(8_192);
    const limits = { bytesMax: 3_000, ownBytes: 1_000 };
    const [first, second] = [shareOf(whole, limits), shareOf(whole, limits)];
    expect([first.take(3_000), first.take(1), second.take(3_000)]).toEqual(['taken', 'TooLarge', 'taken']);
    expect(whole.taken()).toBe(4_000);
  });

  test('a chunk with an extension of more than 256 bytes -> refused before it has ended', () => {
    const parser = createAnswerParser({ onHead: () => undefined, onBody: () => undefined, onEnd: () => undefined });
    parser.feed(Buffer.from(chunked));
    expect(() => parser.feed(Buffer.from(`1;${'e'.repeat(300)}`))).toThrow(/too many bytes around its body/);
  });

  test.each([
    ['content-length: 2\u00a0', /the length of its body/],
    ['transfer-encoding: chunked\u00a0', /the length of its body/],
    ['content-length: \u00a02', /the length of its body/],
  ])('%j: a blank that is none in a header -> refused', (header, text) => {
    const parser = createAnswerParser({ onHead: () => undefined, onBody: () => undefined, onEnd: () => undefined });
    expect(() => parser.feed(Buffer.from(`HTTP/1.1 200 OK\r\n${header}\r\n\r\nab`, 'latin1'))).toThrow(text);
  });
});

/** Answers each request of a connection with this body. */
const answering = (body: string, status = '200 OK') => {
  const answer = `HTTP/1.1 ${status}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  return (socket: Socket): void => {
    socket.write(answer);
    socket.on('data', () => socket.write(answer));
  };
};

describe('answers: how much JSON is read', () => {
  const extent = { objectValuesMax: 100, listValuesMax: 300, depthMax: 20 };
  const json = (values: number): string => `{"metadata":{},"items":[${Array(values).fill('{}').join(',')}]}`;
  const nested = (depth: number): string => `{"metadata":{},"items":[${'['.repeat(depth)}${']'.repeat(depth)}]}`;
  let parse: ReturnType<typeof jest.spyOn>;
  beforeEach(() => {
    parse = jest.spyOn(JSON, 'parse');
  });
  afterEach(() => parse.mockRestore());

  test.each([
    ['more values than an object may have', json(120)],
    ['values that all end no text', json(120).slice(0, -1)],
    ['brackets within each other', nested(40)],
    ['brackets that nobody closes', `{"metadata":${'['.repeat(400)}`],
  ])('an object with %s -> TooLarge, and nothing of it is read', async (_, body) => {
    const client = await clientOf(answering(body), null, extent);
    expect(await reasonOf(client.get(object))).toBe('TooLarge');
    expect(await reasonOf(client.create(object.resource, {}))).toBe('TooLarge');
    expect(await reasonOf(client.post('/x', {}))).toBe('TooLarge');
    expect(await reasonOf(client.getPath('/version'))).toBe('TooLarge');
    expect(parse).not.toHaveBeenCalled();
  });

  test('a page of a list -> may have more values than an object, and no more than that', async () => {
    expect(await (await clientOf(answering(json(120)), null, extent)).list(machines)).toMatchObject({
      items: { length: 120 },
    });
    parse.mockClear();
    expect(await reasonOf((await clientOf(answering(json(320)), null, extent)).list(machines))).toBe('TooLarge');
    expect(parse).not.toHaveBeenCalled();
  });

  test('an event of a watch with more values than an object may have -> the watch breaks', async () => {
    const line = `{"type":"ADDED","object":${json(120)}}\n`;
    const client = await clientOf(answering(line), null, extent);
    const read = async (): Promise<void> => {
      for await (const event of client.watch(machines, {})) expect(event).toBe('never');
    };
    expect(await reasonOf(read())).toBe('TooLarge');
    expect(parse).not.toHaveBeenCalled();
  });

  test('the management cluster -> no such bound', async () => {
    expect(await (await clientOf(answering(json(350)))).list(machines)).toMatchObject({ items: { length: 350 } });
  });

  test('the answer to a ping -> not read as JSON, and no more kept of it than its bound', async () => {
    const client = await clientOf(answering(nested(400)), null, extent);
    await client.ping('/');
    expect(await reasonOf((await clientOf(answering(nested(600)), null, extent)).ping('/'))).toBe('TooLarge');
    expect(parse).not.toHaveBeenCalled();
  });

  const call = { verb: 'get', target: { kind: 'Secret', namespace: 'n', name: 's' }, write: false };
  test.each([
    ['longer than a Status is', `{"kind":"Status","message":"${'x'.repeat(70_000)}"}`],
    ['with more values', `{"kind":"Status","a":[${Array(6_000).fill('{}').join(',')}]}`],
    ['with more brackets within each other', `{"kind":"Status","a":${'['.repeat(1_000)}${']'.repeat(1_000)}}`],
  ])('a refusal %s -> told by its HTTP status, and not read', (_, text) => {
    expect(failureOfAnswer(call, { status: 500, text, retryAfter: undefined, isForeign: true }).failure).toMatchObject({
      kind: 'Unavailable',
      message: 'the server answered 500, and it is no Kubernetes API',
    });
    expect(parse).not.toHaveBeenCalled();
  });
});

describe('refusals of servers that are not trusted', () => {
  const call = { verb: 'get', target: { kind: 'Secret', namespace: 'n', name: 's' }, write: true };
  const said = (status: object, isForeign: boolean): string => {
    const text = JSON.stringify({ kind: 'Status', message: 'echo Bearer abcdefgh12345678 of the page', ...status });
    return failureOfAnswer(call, { status: 500, text, retryAfter: undefined, isForeign }).failure.message;
  };

  test.each([{}, { reason: '' }, { reason: 'Pages' }, { reason: 5 }])(
    'a Status with %j for a reason -> its HTTP status, and nothing of its message',
    (status) => expect(said(status, true)).toBe('the server answered 500 without a reason of a Kubernetes API'),
  );

  test('a Status with a reason of an API server -> its message, without what looks like a secret', () => {
    expect(said({ reason: 'InternalError' }, true)).toBe('echo Bearer [removed] of the page');
  });

  test('the management cluster -> its message as it is', () => {
    expect(said({ reason: 'Pages' }, false)).toContain('abcdefgh12345678');
  });
});

describe('bytes that are kept', () => {
  test('pieces of one byte -> one buffer no larger than twice of what it holds, and none of theirs', () => {
    const budget = createByteBudget(1_000_000);
    const kept = new KeptBytes(budget);
    const ofSocket = Buffer.alloc(65_536);
    for (let index = 0; index < 100_000; index += 1)
      kept.append(ofSocket.subarray(index % 65_536, (index % 65_536) + 1));
    expect(kept.length).toBe(100_000);
    expect(budget.taken()).toBeLessThanOrEqual(200_000);
    expect(kept.take()).toHaveLength(100_000);
    expect(budget.taken()).toBe(0);
  });

  test('lines cut anywhere -> as they were; given up inside a line -> nothing is kept', async () => {
    const budget = createByteBudget(10_000);
    async function* pieces(): AsyncGenerator<string> {
      for (const letter of 'ab\ncde\n\nf') yield await Promise.resolve(letter);
    }
    const seen: string[] = [];
    const read = async (): Promise<void> => {
      for await (const line of readLines(pieces(), { lineBytesMax: 10, budget })) seen.push(line);
    };
    await expect(read()).rejects.toThrow('inside a line');
    expect(seen).toEqual(['ab', 'cde']);
    expect(budget.taken()).toBe(0);
  });
});
