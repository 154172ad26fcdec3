/** Suites for electors of which a process holds many over one session of a coordinator. */

import { randomUUID } from 'node:crypto';
import type { Elector, NodeId } from '@hustings/elector';
import type { Invariants, Machine, MachineTypes, Protocol } from '@hustings/elector/protocol';
import { createElector, memoryStorage, runMachine } from '@hustings/runtime';
import {
  type AnyMachine,
  type AnyProtocol,
  defaultSwarm,
  judge,
  parseSchedule,
  run,
  type Service,
  Simulation,
  type Subject,
  scheduleOfSeed,
} from '@hustings/simulator';
import type { SharedTransport, Transport } from '@hustings/transport';
import { MemoryNetwork } from '@hustings/transport/memory';
import { describe, expect, it } from 'vitest';
import type { ElectorCluster } from './elector-subject.js';
import { electorConformance } from './suites.js';

// ---- The contract of electors, while others share the session ------------------------------------------------

export interface SessionSubject<Types extends MachineTypes, ServerTypes extends MachineTypes> {
  /** The name under which the coordinator is reached. */
  readonly coordinator: NodeId;
  /** Of one election of those that share a prefix. */
  protocolOf(prefix: string, election: string): Protocol<Types>;
  share(transport: Transport<Types['message']>, prefix: string): SharedTransport<Types['message']>;
  simulated(): Machine<ServerTypes>;
  /** To the real server. */
  connect(id: NodeId): Transport<Types['message']>;
}

/** Registers the suite of electors over sessions, on a simulated server and on a real one. */
export function describeSessions<
  Types extends MachineTypes,
  ServerTypes extends MachineTypes & Pick<Types, 'message'>,
>(subject: SessionSubject<Types, ServerTypes>): void {
  const { coordinator } = subject;
  const { algorithm, guarantees } = subject.protocolOf('any', 'any');
  electorConformance({
    name: `${algorithm} over sessions on a simulated server`,
    guarantees,
    async open(ids) {
      const network = new MemoryNetwork<Types['message']>();
      const server = await runMachine({
        machine: subject.simulated(),
        transport: network.transport(coordinator, ids),
        storage: memoryStorage(),
      });
      const { create, close } = overSessions(subject, (id) => network.transport(id, [coordinator]));
      return {
        create,
        async close() {
          await close?.();
          await server.stop();
        },
      };
    },
  });
  electorConformance({
    name: `${algorithm} over sessions on a real server`,
    guarantees,
    open: () => overSessions(subject, (id) => subject.connect(id)),
  });
}

/** Each node is a process with a session; beside the election that is looked at, two others are held. */
function overSessions<Types extends MachineTypes, ServerTypes extends MachineTypes>(
  subject: SessionSubject<Types, ServerTypes>,
  transportOf: (id: NodeId) => Transport<Types['message']>,
): ElectorCluster {
  type Session = SharedTransport<Types['message']>;
  const prefix = `conformance-${randomUUID()}`;
  const sessions = new Map<NodeId, Session>();
  const others: Elector[] = [];
  const open = (session: Session, election: string): Elector =>
    createElector({
      protocol: subject.protocolOf(prefix, election),
      transport: session.transport(election),
      storage: memoryStorage(),
    });

  function sessionOf(id: NodeId): Session {
    const known = sessions.get(id);
    if (known !== undefined) return known;
    const session = subject.share(transportOf(id), prefix);
    sessions.set(id, session);
    for (const election of ['beside', 'besides']) {
      const elector = open(session, election);
      others.push(elector);
      void elector.start().then(() => elector.campaign().catch(() => {}));
    }
    return session;
  }

  return {
    create: (id) => open(sessionOf(id), 'watched'),
    async close() {
      await Promise.all(others.map((elector) => elector.stop()));
      await Promise.all([...sessions.values()].map((session) => session.stop()));
    },
  };
}

// ---- Whole processes, simulated ------------------------------------------------------------------------------

export interface SimulatedSessions<State> {
  /** What people call the coordinator. */
  readonly server: string;
  readonly service: () => Service;
  readonly invariants: Invariants<State>;
  protocolOf(elections: readonly string[], spokenFor: string): AnyProtocol<State>;
}

