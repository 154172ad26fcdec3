/** One connection to etcd for many elections. What is shared, and why that is safe, is in `shared/state.ts`. */

import { type SharedTransport, shareTransport, type Transport } from '@hustings/transport';
import type { EtcdMessage } from './messages.js';
import {
  defaultShared,
  initialShared,
  type SharedInput,
  type SharedSettings,
  type SharedState,
} from './shared/state.js';
import { step } from './shared/step.js';

export interface SharedGatewayOptions {
  /** To etcd: `etcdGateway({ … })`. The shared one starts it and stops it. */
  readonly transport: Transport<EtcdMessage>;
  /** What the names of all elections begin with: election `a` has the keys below `<name>/a/`. */
  readonly name: string;
  readonly settings?: Partial<Omit<SharedSettings, 'prefix'>>;
}

export type SharedGateway = SharedTransport<EtcdMessage>;

export function sharedGateway({ transport, name, settings = {} }: SharedGatewayOptions): SharedGateway {
  const complete: SharedSettings = { ...defaultShared, ...settings, prefix: `${name}/` };
  return shareTransport({
    transport,
    coordinator: complete.coordinator,
    state: initialShared(complete),
    step: (state: SharedState, input, nowMs) => step(state, input as SharedInput, nowMs),
  });
}
