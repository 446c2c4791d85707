// Reads a serving certificate from a folder, and reads it again whenever it changes.
//
// A mounted Secret changes by swapping a symbolic link, two plain files change one after the other. So a change is awaited
// until it is complete, a pair that does not fit together is not used, and what was read last stays in use. Changes that the
// file system does not tell are found by looking now and then.
//
//   T1. `onChange` gets only pairs of which the key belongs to the certificate and that TLS takes.
//   T2. Nothing that happens to the files stops the server.

import { X509Certificate, createPrivateKey } from 'node:crypto';
import { watch, type FSWatcher } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { CERTIFICATE_POLL_MS, CERTIFICATE_SETTLE_MS } from '../limits.js';
import type { Logger } from '../log.js';
import type { TlsSettings } from './tls-options.js';

/** Where a certificate and its key are. */
export interface CertificateFiles {
  readonly folder: string;
  readonly certificateName: string;
  readonly keyName: string;
}

/** A certificate (with those that vouch for it) and its key, as PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** What became of reading the files. */
export type ReadCertificate = { readonly pair: KeyPair } | { readonly problem: string };

/** Delays as a port. */
export interface Timers {
  schedule(delayMs: number, run: () => void): () => void;
}

/** What the watch of a certificate needs and tells. */
export interface CertificateWatch {
  readonly files: CertificateFiles;
  readonly tls: TlsSettings;
  /** What is in use; null for none yet. */
  readonly initial: KeyPair | null;
  readonly timers: Timers;
  readonly logger: Logger;
  /** A pair that it does not take (it throws) is tried again with the next look. */
  readonly onChange: (pair: KeyPair) => void | Promise<void>;
  readonly onRead?: (isUsable: boolean) => void;
}

/** Reads the files. The problem of an unusable pair names the file or the folder. */
export async function readCertificate(files: CertificateFiles, tls: TlsSettings = {}): Promise<ReadCertificate> {
  const read = await readTexts(files);
  return 'problem' in read ? read : judged(read.pair, files, tls);
}

/** The texts of both files, whatever they are worth. */
async function readTexts({ folder, certificateName, keyName }: CertificateFiles): Promise<ReadCertificate> {
  const [cert, key] = await Promise.all([certificateName, keyName].map((name) => readText(join(folder, name))));
  if (cert === undefined || 'problem' in cert) return cert ?? { problem: 'no certificate' };
  if (key === undefined || 'problem' in key) return key ?? { problem: 'no key' };
  return { pair: { cert: cert.text, key: key.text } };
}

function judged(pair: KeyPair, { folder }: CertificateFiles, tls: TlsSettings): ReadCertificate {
  const problem = mismatch(pair.cert, pair.key) ?? refusal({ ...tls, ...pair });
  return problem === undefined ? { pair } : { problem: `${problem} in ${folder}` };
}

/** Watches the files until the returned function is called; it resolves when no look is under way any more. */
export function watchCertificate(options: CertificateWatch): () => Promise<void> {
  const { files, timers, logger } = options;
  let isStopped = false;
  let cancelSettle: (() => void) | null = null;
  let cancelPoll: (() => void) | null = null;
  const useNew = reader(options);
  // One look at a time: two would bring the same pair twice.
  let last = Promise.resolve();
  const look = (): void => {
    last = last
      .then(() => (isStopped ? undefined : useNew(() => isStopped)))
      .catch((error: unknown) => logger.error('Webhook certificate could not be taken into use', { err: error }));
  };
  const changed = (): void => {
    cancelSettle?.();
    cancelSettle = timers.schedule(CERTIFICATE_SETTLE_MS, look);
  };
  const poll = (): void => {
    cancelPoll = timers.schedule(CERTIFICATE_POLL_MS, () => {
      look();
      poll();
    });
  };

  const watcher = watchFolder(files.folder, changed, logger);
  poll();
  return () => {
    isStopped = true;
    watcher?.close();
    cancelSettle?.();
    cancelPoll?.();
    return last;
  };
}

/** Reads the files and hands on what is new. What went wrong is said once for as long as it stays the same. */
function reader({ files, tls, initial, logger, onChange, onRead }: CertificateWatch) {
  let current = initial;
  let lastProblem = '';
  return async (isStopped: () => boolean): Promise<void> => {
    const texts = await readTexts(files);
    // What is in use is not taken apart again with each look: that costs more than all else at rest.
    const isInUse = 'pair' in texts && texts.pair.cert === current?.cert && texts.pair.key === current.key;
    const read = isInUse || 'problem' in texts ? texts : judged(texts.pair, files, tls);
    if (isStopped()) return;
    onRead?.('pair' in read);
    if ('problem' in read) {
      if (read.problem !== lastProblem) {
        const text =
          current === null
            ? 'Webhook certificate cannot be used'
            : 'Webhook certificate cannot be used, keeping the last one';
        logger.error(text, { err: read.problem });
      }
      lastProblem = read.problem;
      return;
    }
    lastProblem = '';
    if (isInUse) return;
    await onChange(read.pair);
    current = read.pair;
    logger.info('Webhook certificate loaded', { folder: files.folder });
  };
}

function watchFolder(folder: string, changed: () => void, logger: Logger): FSWatcher | null {
  try {
    const watcher = watch(folder, { persistent: false }, changed);
    watcher.on('error', (error) =>
      logger.verbose(4, 'Folder of the webhook certificate cannot be watched', { err: error }),
    );
    return watcher;
  } catch (error) {
    logger.verbose(4, 'Folder of the webhook certificate cannot be watched', { err: error });
    return null;
  }
}

async function readText(path: string): Promise<{ readonly text: string } | { readonly problem: string }> {
  try {
    return { text: await readFile(path, 'utf8') };
  } catch (error) {
    const { code = '' } = error as { readonly code?: string };
    return {
      problem: code === 'ENOENT' ? `${path} does not exist` : `${path} cannot be read (${code})`,
    };
  }
}

/** What TLS itself says to a pair, such as a broken certificate behind the first, or a key that is too short. */
function refusal(options: SecureContextOptions): string | undefined {
  try {
    createSecureContext(options);
    return undefined;
  } catch (error) {
    // The code alone: texts of the crypto library may quote what it read.
    const { code = 'no reason given' } = error as { readonly code?: string };
    return `TLS refuses key or certificate (${code})`;
  }
}

function mismatch(cert: string, key: string): string | undefined {
  try {
    const isPair = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
    return isPair ? undefined : 'key and certificate do not belong together';
  } catch {
    // The error of the crypto library may quote what it read: it is not passed on.
    return 'key or certificate is not valid PEM';
  }
}
