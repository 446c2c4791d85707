// How an API server is reached and who we are there: what a kubeconfig or a service account boils down to.
//
// Identities are asked for again and again: tokens, certificates and CA files change while we run.

/** Name, in lower case, and value of a header. */
export type HeaderLine = readonly [string, string];

/** Who we are, for the next request. */
export interface Identity {
  /** `authorization`; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whom we act as; a name may come several times. Absent: as ourselves. */
  readonly impersonation?: readonly HeaderLine[];
  /** PEM; empty where the scheme is http or the system's authorities count. */
  readonly ca: string;
  readonly clientCertificate: string;
  readonly clientKey: string;
}

/** One API server and one identity. */
export interface ServerAccess {
  /** `https://host:port`, with a path when the server lives behind one. */
  readonly server: string;
  /** Name to expect in the server's certificate; empty takes the host. */
  readonly tlsServerName: string;
  readonly insecureSkipTlsVerify: boolean;
  /** `proxy-url` of a kubeconfig; empty leaves it to HTTPS_PROXY and NO_PROXY. */
  readonly proxyUrl: string;
  /** Namespace of a kubeconfig's context; empty or absent names none. */
  readonly namespace?: string;
  identity(): Promise<Identity>;
  /** The server answered 401: read everything again next time. */
  forget(): void;
}

/** Whatever is wrong with a kubeconfig or an account, in one line that names the place and the remedy. */
export class AccessError extends Error {
  override readonly name = 'AccessError';
  readonly code = 'AccessError';
}

/** An access that never changes. */
export function fixedAccess(access: Omit<ServerAccess, 'identity' | 'forget'>, identity: Identity): ServerAccess {
  return Object.freeze({ ...access, identity: () => Promise.resolve(identity), forget: () => undefined });
}

/** The same identity for everybody who asks at the same time, kept for a while and until it is forgotten. */
export function cachedIdentity(
  read: () => Promise<Identity>,
  options: { readonly monotonicMs: () => number; readonly ageMaxMs: number },
): Pick<ServerAccess, 'identity' | 'forget'> {
  let current: { readonly promise: Promise<Identity>; readonly untilMs: number } | undefined;
  return {
    identity() {
      const nowMs = options.monotonicMs();
      if (current === undefined || nowMs >= current.untilMs) {
        const promise = read();
        const made = { promise, untilMs: nowMs + options.ageMaxMs };
        current = made;
        // A failed read is not kept: the next request tries again.
        promise.catch(() => {
          if (current === made) current = undefined;
        });
      }
      return current.promise;
    },
    forget() {
      current = undefined;
    },
  };
}
