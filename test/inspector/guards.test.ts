import { describe, expect, test } from '@jest/globals';
import { guard, isLoopbackAddress, splitAddress, type GuardedRequest } from '../../src/inspector/guards.js';

const options = { allowedHosts: ['ops.example.com'], allowedOrigins: ['https://stately.ai'], scheme: 'http' as const };
const request = (headers: Record<string, string>, more: Partial<GuardedRequest> = {}): GuardedRequest => ({
  method: 'GET',
  path: '/api/charts',
  headers: { host: '127.0.0.1:8090', ...headers },
  upgrade: false,
  ...more,
});

describe('guards', () => {
  test.each([
    ['plain GET on loopback', request({}), null],
    ['port-forward to another local port', request({ host: 'localhost:19000' }), null],
    ['IPv6 loopback', request({ host: '[::1]:8090' }), null],
    ['rebound name', request({ host: 'evil.example:8090' }), 421],
    ['name that starts like loopback', request({ host: '127.0.0.1.evil.example' }), 421],
    ['listed host', request({ host: 'ops.example.com' }), null],
    ['POST', request({}, { method: 'POST' }), 405],
    ['DELETE', request({}, { method: 'DELETE' }), 405],
    ['HEAD', request({}, { method: 'HEAD' }), null],
    ['own origin', request({ origin: 'http://127.0.0.1:8090' }), null],
    ['other local origin', request({ origin: 'http://127.0.0.1:18210' }), 403],
    ['null origin', request({ origin: 'null' }), 403],
    ['foreign origin', request({ origin: 'https://evil.example' }), 403],
    ['listed origin', request({ origin: 'https://stately.ai', 'sec-fetch-site': 'cross-site' }), null],
    ['cross-site without origin', request({ 'sec-fetch-site': 'cross-site' }), 403],
    ['same-site is not same-origin', request({ 'sec-fetch-site': 'same-site' }), 403],
    [
      'link from another page to the page',
      request({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, { path: '/' }),
      null,
    ],
    ['link from another page to data', request({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }), 403],
    ['foreign upgrade', request({ origin: 'https://evil.example' }, { upgrade: true, path: '/stately' }), 403],
    [
      'upgrade that claims to navigate',
      request({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, { upgrade: true, path: '/' }),
      403,
    ],
  ])('matrix: %s -> %j', (_, given, status) => {
    expect(guard(given, options)?.status ?? null).toBe(status);
  });

  test.each([
    ['127.0.0.1', true],
    ['127.3.2.1', true],
    ['localhost', true],
    ['::1', true],
    ['0.0.0.0', false],
    ['', false],
    ['10.0.0.1', false],
  ])('loopback: %s -> %s', (host, expected) => {
    expect(isLoopbackAddress(host)).toBe(expected);
  });

  test.each([
    ['127.0.0.1:8090', { host: '127.0.0.1', port: 8090 }],
    [':8090', { host: '', port: 8090 }],
    ['[::1]:1', { host: '::1', port: 1 }],
    ['8090', null],
    ['host:99999', null],
  ])('address: %s -> %j', (address, expected) => {
    expect(splitAddress(address)).toEqual(expected);
  });
});
