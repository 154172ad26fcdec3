import { type Me, sketch } from '@hustings/classroom';
import type { Lease } from '../../exercises/07-lease-with-a-guard/types.js';

const ttlMs = 1000;
const maxDriftRate = 0.02;

export default sketch<Lease>({
  services: ['store'],
  state: { token: null },

  start: (me) => ask(me),

  message(me, _from, message) {
    if (message.type === 'granted') {
      // The store's clock may run fast, and ours slow; and it began to count before we heard of it.
      const guardedMs = (message.ttlMs * (1 - maxDriftRate)) / (1 + maxDriftRate);
      const validForMs = guardedMs - (me.nowMs - message.askedMs);
      if (validForMs <= 0) return;
      me.state.token = message.token;
      me.lead(BigInt(message.token), validForMs);
      me.stopWaiting('ask');
      me.wait('renew', ttlMs / 5);
    } else if (message.type === 'refused') {
      me.state.token = null;
      me.stopWaiting('renew');
      me.follow(message.holder === me.id ? null : message.holder);
      me.wait('ask', [100, 200]);
    }
  },

  timer(me, timer) {
    if (timer === 'ask' || me.state.token === null) return ask(me);
    me.send('store', { type: 'renew', token: me.state.token, ttlMs, askedMs: me.nowMs });
    me.wait('renew', ttlMs / 10);
  },

  expired(me) {
    me.state.token = null;
    me.stopWaiting('renew');
    ask(me);
  },
});

function ask(me: Me<Lease>): void {
  me.send('store', { type: 'acquire', ttlMs, askedMs: me.nowMs });
  me.wait('ask', [100, 200]);
}
