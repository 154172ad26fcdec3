import type { Finding, Invariants, NodeView } from '@hustings/elector/protocol';
import type { ZooKeeperState } from './state.js';
import { sequenceOf } from './znodes.js';

export const invariants: Invariants<ZooKeeperState> = {
  ofOneState: {
    'a leader has a session and a znode of its own, and is told to lead': ({
      id,
      leading,
      session,
      own,
      told,
    }) =>
      !leading || (session !== null && own !== null && told === 'leading')
        ? null
        : `${id} leads with znode ${own?.name} of session ${session?.id} and was told ${told}`,
    'only a leader is told to lead': ({ id, leading, told }) =>
      leading || told !== 'leading' ? null : `${id} was`,
    'only a healthy node that stands leads': ({ id, leading, standing, healthy }) =>
      !leading || (standing && healthy) ? null : `${id} leads`,
    'whoever resigns leads no more and holds no place': ({ id, owesStepDown, leading, own }) =>
      owesStepDown && (leading || own !== null) ? `${id} does` : null,
    'a znode is of a session': ({ id, session, own }) =>
      own === null || session !== null ? null : `${id} holds ${own.name} without one`,
    'a leader waits for nothing but its connection and the watch on its znode': ({
      id,
      leading,
      awaited,
      own,
    }) =>
      !leading || awaited === null || awaited.what === 'connect' || awaited.name === own?.name
        ? null
        : `${id} waits for ${awaited.what}`,
  },
  ofTwoStates: {
    'what is proven of a session stays proven': (before, after) =>
      before.session !== null &&
      before.session.id === after.session?.id &&
      after.session.provenMs < before.session.provenMs
        ? `${after.id} went back to ${after.session.provenMs}`
        : null,
    'a leader keeps its token': (before, after) =>
      before.leading && after.leading && before.own?.czxid !== after.own?.czxid
        ? `${after.id} went from ${before.own?.czxid} to ${after.own?.czxid}`
        : null,
    'nobody begins to lead with a token at or below one that it has seen': (before, after) =>
      !before.leading && after.leading && (after.own?.czxid ?? 0) <= before.floor
        ? `${after.id} leads with ${after.own?.czxid} after ${before.floor}`
        : null,
    'a place that was given up is never taken again': (before, after) =>
      before.own === null &&
      after.own !== null &&
      before.session?.id === after.session?.id &&
      before.queue.includes(after.own.name) &&
      before.session?.attempt !== after.session?.attempt
        ? `${after.id} took ${after.own.name} again`
        : null,
  },
  eventually: { 'the first in the queue leads': theFirstLeads },
};

function theFirstLeads(nodes: readonly NodeView<ZooKeeperState>[]): Finding {
  const inLine = nodes
    .filter(({ running, state }) => running && state.own !== null)
    .sort((a, b) => (sequenceOf(a.state.own!.name) < sequenceOf(b.state.own!.name) ? -1 : 1));
  const pretender = inLine.find(({ leading }, place) => leading !== (place === 0));
  return pretender === undefined
    ? null
    : `${pretender.id} ${pretender.leading ? 'leads' : 'does not lead'} with ${pretender.state.own!.name}`;
}
