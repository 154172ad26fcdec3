// Asks for a long lease and uses less of it; renews by one timer that always runs.
import { sketch } from '@hustings/classroom';
import type { Lease } from '../../exercises/07-lease-with-a-guard/types.js';

export default sketch<Lease>({
  services: ['store'],
  state: { token: null },

  start(me) {
    me.wait('ask', [1, 20]);
  },

  message(me, _from, message) {
    if (message.type === 'granted') {
      const leftMs = 0.95 * message.ttlMs - (me.nowMs - message.askedMs);
      if (leftMs > 0) {
        me.state.token = message.token;
        me.lead(BigInt(message.token), leftMs);
      }
    }
    if (message.type === 'refused') {
      me.state.token = null;
      if (message.holder !== me.id) me.follow(message.holder);
    }
  },

  timer(me) {
    const { token } = me.state;
    const asked = { ttlMs: 1100, askedMs: me.nowMs };
    me.send('store', token === null ? { type: 'acquire', ...asked } : { type: 'renew', token, ...asked });
    me.wait('ask', [80, 160]);
  },

  expired(me) {
    me.state.token = null;
  },
});
