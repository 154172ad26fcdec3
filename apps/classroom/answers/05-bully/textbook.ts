import { type Me, outranks, sketch } from '@hustings/classroom';
import type { Bully } from '../../exercises/05-bully/types.js';

const maxDelayMs = 50;
const heartbeatMs = 50;
const leaderTimeoutMs = [200, 300] as const;

export default sketch<Bully>({
  state: { phase: 'idle', leader: null, epoch: 0 },

  start(me) {
    me.state.epoch = me.saved?.epoch ?? 0;
    me.wait('leader', leaderTimeoutMs);
  },

  message(me, from, message) {
    me.state.epoch = Math.max(me.state.epoch, message.epoch);
    switch (message.type) {
      case 'election':
        if (outranks(from, me.id)) return;
        me.send(from, { type: 'answer', epoch: me.state.epoch });
        if (me.leading) me.send(from, { type: 'coordinator', epoch: me.state.epoch });
        else if (me.state.phase === 'idle') callElection(me);
        return;
      case 'answer':
        if (me.state.phase !== 'asking') return;
        me.state.phase = 'answered';
        me.stopWaiting('answer');
        me.wait('coordinator', 3 * maxDelayMs);
        return;
      case 'coordinator':
      case 'heartbeat':
        if (outranks(from, me.id)) follow(me, from);
        else if (me.state.phase === 'idle') callElection(me);
    }
  },

  timer(me, timer) {
    switch (timer) {
      case 'leader':
      case 'coordinator':
        return callElection(me);
      case 'answer':
        return becomeLeader(me);
      case 'heartbeat':
        if (me.leading) sendHeartbeat(me);
    }
  },
});

function callElection(me: Me<Bully>): void {
  me.follow(null);
  me.state.leader = null;
  me.state.phase = 'asking';
  me.stopWaiting('leader');
  me.send(
    me.peers.filter((peer) => outranks(peer, me.id)),
    { type: 'election', epoch: me.state.epoch },
  );
  me.wait('answer', 2 * maxDelayMs);
}

function becomeLeader(me: Me<Bully>): void {
  me.state.phase = 'idle';
  me.state.leader = me.id;
  me.state.epoch += 1;
  me.save({ epoch: me.state.epoch });
  me.lead(BigInt(me.state.epoch));
  me.send(me.peers, { type: 'coordinator', epoch: me.state.epoch });
  me.wait('heartbeat', heartbeatMs);
}

function sendHeartbeat(me: Me<Bully>): void {
  me.send(me.peers, { type: 'heartbeat', epoch: me.state.epoch });
  me.wait('heartbeat', heartbeatMs);
}

function follow(me: Me<Bully>, leader: string): void {
  if (me.state.leader !== leader) me.follow(leader);
  me.state.leader = leader;
  me.state.phase = 'idle';
  me.stopWaiting('answer');
  me.stopWaiting('coordinator');
  me.wait('leader', leaderTimeoutMs);
}
