import type { Protocol } from '@hustings/elector';
import { electorChecks, memoryNetwork, protocolSubject, webSocketNetwork } from '@hustings/testkit';
import { describe, it } from 'vitest';
import { type RaftDurable, type RaftMessage, type RaftState, type RaftTimer, raft } from '../src/index.js';

/** The suite asks for leading only, and gives no requests. */
const protocol = () =>
  raft({ electionTimeoutMs: [150, 250], heartbeatMs: 25 }) as unknown as Protocol<
    RaftState,
    RaftMessage,
    RaftDurable,
    RaftTimer
  >;

/** Stops one of two nodes and waits until the other leads: half of two is no majority, so here it must not. */
const needsNoMajority = 'every process holds its token under a name of its own';

for (const network of [memoryNetwork, webSocketNetwork]) {
  const subject = protocolSubject({ protocol }, network);
  describe(`the elector ${subject.name}`, () => {
    for (const check of electorChecks) {
      if (check.name !== needsNoMajority) it(check.name, () => check.run(subject));
    }
  });
}
