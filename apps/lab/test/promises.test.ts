/** What each algorithm promises, in many random runs: the search, with fixed seeds. */

import { withSubject } from '@hustings/catalogue';
import {
  type AnyProtocol,
  atMostOneLeader,
  defaultSwarm,
  judge,
  type Schedule,
  type Subject,
  type Swarm,
  scheduleOfSeed,
  type Violation,
} from '@hustings/simulator';
import { describe, expect, it } from 'vitest';

const seeds = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const anySize: Swarm = { ...defaultSwarm, nodes: [1, 9] };

interface Finding {
  readonly seed: number;
  readonly schedule: Schedule;
  readonly violation: Violation | null;
}

type Alteration = <State>(protocol: AnyProtocol<State>) => AnyProtocol<State>;

function* findings(
  algorithm: string,
  variant: string,
  count: number,
  { swarm = defaultSwarm, alter }: { readonly swarm?: Swarm; readonly alter?: Alteration } = {},
): Generator<Finding> {
  yield* withSubject(algorithm, variant, function* <State>(subject: Subject<State>): Generator<Finding> {
    const altered = alter === undefined ? subject : alteredSubject(subject, alter);
    for (const seed of seeds(count)) {
      const schedule = scheduleOfSeed(altered, swarm, seed);
      yield { seed, schedule, violation: judge(altered, schedule).violation };
    }
  });
}

function alteredSubject<State>(subject: Subject<State>, alter: Alteration): Subject<State> {
  const { protocol, withSettings } = subject;
  return {
    ...subject,
    protocol: alter(protocol),
    ...(withSettings && { withSettings: (settings) => alteredSubject(withSettings(settings), alter) }),
  };
}

/** Asks whichever member it is connected to, which may have lost touch with the ensemble. */
const takingReadsForProofs: Alteration = (protocol) => ({
  ...protocol,
  step(state, input, nowMs) {
    const isAnswer = input.type === 'received' && input.message.type === 'pong';
    const proof = isAnswer ? { ...input, message: { ...input.message, type: 'proven' } } : input;
    const [after, effects] = protocol.step(state, proof, nowMs);
    return [
      after,
      effects.map((effect) =>
        effect.type === 'send' && effect.message.type === 'prove'
          ? { ...effect, message: { ...effect.message, type: 'ping' } }
          : effect,
      ),
    ];
  },
});

/** Says yes to everybody, and remembers only the first: no state of any node shows it. */
const grantingEveryVote: Alteration = (protocol) => ({
  ...protocol,
  step(state, input, nowMs) {
    const [after, effects] = protocol.step(state, input, nowMs);
    return [
      after,
      effects.map((effect) =>
        effect.type === 'send' && effect.message.type === 'vote-reply'
          ? { ...effect, message: { ...effect.message, granted: true } }
          : effect,
      ),
    ];
  },
});

describe.each([
  ['raft', 'default', 800],
  ['raft', 'no-pre-vote', 100],
  ['raft', 'certificates', 200],
  ['etcd', 'default', 300],
  ['lease', 'default', 300],
  ['lease', 'certificates', 100],
  ['etcd', 'race', 100],
  ['etcd', 'heirs', 100],
  ['etcd', 'certificates', 100],
  ['etcd', 'heirs-certificates', 100],
  ['zookeeper', 'default', 300],
  ['zookeeper', 'herd', 100],
  ['zookeeper', 'certificates', 100],
])('%s (%s) under random faults', (algorithm, variant, count) => {
  it(`keeps every promise in ${count} runs`, { timeout: 240_000 }, () => {
    for (const { seed, violation } of findings(algorithm, variant, count)) {
      expect(violation, `seed ${seed}`).toBeNull();
    }
  });
});

describe.each(['default', 'chang-roberts'])('ring (%s) of one to nine nodes, in any order', (variant) => {
  it('settles on one leader once all faults have healed, whatever led meanwhile', {
    timeout: 120_000,
  }, () => {
    for (const { seed, violation } of findings('ring', variant, 1200, { swarm: anySize })) {
      expect([undefined, atMostOneLeader], `seed ${seed}`).toContain(violation?.property);
    }
  });
});

describe('bully of one to nine nodes', () => {
  it('settles on one leader once all faults have healed, whatever led meanwhile', {
    timeout: 120_000,
  }, () => {
    for (const { seed, violation } of findings('bully', 'default', 1200, { swarm: anySize })) {
      expect([undefined, atMostOneLeader], `seed ${seed}`).toContain(violation?.property);
    }
  });
});

describe('plain Raft, which has no leases', () => {
  it('has one leader in a term and settles on one, whatever else led meanwhile', { timeout: 120_000 }, () => {
    for (const { seed, violation } of findings('raft', 'plain', 300)) {
      expect([undefined, atMostOneLeader], `seed ${seed}`).toContain(violation?.property);
    }
  });
});

describe('a Raft node that granted every vote', () => {
  it('would be seen by its history', { timeout: 120_000 }, () => {
    const properties = new Set<string | undefined>();
    for (const { violation } of findings('raft', 'default', 100, { alter: grantingEveryVote })) {
      properties.add(violation?.property);
    }
    expect(properties).toContain('one vote a term, ever');
  });
});

describe('a ZooKeeper elector that took the answer of one member for a proof', () => {
  it('would be seen to elect two leaders', { timeout: 240_000 }, () => {
    const properties = new Set<string | undefined>();
    for (const { violation } of findings('zookeeper', 'default', 600, { alter: takingReadsForProofs })) {
      properties.add(violation?.property);
      if (properties.has(atMostOneLeader)) break;
    }
    expect(properties).toContain(atMostOneLeader);
  });
});
