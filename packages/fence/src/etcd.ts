/**
 * Guards keys of etcd: the token is compared in the transaction that writes.
 *
 * @packageDocumentation
 */

import { admit, type Credentials, InvalidOptionError } from '@hustings/elector';
import type { Guard } from './index.js';

/** What is needed of the package `etcd3`: its client, or a namespace of it. */
export interface EtcdClient {
  get(key: string): { exec(): Promise<EtcdRange> };
  put(key: string): { value(value: string): EtcdOperation };
  delete(): { key(key: string): EtcdOperation };
  if(
    key: string,
    column: 'Mod',
    comparison: '==',
    value: number | string,
  ): { then(...operations: EtcdOperation[]): { commit(): Promise<{ succeeded: boolean }> } };
}

export interface EtcdRange {
  readonly kvs: readonly { readonly value: Buffer; readonly mod_revision: string }[];
}

/** One of a transaction's: `client.put('price').value('7')`. */
export interface EtcdOperation {
  op(): Promise<object>;
}

export interface EtcdFenceOptions<Client extends EtcdClient> {
  readonly client: Client;
  /** What is guarded, by a name of your own: the keys that one leader writes to. */
  readonly resource: string;
  /** Under which key the highest token is kept. Default `hustings/fence/<resource>`. */
  readonly key?: string;
}

/** Collects the operations of one write. They are carried out together, after `work` has ended, or not at all. */
export interface EtcdBatch {
  put(key: string, value: string): void;
  delete(key: string): void;
}

export function etcdFence<Client extends EtcdClient>(options: EtcdFenceOptions<Client>): Guard<EtcdBatch> {
  return new Fence(options);
}

type Operation = (client: EtcdClient) => EtcdOperation;

class Fence implements Guard<EtcdBatch> {
  readonly #client: EtcdClient;
  readonly #key: string;

  constructor({ client, resource, key = `hustings/fence/${resource}` }: EtcdFenceOptions<EtcdClient>) {
    if (resource === '') throw new InvalidOptionError('The resource of a fence needs a name; give it one.');
    this.#client = client;
    this.#key = key;
  }

  async run<Result>(credentials: Credentials, work: (batch: EtcdBatch) => Promise<Result>): Promise<Result> {
    await this.#write(credentials, []);
    const operations: Operation[] = [];
    const result = await work({
      put: (key, value) => void operations.push((client) => client.put(key).value(value)),
      delete: (key) => void operations.push((client) => client.delete().key(key)),
    });
    if (operations.length > 0) await this.#write(credentials, operations);
    return result;
  }

  async #write(credentials: Credentials, operations: readonly Operation[]): Promise<void> {
    // It is repeated only when another leader has raised the fence in between, and then it is usually refused.
    while (!(await this.#tryToWrite(credentials, operations)));
  }

  /** False when the fence has changed since it was read. */
  async #tryToWrite(credentials: Credentials, operations: readonly Operation[]): Promise<boolean> {
    const [seen] = (await this.#client.get(this.#key).exec()).kvs;
    const highest = seen === undefined ? null : read(seen.value);
    admit(credentials, highest);
    const isNewer = highest?.token !== credentials.token;
    const raise: Operation = (client) => client.put(this.#key).value(write(credentials));
    const all = (isNewer ? [raise, ...operations] : operations).map((operation) => operation(this.#client));
    if (all.length === 0) return true;
    // A key that is not there has the revision 0.
    const unchanged = this.#client.if(this.#key, 'Mod', '==', seen?.mod_revision ?? 0);
    return (await unchanged.then(...all).commit()).succeeded;
  }
}

/** The token first, which has no space in it. */
const write = ({ token, holder }: Credentials): string => `${token} ${holder}`;

function read(value: Buffer): Credentials {
  const [token = '', ...holder] = value.toString().split(' ');
  return { token: BigInt(token), holder: holder.join(' ') };
}
