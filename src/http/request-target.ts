// What a request asks for: path and query of its request line.
//
// The text comes from strangers. Nothing here throws, whatever it says, and nothing is resolved or normalised: a path that
// no handler knows is a path that no handler knows.

/** Path and query of a request. */
export interface RequestTarget {
  /** As it was sent, still with its escapes: `/api/a%20b`. Empty for a text that has no path. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Splits the target of a request line (`request.url`): `/path?query`, or the same behind `http://host` as proxies send it. */
export function requestTarget(target: string | undefined): RequestTarget {
  const local = (target ?? '').replace(/^https?:\/\/[^/?#]*/i, '').replace(/#.*$/su, '');
  const cut = local.indexOf('?');
  return cut < 0
    ? { path: local, query: new URLSearchParams() }
    : { path: local.slice(0, cut), query: new URLSearchParams(local.slice(cut + 1)) };
}

/** The text with its `%` escapes read; as it is where they cannot be read. */
export function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The value of a cookie in a `Cookie` header, its escapes read; undefined where there is none. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const cut = part.indexOf('=');
    if (cut >= 0 && part.slice(0, cut).trim() === name) return unescaped(part.slice(cut + 1).trim());
  }
  return undefined;
}
