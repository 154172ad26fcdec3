import { type Guarantees, InvalidOptionError } from '@hustings/elector';
import { deathCertificateAssumption, type Protocol } from '@hustings/elector/protocol';
import { decodeDurable, decodeMessage } from './messages.js';
import { checkSettings, defaultSettings, initialState, type LeaseSettings } from './state.js';
import { step } from './step.js';
import type { StoreTraits } from './store.js';
import type { LeaseTypes } from './transition.js';

export type LeaseProtocol = Protocol<LeaseTypes>;

/** What an election on such a store promises: what the store does, and what the protocol adds to it. */
function guaranteesOf({ store, deathCertificates }: LeaseSettings): Guarantees {
  const { clock, guarantees, assumptions } = store;
  return {
    ...guarantees,
    orderedSuccession: false,
    targetedTransfer: false,
    leased: true,
    assumptions: [
      clock === 'store'
        ? "no clock, the store's included, is off by more than driftBound"
        : 'no clock of a node is off by more than driftBound',
      'a process that runs acts on the end of its lease within marginMs',
      ...assumptions,
      ...(deathCertificates ? [deathCertificateAssumption] : []),
    ],
  };
}

/** The lease elector on a store with these traits; what is left out is as in `defaultSettings`. */
export function lease(
  store: StoreTraits,
  settings: Partial<Omit<LeaseSettings, 'store'>> = {},
): LeaseProtocol {
  const checked = checkSettings({ ...defaultSettings, ...settings, store });
  return {
    algorithm: 'lease',
    variant: store.name,
    guarantees: guaranteesOf(checked),
    deathCertificates: checked.deathCertificates,
    periodicMessages: new Set(['renew', 'renewed', 'read', 'found']),
    initialState(id, _peers, incarnation) {
      if (incarnation !== undefined) return initialState(id, checked, incarnation);
      throw new InvalidOptionError(
        'A lease belongs to a process: whoever drives this protocol must name it.',
      );
    },
    step,
    decodeMessage,
    decodeDurable,
  };
}
