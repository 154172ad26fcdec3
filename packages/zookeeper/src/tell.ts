/** What the driver is told. */

import { followNobody } from '@hustings/elector/protocol';
import { change, isEligible, type ZooKeeperState } from './state.js';
import type { ZooKeeperTransition } from './transition.js';

/** Has the driver believe what this node knows, if it does not yet. A leader has nobody to follow. */
export function tell(state: ZooKeeperState): ZooKeeperTransition {
  const { leader, own } = state;
  // Until it has stepped down, a leader that resigns counts as one.
  if (state.told === 'leading') return [state, []];
  // A token below one that was seen is of a ZooKeeper that has lost data: whoever has it is not believed.
  if (leader !== null && leader.name !== own?.name && leader.czxid >= state.floor) {
    const told = `${leader.czxid}`;
    if (state.told === told) return [state, []];
    return [
      change(state, { told }),
      [{ type: 'follow', leaderId: leader.leaderId, token: BigInt(leader.czxid) }],
    ];
  }
  const seeks = isEligible(state);
  const told = seeks ? 'candidate' : 'nobody';
  if (state.told === told) return [state, []];
  return [change(state, { told }), [seeks ? { type: 'campaign' } : followNobody]];
}
