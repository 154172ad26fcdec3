import { MalformedError } from './errors.js';
import { type Credentials, checkCredentials } from './fenced-store.js';

/**
 * The token and its holder as headers of HTTP, or of any message that has some. The token is written as decimal
 * digits. The holder is percent-encoded, because ids may have letters that headers may not.
 */
export function fencingHeaders(credentials: Credentials): FencingHeaders {
  checkCredentials(credentials);
  const { token, holder } = credentials;
  return { 'Fencing-Token': token.toString(), 'Fencing-Holder': encodeURIComponent(holder) };
}

export interface FencingHeaders extends Record<string, string> {
  readonly 'Fencing-Token': string;
  readonly 'Fencing-Holder': string;
}

/** What `request.headers` is in Node; or a record with the names as `fencingHeaders` writes them; or the `Headers` of fetch. */
export type ReadableHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Throws `MalformedError` when one is missing or is not what `fencingHeaders` writes. */
export function readFencingHeaders(headers: ReadableHeaders): Credentials {
  const token = headerOf(headers, 'Fencing-Token');
  const holder = headerOf(headers, 'Fencing-Holder');
  if (!/^\d{1,40}$/.test(token)) throw new MalformedError("Header 'Fencing-Token' must be decimal digits.");
  try {
    return { token: BigInt(token), holder: decodeURIComponent(holder) };
  } catch {
    throw new MalformedError("Header 'Fencing-Holder' must be percent-encoded.");
  }
}

function headerOf(headers: ReadableHeaders, name: string): string {
  const value = isFetchHeaders(headers) ? headers.get(name) : (headers[name.toLowerCase()] ?? headers[name]);
  if (typeof value !== 'string' || value === '')
    throw new MalformedError(`Header '${name}' must be given once.`);
  return value;
}

function isFetchHeaders(headers: ReadableHeaders): headers is { get(name: string): string | null } {
  return 'get' in headers && typeof headers.get === 'function';
}
