/** One session and connection for many elections. What is shared, and why that is safe, is in `shared/state.ts`. */

import { type SharedTransport, shareTransport, type Transport } from '@hustings/transport';
import type { ZooKeeperMessage } from './messages.js';
import {
  defaultShared,
  initialShared,
  type SharedInput,
  type SharedSettings,
  type SharedState,
} from './shared/state.js';
import { step } from './shared/step.js';

export interface SharedGatewayOptions {
  /** To ZooKeeper: `zookeeperGateway({ … })`. The shared one starts it and stops it. */
  readonly transport: Transport<ZooKeeperMessage>;
  /** What the paths of all elections begin with: election `a` has its znodes in `<path>/a`. */
  readonly path: string;
  readonly settings?: Partial<Omit<SharedSettings, 'prefix'>>;
}

export type SharedGateway = SharedTransport<ZooKeeperMessage>;

export function sharedGateway({ transport, path, settings = {} }: SharedGatewayOptions): SharedGateway {
  const complete: SharedSettings = { ...defaultShared, ...settings, prefix: path };
  return shareTransport({
    transport,
    coordinator: complete.coordinator,
    state: initialShared(complete),
    step: (state: SharedState, input, nowMs) => step(state, input as SharedInput, nowMs),
  });
}
