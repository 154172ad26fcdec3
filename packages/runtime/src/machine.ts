import type { Machine, MachineTypes } from '@hustings/elector/protocol';
import type { Transport } from '@hustings/transport';
import { type Clock, monotonicClock } from './clock.js';
import { Driver, type Owner } from './driver.js';
import type { Storage } from './storage.js';

export interface MachineOptions<Types extends MachineTypes> {
  readonly machine: Machine<Types>;
  /** Started and stopped with the machine. */
  readonly transport: Transport<Types['message']>;
  /** Closed with the machine. */
  readonly storage: Storage<Types['durable']>;
  readonly clock?: Clock;
  /** From 0 to 1, 1 excluded. Timer delays are drawn with it. */
  readonly random?: () => number;
}

export interface RunningMachine<Request> {
  /** Asks for something that only this machine offers. */
  request(request: Request): void;
  stop(): Promise<void>;
}

/**
 * Runs a machine that takes no part in the election, such as a simulated coordinator. Role effects mean nothing
 * here. Rejects when it cannot start. A later failure ends it and is thrown where nobody catches it.
 */
export async function runMachine<Types extends MachineTypes>(
  options: MachineOptions<Types>,
): Promise<RunningMachine<Types['request']>> {
  const { transport, storage, clock = monotonicClock, random = Math.random } = options;
  const driver = new Driver({ ...options, peers: [], clock, random }, bystander());
  async function stop(): Promise<void> {
    driver.halt();
    await driver.working;
    await transport.stop();
    await storage.close?.();
  }
  try {
    await driver.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { request: (request) => driver.feed({ type: 'requested', request }), stop };
}

function bystander<Types extends MachineTypes>(): Owner<Types> {
  let hasBegun = false;
  return {
    begin() {
      hasBegun = true;
      return [];
    },
    lookAtClock() {},
    changeRole: () => undefined,
    announced() {},
    stepped() {},
    failed(_type, error) {
      if (!hasBegun) return;
      queueMicrotask(() => {
        throw error;
      });
    },
  };
}
