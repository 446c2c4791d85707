// WebSocket plumbing that both protocols share: bounded, no compression, one bad frame never matters.

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { requestTarget } from '../http/request-target.js';

/** Bounds of a protocol's socket. */
export const SOCKET_BOUNDS = {
  payloadBytesMax: 4096,
  clientsMax: 16,
  bufferBytesMax: 4 * 1024 * 1024,
  framesPerTurn: 20,
} as const;

/** A viewer of a protocol. */
export interface Viewer {
  /** Sends one frame; a viewer that does not keep up is dropped. */
  send(frame: object): void;
  /** Sends a frame for each item, at the viewer's pace; null is nothing to send. The frame is made when its turn comes. */
  sendAll<T>(items: readonly T[], frameOf: (item: T) => object | null): void;
  /** The query of the address it connected with. */
  readonly query: URLSearchParams;
}

/** What a protocol does with its viewers. */
export interface SocketProtocol {
  onConnect(viewer: Viewer): void;
  /** A frame of the viewer, parsed; anything unexpected is ignored. */
  onMessage(viewer: Viewer, message: unknown): void;
}

/** Runs something after others had their turn. */
export type Pause = (run: () => void) => void;

/** An upgrade handler, and a way to reach everybody. */
export interface SocketServer {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  viewers(): Iterable<Viewer>;
  close(): void;
}

/** Serves a protocol on WebSockets. `pause` runs something a moment later: others get their turn between. */
export function createSocketServer(protocol: SocketProtocol, pause: Pause): SocketServer {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: SOCKET_BOUNDS.payloadBytesMax,
    perMessageDeflate: false,
  });
  server.on('error', () => undefined);
  const viewers = new Map<WebSocket, Viewer>();

  const accept = (webSocket: WebSocket, request: IncomingMessage): void => {
    const viewer: Viewer = {
      query: requestTarget(request.url).query,
      send(frame) {
        if (webSocket.readyState !== webSocket.OPEN) return;
        if (webSocket.bufferedAmount > SOCKET_BOUNDS.bufferBytesMax) webSocket.terminate();
        else webSocket.send(JSON.stringify(frame));
      },
      sendAll: (items, frameOf) => sendInTurns({ webSocket, items, frameOf, pause }, 0),
    };
    viewers.set(webSocket, viewer);
    webSocket.on('error', () => webSocket.terminate());
    webSocket.on('close', () => viewers.delete(webSocket));
    // Whatever a frame does to the protocol ends its viewer alone.
    const orGoes = (act: () => void): void => {
      try {
        act();
      } catch {
        webSocket.terminate();
      }
    };
    webSocket.on('message', (data) => {
      const message = parse(String(data));
      if (message !== null) orGoes(() => protocol.onMessage(viewer, message));
    });
    orGoes(() => protocol.onConnect(viewer));
  };

  return {
    upgrade(request, socket, head) {
      if (viewers.size >= SOCKET_BOUNDS.clientsMax) {
        socket.end('HTTP/1.1 503 Too many viewers\r\nconnection: close\r\ncontent-length: 0\r\n\r\n', () =>
          socket.destroy(),
        );
        return;
      }
      server.handleUpgrade(request, socket, head, (webSocket) => accept(webSocket, request));
    },
    viewers: () => viewers.values(),
    close() {
      for (const webSocket of viewers.keys()) webSocket.terminate();
      server.close();
    },
  };
}

interface Sending<T> {
  readonly webSocket: WebSocket;
  readonly items: readonly T[];
  readonly frameOf: (item: T) => object | null;
  readonly pause: Pause;
}

/** A few frames, then a pause until they have left: neither the loop nor the viewer's buffer is filled by a long list. */
function sendInTurns<T>(sending: Sending<T>, from: number): void {
  const { webSocket, items, frameOf, pause } = sending;
  const frames: object[] = [];
  let index = from;
  for (; index < items.length && frames.length < SOCKET_BOUNDS.framesPerTurn; index += 1) {
    const frame = frameOf(items[index] as T);
    if (frame !== null) frames.push(frame);
  }
  frames.forEach((frame, place) => {
    if (webSocket.readyState !== webSocket.OPEN) return;
    const isLast = place === frames.length - 1;
    webSocket.send(JSON.stringify(frame), () => {
      if (isLast && index < items.length) pause(() => sendInTurns(sending, index));
    });
  });
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
