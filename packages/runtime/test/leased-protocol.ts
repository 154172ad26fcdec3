import type { Effect, Protocol } from '@hustings/elector/protocol';

export interface LeaseSettings {
  readonly leaseMs: number;
  readonly renewEveryMs: number;
}

type Renewal = { readonly type: 'never-sent' };
type State = { readonly leading: boolean };
interface LeasedTypes {
  readonly state: State;
  readonly message: Renewal;
  readonly durable: null;
  readonly timer: 'renew';
  readonly request: never;
  readonly announcement: never;
}

/** A node alone that leads whenever it is asked to, under a lease that it must keep renewing. */
export function leasedProtocol({ leaseMs, renewEveryMs }: LeaseSettings): Protocol<LeasedTypes> {
  const renew: readonly Effect<LeasedTypes>[] = [
    { type: 'lead', token: 1n, validForMs: leaseMs },
    { type: 'set-timer', timer: 'renew', delayMs: [renewEveryMs, renewEveryMs] },
  ];
  return {
    algorithm: 'leased',
    variant: 'default',
    guarantees: {
      atMostOneLeader: true,
      monotonicTokens: false,
      toleratesPartition: true,
      orderedSuccession: true,
      targetedTransfer: false,
      leased: true,
      assumptions: [],
    },
    periodicMessages: new Set(),
    initialState: () => ({ leading: false }),
    step(state, input) {
      switch (input.type) {
        case 'campaign-requested':
          return [{ leading: true }, renew];
        case 'timer-fired':
          return state.leading ? [state, renew] : [state, []];
        case 'resign-requested':
          return [{ leading: false }, [{ type: 'step-down', reason: 'resigned' }]];
        case 'lease-expired':
          return [{ leading: false }, [{ type: 'step-down', reason: 'lease-expired' }]];
        default:
          return [state, []];
      }
    },
    decodeMessage: () => ({ type: 'never-sent' }),
    decodeDurable: () => null,
  };
}
