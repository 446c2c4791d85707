// The inspector's token of `--inspector-auth=token`: read from a file, or made for this start and written to one.
//
//   I1. The token itself never goes to a log, stdout or stderr: others collect those. Said is where it can be read.
//   I2. A file that this program makes can be read by its user alone.

import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandFailure } from './exit.js';
import type { OperatorOptions } from './operator-options.js';

/** Shorter ones can be guessed. */
const TOKEN_CHARS_MIN = 16;

/** The token. Throws CommandFailure where the file cannot be read, holds no token, or cannot be written. */
export async function inspectorToken({
  config,
  random,
  log,
}: Pick<OperatorOptions, 'config' | 'random' | 'log'>): Promise<string> {
  const { tokenFile } = config.inspector;
  const given = tokenFile === '' ? null : await tokenIn(tokenFile);
  if (given !== null) return given;
  const token = Buffer.from(random.bytes(24)).toString('base64url');
  const path = await written(tokenFile, token);
  log.info('Inspector token of this start is in a file', { path });
  return token;
}

/** What the file holds; null where there is no file. */
async function tokenIn(path: string): Promise<string | null> {
  let text: string;
  try {
    text = (await readFile(path, 'utf8')).trim();
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new CommandFailure(`--inspector-token-file: ${path} cannot be read (${code})`);
  }
  if (text.length < TOKEN_CHARS_MIN || /\s/.test(text)) {
    throw new CommandFailure(
      `--inspector-token-file: ${path} holds no token: want one line of at least ${TOKEN_CHARS_MIN} characters without spaces`,
    );
  }
  return text;
}

async function written(wanted: string, token: string): Promise<string> {
  try {
    const path = wanted === '' ? join(await mkdtemp(join(tmpdir(), 'inspector-')), 'token') : wanted;
    await writeFile(path, `${token}\n`, { mode: 0o600, flag: 'wx' });
    return path;
  } catch (error) {
    const { code = 'no reason given' } = error as NodeJS.ErrnoException;
    const where = wanted === '' ? `the folder of temporary files ${tmpdir()}` : wanted;
    throw new CommandFailure(
      `--inspector-auth=token: the token cannot be written to ${where} (${code}): name a file that holds one, or that can be written, with --inspector-token-file`,
    );
  }
}
