// Garcia-Molina's own order of things: a node that comes up calls an election at once.
import { type Me, outranks, sketch } from '@hustings/classroom';
import type { Bully, BullyMessage } from '../../exercises/05-bully/types.js';

const T = 50;

const stronger = (me: Me<Bully>) => me.peers.filter((peer) => outranks(peer, me.id));
const say = (me: Me<Bully>, to: string | readonly string[], type: BullyMessage['type']) =>
  me.send(to, { type, epoch: me.state.epoch });

export default sketch<Bully>({
  state: { phase: 'idle', leader: null, epoch: 0 },

  start(me) {
    if (me.saved !== null) me.state.epoch = me.saved.epoch;
    elect(me);
  },

  message(me, from, { type, epoch }) {
    if (epoch > me.state.epoch) {
      me.state.epoch = epoch;
      me.save({ epoch });
    }
    const fromAbove = outranks(from, me.id);
    if (type === 'answer' && me.state.phase === 'asking') {
      me.state.phase = 'answered';
      me.stopWaiting('answer');
      me.wait('coordinator', 4 * T);
    }
    if (type === 'election' && !fromAbove) {
      say(me, from, 'answer');
      if (me.state.leader === me.id) say(me, from, 'heartbeat');
      else if (me.state.leader === null && me.state.phase === 'idle') elect(me);
      else if (me.state.leader !== null) {
        // Perhaps it knows something that we do not.
        elect(me);
      }
    }
    if (type !== 'coordinator' && type !== 'heartbeat') return;
    if (!fromAbove) {
      if (me.state.phase === 'idle') elect(me);
      return;
    }
    if (me.state.leader !== from) me.follow(from, BigInt(epoch));
    Object.assign(me.state, { leader: from, phase: 'idle' });
    for (const timer of ['answer', 'coordinator', 'heartbeat'] as const) me.stopWaiting(timer);
    me.wait('leader', [220, 320]);
  },

  timer(me, timer) {
    if (timer === 'heartbeat') {
      say(me, me.peers, 'heartbeat');
      me.wait('heartbeat', 50);
    } else if (timer === 'answer') {
      Object.assign(me.state, { phase: 'idle', leader: me.id, epoch: me.state.epoch + 1 });
      me.save({ epoch: me.state.epoch });
      say(me, me.peers, 'coordinator');
      me.lead(BigInt(me.state.epoch));
      me.wait('heartbeat', 50);
    } else elect(me);
  },
});

function elect(me: Me<Bully>) {
  if (me.state.phase === 'asking') return;
  Object.assign(me.state, { phase: 'asking', leader: null });
  me.follow(null);
  me.stopWaiting('heartbeat');
  me.stopWaiting('leader');
  say(me, stronger(me), 'election');
  me.wait('answer', 2 * T);
}
