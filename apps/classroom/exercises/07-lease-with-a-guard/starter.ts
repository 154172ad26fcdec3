import { sketch } from '@hustings/classroom';
import type { Lease } from './types.js';

const ttlMs = 1000;
/** Every clock runs at 1 − ρ to 1 + ρ times real time. */
const maxDriftRate = 0.02;

export default sketch<Lease>({
  services: ['store'],
  state: { token: null },

  start(me) {
    me.send('store', { type: 'acquire', ttlMs, askedMs: me.nowMs });
    me.wait('ask', [100, 200]);
  },

  message(me, from, message) {
    switch (message.type) {
      case 'granted':
        // me.lead(token, validForMs): the leadership ends by itself after that time.
        break;
      case 'refused':
        break;
    }
  },

  timer(me, timer) {
    // 'ask': ask for the lease again. 'renew': renew the one that this node has.
  },

  /** The time that was given to me.lead is over. */
  expired(me) {},
});

// You will need it.
void maxDriftRate;
