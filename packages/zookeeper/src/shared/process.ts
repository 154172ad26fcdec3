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
import { invariants } from '../invariants.js';
import { defaultSettings, initialState, type ZooKeeperSettings, type ZooKeeperState } from '../state.js';
import type { ZooKeeperTypes } from '../transition.js';
import { zookeeper } from '../zookeeper.js';
import {
  defaultShared,
  initialShared,
  type SharedInput,
  type SharedSettings,
  type SharedState,
} from './state.js';
import { step } from './step.js';

export type ProcessState = ProcessStateOf<ZooKeeperState, SharedState>;

export type SharedZooKeeperProtocol = Protocol<ProcessTypesOf<ZooKeeperTypes, SharedState>>;

export interface SharedZooKeeperSettings extends Omit<ZooKeeperSettings, 'deathCertificates'> {
  readonly elections: readonly string[];
  readonly spokenFor: string;
  readonly requestsAtOnce: number;
  readonly auditMs: number;
}

/** `path` is what the paths of all elections begin with. */
export function sharedZooKeeper(given: Partial<SharedZooKeeperSettings> = {}): SharedZooKeeperProtocol {
  const { elections = ['a', 'b', 'c'], spokenFor = elections[0] ?? 'a', ...others } = given;
  const { requestsAtOnce = 2, auditMs = 3000, ...rest } = others;
  const settings: ZooKeeperSettings = { ...defaultSettings, ...rest };
  const { path, sessionTimeoutMs, requestTimeoutMs, coordinator } = settings;
  const shared: SharedSettings = {
    ...{ ...defaultShared, prefix: path, sessionTimeoutMs, requestTimeoutMs, coordinator },
    ...{ requestsAtOnce, auditMs },
  };
  return sessionProcess({
    protocol: zookeeper(settings),
    ...{ elections, spokenFor, coordinator },
    stateOf: (id, election) => initialState(id, { ...settings, path: `${path}/${election}` }),
    shared: initialShared(shared),
    stepShared: (state: SharedState, input, nowMs) => step(state, input as SharedInput, nowMs),
  });
}

const ofEach = invariantsOfEach<ZooKeeperState, SharedState>(invariants);

/** Those of every election, and what the session owes them. */
export const sharedInvariants: Invariants<ProcessState> = {
  ofOneState: {
    ...ofEach.ofOneState,
    'no election takes more for proven than the session has': ({ elections, shared }) =>
      firstFinding(Object.entries(elections), ([election, { session }]) =>
        session === null || session.id !== shared.session?.id || session.provenMs <= shared.session.provenMs
          ? null
          : `${election} takes it to be proven at ${session.provenMs}, not ${shared.session.provenMs}`,
      ),
    'those who joined and those who wait are counted': ({ shared: { locals, joined, waiting } }) => {
      const all = locals.flatMap((part) => Object.values(part));
      const found = [all.filter((local) => local.joined).length, all.filter(({ waits }) => waits).length];
      return found.join() === `${joined},${waiting}` ? null : `${found} are not ${joined} and ${waiting}`;
    },
  },
  ofTwoStates: ofEach.ofTwoStates,
  eventually: eventuallyOfEach<ZooKeeperState, SharedState>(({ leading }) => leading),
};
