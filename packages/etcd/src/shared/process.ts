/** A whole process with several elections over one session, as one protocol for the simulator. */

import type { Invariants, Protocol } from '@hustings/elector/protocol';
import {
  eventuallyOfEach,
  firstFinding,
  invariantsOfEach,
  type ProcessState as ProcessStateOf,
  type ProcessTypes as ProcessTypesOf,
  sessionProcess,
} from '@hustings/elector/sessions';
import { etcd } from '../etcd.js';
import { invariants } from '../invariants.js';
import { defaultSettings, type EtcdSettings, type EtcdState, initialState } from '../state.js';
import type { EtcdTypes } from '../transition.js';
import {
  defaultShared,
  initialShared,
  type SharedInput,
  type SharedSettings,
  type SharedState,
} from './state.js';
import { step } from './step.js';

export type ProcessState = ProcessStateOf<EtcdState, SharedState>;

export type SharedEtcdProtocol = Protocol<ProcessTypesOf<EtcdTypes, SharedState>>;

export interface SharedEtcdSettings extends Omit<EtcdSettings, 'succession'> {
  readonly elections: readonly string[];
  readonly spokenFor: string;
  readonly keysPerLease: number;
  readonly writesAtOnce: number;
  readonly auditMs: number;
}

/** `name` is what the names of all elections begin with. */
export function sharedEtcd(given: Partial<SharedEtcdSettings> = {}): SharedEtcdProtocol {
  const { elections = ['a', 'b', 'c'], spokenFor = elections[0] ?? 'a', ...others } = given;
  const { keysPerLease = 2, writesAtOnce = 2, auditMs = 3000, ...rest } = others;
  const settings: EtcdSettings = { ...defaultSettings, ...rest, succession: 'queue' };
  const { name, ttlSeconds, requestTimeoutMs, retryMs, coordinator } = settings;
  const shared: SharedSettings = {
    ...{ ...defaultShared, prefix: `${name}/`, ttlSeconds, requestTimeoutMs, retryMs, coordinator },
    ...{ keysPerLease, writesAtOnce, auditMs },
  };
  return sessionProcess({
    protocol: etcd(settings),
    ...{ elections, spokenFor, coordinator },
    stateOf: (id, election) => initialState(id, { ...settings, name: `${name}/${election}` }),
    shared: initialShared(shared),
    stepShared: (state: SharedState, input, nowMs) => step(state, input as SharedInput, nowMs),
  });
}

const ofEach = invariantsOfEach<EtcdState, SharedState>(invariants);

/** Those of every election, and what the session owes them. */
export const sharedInvariants: Invariants<ProcessState> = {
  ofOneState: {
    ...ofEach.ofOneState,
    'no two elections have one share': ({ shared }) => {
      const shares = shared.locals.flatMap((part) =>
        Object.values(part).flatMap(({ share }) => (share === null ? [] : [share.id])),
      );
      return new Set(shares).size === shares.length ? null : shares.join(' ');
    },
    'no more writes are under way than may be': ({ shared: { sent, settings } }) =>
      // An election may have a candidacy to end and another to begin.
      sent.length <= 2 * settings.writesAtOnce ? null : `${sent.length}`,
  },
  ofTwoStates: {
    ...ofEach.ofTwoStates,
    'a lease never counts from earlier than before': (before, after) =>
      firstFinding(after.shared.leases, ({ id, renewedMs }) => {
        const earlier = before.shared.leases.find((lease) => lease.id === id);
        return earlier !== undefined && renewedMs < earlier.renewedMs
          ? `${id} went back to ${renewedMs}`
          : null;
      }),
  },
  eventually: eventuallyOfEach<EtcdState, SharedState>(({ phase }) => phase === 'leading'),
};
