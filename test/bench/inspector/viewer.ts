// Somebody who looks at an operator's inspector, in a process of its own: asks for what the page asks for, as often as the page does.
import { spawn } from 'node:child_process';

/** Loads the page, reads the stream, and asks once a second for an actor and its cluster's lanes. */
const VIEWER = `const base = process.argv[1];
const get = async (path) => { const answer = await fetch(base + path); return answer.text(); };
for (const path of ['/', '/app.js', '/app.css', '/api/charts', '/api/status']) await get(path);
let key = '';
setInterval(() => { if (key !== '') void get('/api/actors/' + key).catch(() => undefined); }, 1000);
const reader = (await fetch(base + '/api/stream')).body.pipeThrough(new TextDecoderStream()).getReader();
for (;;) {
  const { done, value } = await reader.read();
  if (done) break;
  key = /"k":"([^"]+)"/.exec(value)?.[1] ?? key;
}`;

/** Starts a viewer of an inspector at this address; gives what ends it. */
export function startViewer(url: string): () => Promise<void> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', VIEWER, url], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return async () => {
    child.kill('SIGKILL');
    await ended;
  };
}
