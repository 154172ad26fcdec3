/**
 * Guards for what a leader writes to. An election cannot stop a leader that was paused or cut off from writing after its
 * time; the resource can, by refusing old tokens. Each guard does so for one kind of resource, by one rule, which is
 * that of `FencedStore`: a token lower than the highest seen is refused, and so is a second holder of an equal one.
 *
 * `@hustings/fence/postgres`, `/redis`, `/etcd`, `/http` and `/file` hold the guards.
 *
 * @packageDocumentation
 */
import type { Credentials } from '@hustings/elector';

/** Lets the newest leader in and nobody else. What `work` is given differs with the resource. */
export interface Guard<Access> {
  /**
   * Runs `work` if these credentials are the newest; throws `StaleTokenError`, and changes nothing, if they are not, or
   * no longer are. A Leadership is credentials. Nothing that `work` does through its `access` takes effect after a newer
   * leader's work has begun.
   */
  run<Result>(credentials: Credentials, work: (access: Access) => Promise<Result>): Promise<Result>;
}

export { type Credentials, StaleTokenError } from '@hustings/elector';