const everyone = 'nodes n1 n2 n3 n4 n5\nlatency 1 20\nrun 20000\n';
const elections = ['a', 'b', 'c'];
const storySeeds = [0, 1, 2];

const storiesOn = (server: string): Readonly<Record<string, string>> => ({
  'each settles on one leader': '',
  'each replaces a leader whose process dies': 'at 3000 crash leader',
  'they survive the death of all processes but one':
    'at 3000 crash leader\nat 6000 crash leader\nat 9000 crash leader\nat 12000 crash leader',
  'they settle after a process returns': 'at 3000 crash leader until 9000',
  'they settle after a long pause': 'at 3000 pause leader until 9000',
  [`they replace leaders that are cut off from ${server}`]:
    'at 3000 isolate-from-coordinator leader until 9000',
  'they settle although messages are lost': 'at 500 loss 0.2 until 8000',
  'they settle although messages come twice and out of order':
    'at 0 duplicate 0.3 until 5000\nat 0 reorder until 5000',
  [`they settle when ${server} is gone for a while`]: 'at 3000 coordinator-crash until 8000',
  'they settle when one of them resigns and campaigns again': 'at 3000 graceful leader until 6000',
  'they settle when clocks run at different speeds': 'at 0 clock-drift n1 1.01\nat 0 clock-drift n2 0.99',
});

/** Registers stories of processes with three elections, each of which is spoken for in turn. */
export function describeSessionStories<State>(subject: SimulatedSessions<State>): void {
  describe.each(elections)(
    'given three elections over one session, of which %s is spoken for',
    (spokenFor) => {
      it.each(Object.entries(storiesOn(subject.server)))('%s', (_, faults) => {
        const protocol = subject.protocolOf(elections, spokenFor);
        for (const seed of storySeeds) {
          const { violation } = run(protocol, parseSchedule(`${everyone}seed ${seed}\n${faults}`), {
            ...{ invariants: subject.invariants, promised: protocol.guarantees, settles: true },
            services: [subject.service()],
          });
          expect(violation, `seed ${seed}`).toBeNull();
        }
      });
    },
  );
}

const searchSeeds = 20;

/** Registers a search of each subject, by what it is like. */
export function describeSessionSearch<State>(subjects: Readonly<Record<string, Subject<State>>>): void {
  describe.each(Object.entries(subjects))('elections over one session, %s', (_, subject) => {
    it('keep what they promise under random faults', () => {
      for (let seed = 1; seed <= searchSeeds; seed += 1) {
        const schedule = scheduleOfSeed(subject, defaultSwarm, seed);
        const { violation } = judge(subject, schedule, { maxSteps: 2_000_000 });
        expect(violation, `seed ${seed}`).toBeNull();
      }
    });
  });
}

export interface ObservedSessions<State, ServerState> {
  readonly simulation: Simulation<State>;
  readonly server: () => ServerState;
  /** How often the processes have asked for each kind of thing. */
  readonly asked: ReadonlyMap<string, number>;
}

/** Processes with many elections, and what they ask of their coordinator. */
export function observeSessions<State, ServerTypes extends MachineTypes>(
  protocol: AnyProtocol<State>,
  nodes: readonly NodeId[],
  coordinator: NodeId,
  machine: Machine<ServerTypes>,
): ObservedSessions<State, ServerTypes['state']> {
  const asked = new Map<string, number>();
  let server: ServerTypes['state'] = machine.initialState(coordinator, []);
  const counting: Machine<ServerTypes> = {
    ...machine,
    step(before, input, nowMs) {
      if (input.type === 'received') asked.set(input.message.type, (asked.get(input.message.type) ?? 0) + 1);
      const transition = machine.step(before, input, nowMs);
      [server] = transition;
      return transition;
    },
  };
  const services = [{ id: coordinator, machine: counting as unknown as AnyMachine<unknown> }];
  return { simulation: new Simulation({ protocol, nodes, services, seed: 1 }), server: () => server, asked };
}
