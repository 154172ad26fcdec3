import {
  changRoberts,
  defaultSettings,
  invariants,
  type RingProtocol,
  type RingSettings,
  type RingState,
  ring,
} from '@hustings/ring';
import { nodeNames, type Random, type Settings } from '@hustings/simulator';
import type { Algorithm } from '../algorithm.js';
import { absenceOf, portrait, roleOf } from '../portrait.js';
import { heartbeating } from './heartbeating.js';

export const ringElector: Algorithm<RingState> = {
  name: 'ring',
  coordinator: null,
  variants: [
    heartbeating('default', inOrder(ring), defaultSettings),
    heartbeating('chang-roberts', inOrder(changRoberts), defaultSettings),
  ],
  invariants,
  drawSettings,
  portray: (state) =>
    portrait({
      role: state.listening ? 'listens for a leader' : roleOf(state.role, state.leaderId),
      epoch: state.epoch,
      election: state.participant ? 'has seen one go round' : null,
      handed: state.handed.map(({ to, message }) => `${message.type} to ${to}`).join(', '),
      'passes over': [...new Set([...state.unreachable, ...state.silent])].join(', '),
      absence: absenceOf(state),
    }),
};

/** Takes an order in which others are named, too: those that are not there are left out. */
function inOrder(create: (settings: Partial<RingSettings>) => RingProtocol) {
  return ({ order = null, ...settings }: Partial<RingSettings>): RingProtocol => {
    const protocol = create(settings);
    if (order === null) return protocol;
    // All nodes of a run have the same members, and to check settings takes longer than to make a state of them.
    const ofMembers = new Map<string, RingProtocol>();
    return {
      ...protocol,
      initialState(id, peers) {
        const present = order.filter((node) => node === id || peers.includes(node));
        const members = present.join();
        if (!ofMembers.has(members)) ofMembers.set(members, create({ ...settings, order: present }));
        return ofMembers.get(members)!.initialState(id, peers);
      },
    };
  };
}

const mostNodes = 9;

/** Half of the rings are in the order of rank. */
function drawSettings(random: Random): Settings {
  if (random.chance(0.5)) return {};
  const rest = nodeNames(mostNodes);
  return {
    order: nodeNames(mostNodes).map(() => rest.splice(random.integer(0, rest.length - 1), 1)[0]!),
  };
}
