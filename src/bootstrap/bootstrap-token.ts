// Bootstrap tokens: `<id>.<secret>`, 6 and 16 lower-case letters or digits. The id is public, the secret is not.
const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
const idLength = 6;
const secretLength = 16;
/** Bytes from here on would make the first letters more likely than the others. */
const unbiasedBytes = 256 - (256 % alphabet.length);
const form = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;

/** A new token. `bytes` gives cryptographically strong randomness. */
export function newBootstrapToken(bytes: (count: number) => Uint8Array): string {
  let letters = '';
  while (letters.length < idLength + secretLength) {
    for (const byte of bytes(idLength + secretLength)) {
      if (byte < unbiasedBytes) letters += alphabet.charAt(byte % alphabet.length);
    }
  }
  return `${letters.slice(0, idLength)}.${letters.slice(idLength, idLength + secretLength)}`;
}

/** The two parts of a token, null if the text is none. */
export function splitBootstrapToken(token: string): { readonly id: string; readonly secret: string } | null {
  const [, id, secret] = form.exec(token) ?? [];
  return id === undefined || secret === undefined ? null : { id, secret };
}

/** The id of a token: no secret. Empty when the text is no token. */
export function tokenId(token: string): string {
  return splitBootstrapToken(token)?.id ?? '';
}
