import { type Me, outranks, sketch } from '@hustings/classroom';
import type { Bully } from './types.js';

/** The longest that a message takes. */
const maxDelayMs = 50;
const heartbeatMs = 50;
/** How long a follower lets the leader be silent: drawn anew each time, so that not all notice at once. */
const leaderTimeoutMs = [200, 300] as const;

export default sketch<Bully>({
  state: { phase: 'idle', leader: null, epoch: 0 },

  /** The node comes up, for the first time or after a crash. */
  start(me) {
    me.wait('leader', leaderTimeoutMs);
  },

  message(me, from, message) {
    switch (message.type) {
      case 'election':
        break;
      case 'answer':
        break;
      case 'coordinator':
      case 'heartbeat':
        break;
    }
  },

  timer(me, timer) {
    switch (timer) {
      case 'leader':
        callElection(me);
        break;
      case 'answer':
        break;
      case 'coordinator':
        break;
      case 'heartbeat':
        break;
    }
  },
});

function callElection(me: Me<Bully>): void {
  const stronger = me.peers.filter((peer) => outranks(peer, me.id));
  me.send(stronger, { type: 'election', epoch: me.state.epoch });
  me.wait('answer', 2 * maxDelayMs);
}

// You will need `heartbeatMs`, too.
void heartbeatMs;
