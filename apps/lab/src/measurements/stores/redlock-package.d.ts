/** What is used of the package `redlock` 4, which brings no types. */
declare module 'redlock' {
  export interface Lock {
    extend(ttlMs: number): Promise<Lock>;
    unlock(): Promise<void>;
  }

  export default class Redlock {
    constructor(clients: readonly object[], options: { readonly retryCount: number });
    lock(resource: string, ttlMs: number): Promise<Lock>;
    on(event: 'clientError', listener: () => void): this;
  }
}
