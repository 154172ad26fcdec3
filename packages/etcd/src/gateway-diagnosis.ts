/**
 * Why an endpoint does not answer. The client's own errors say it in words that change with its version, so this
 * knocks itself: at the name, the port, TLS and etcd's `/version`, in this order.
 */

import { once } from 'node:events';
import { get as getPlainly } from 'node:http';
import { get as getSecurely } from 'node:https';
import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';

export type EtcdTrouble =
  | 'name-not-found'
  /** Nobody listens there. */
  | 'refused'
  /** Nobody answers, not even to refuse. */
  | 'timeout'
  /** The endpoint speaks TLS, and its address says http. */
  | 'needs-https'
  /** The endpoint does not speak TLS, and its address says https. */
  | 'needs-http'
  /** The certificates are not trusted, here or there. */
  | 'tls'
  | 'not-etcd'
  /** An etcd is there, and does not answer: it may have lost its majority. */
  | 'no-majority';

export interface EtcdDiagnosis {
  readonly trouble: EtcdTrouble;
  readonly detail: string;
}

export interface TlsFiles {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

const underway = new Map<string, Promise<EtcdDiagnosis>>();

/**
 * `host` is as in the gateway's options: with a scheme, or without one and then in plain text. Of many gateways in a
 * process that miss one endpoint at a time, one knocks for all: a process or a server that is slow because it has too
 * much to do would otherwise be given hundreds of connections more.
 */
export async function diagnoseEndpoint(
  host: string,
  tls: TlsFiles,
  withinMs: number,
): Promise<EtcdDiagnosis> {
  const question = [host, tls.ca, tls.cert, tls.key].join();
  const asked = underway.get(question);
  if (asked !== undefined) return asked;
  const diagnosis = knock(host, tls, withinMs).finally(() => underway.delete(question));
  underway.set(question, diagnosis);
  return diagnosis;
}

async function knock(host: string, tls: TlsFiles, withinMs: number): Promise<EtcdDiagnosis> {
  const url = new URL(addressOf(host));
  const target = { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || defaultPort(url)) };
  const reached = await attempt(reach(connect(target), 'connect', withinMs));
  if (reached !== null) return { trouble: troubleOf(reached), detail: reached.message };
  return url.protocol === 'https:'
    ? diagnoseSecure(url, target, tls, withinMs)
    : diagnosePlain(url, target, withinMs);
}

/** Without a scheme it is in plain text. */
export const addressOf = (host: string): string => (/^https?:\/\//.test(host) ? host : `http://${host}`);

interface Target {
  readonly host: string;
  readonly port: number;
}

async function diagnoseSecure(
  url: URL,
  target: Target,
  tls: TlsFiles,
  withinMs: number,
): Promise<EtcdDiagnosis> {
  const failure = await attempt(reach(connectSecurely({ ...target, ...tls }), 'secureConnect', withinMs));
  const answer = failure === null ? await versionOf(url, tls, withinMs) : failure;
  if (!(answer instanceof Error)) return ofVersion(answer);
  const plain = new URL(url);
  plain.protocol = 'http:';
  plain.port = `${target.port}`;
  if (!((await versionOf(plain, {}, withinMs)) instanceof Error)) {
    return { trouble: 'needs-http', detail: 'It does not speak TLS.' };
  }
  return { trouble: 'tls', detail: answer.message };
}

async function diagnosePlain(url: URL, target: Target, withinMs: number): Promise<EtcdDiagnosis> {
  const answer = await versionOf(url, {}, withinMs);
  if (!(answer instanceof Error)) return ofVersion(answer);
  // Whoever it is and whom it trusts does not matter here, only that it greets.
  const secured = connectSecurely({ ...target, rejectUnauthorized: false });
  if ((await attempt(reach(secured, 'secureConnect', withinMs))) === null) {
    return { trouble: 'needs-https', detail: 'It speaks TLS.' };
  }
  return { trouble: 'not-etcd', detail: answer.message };
}

function ofVersion(answer: string): EtcdDiagnosis {
  if (answer.includes('"etcdserver"')) return { trouble: 'no-majority', detail: answer };
  return { trouble: 'not-etcd', detail: 'It has no /version of etcd.' };
}

/** What the endpoint answers to `GET /version`, or why it does not. */
async function versionOf(url: URL, tls: TlsFiles, withinMs: number): Promise<string | Error> {
  const get = url.protocol === 'https:' ? getSecurely : getPlainly;
  const signal = AbortSignal.timeout(withinMs);
  try {
    const request = get(new URL('/version', url), { ...tls, signal, agent: false });
    const [response] = await once(request, 'response', { signal });
    let body = '';
    for await (const chunk of response) body = `${body}${chunk}`.slice(0, 1000);
    // A server that speaks TLS answers a plain request in plain text, to say so.
    return body.includes('HTTP request to an HTTPS server') ? new Error(body.trim()) : body;
  } catch (error) {
    return error as Error;
  }
}

async function reach(socket: Socket, event: 'connect' | 'secureConnect', withinMs: number): Promise<void> {
  try {
    await once(socket, event, { signal: AbortSignal.timeout(withinMs) });
  } finally {
    socket.on('error', () => {});
    socket.destroy();
  }
}

async function attempt(action: Promise<void>): Promise<NodeJS.ErrnoException | null> {
  try {
    await action;
    return null;
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}

function troubleOf({ code }: NodeJS.ErrnoException): EtcdTrouble {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'name-not-found';
  return code === 'ECONNREFUSED' ? 'refused' : 'timeout';
}

const defaultPort = ({ protocol }: URL): string => (protocol === 'https:' ? '443' : '80');
