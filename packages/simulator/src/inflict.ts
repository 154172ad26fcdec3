/** What each kind of fault does to a simulated world, and what heals it. */

import type { NodeId } from '@hustings/elector';
import type { FaultKind, Target } from './faults.js';
import type { Disturbance } from './network.js';
import type { SimulatedNode } from './node.js';
import type { AnyInput } from './observer.js';

type Heal = () => void;

/** What can be done to a world. Whatever has an end returns what ends it. */
export interface Struck<State> {
  readonly services: readonly SimulatedNode<State>[];
  /** Whom a fault strikes now; null for an office that nobody holds. */
  resolve(target: Target): SimulatedNode<State> | null;
  crash(node: SimulatedNode<State>): Heal;
  pause(node: SimulatedNode<State>): Heal;
  resign(node: SimulatedNode<State>, to: NodeId | undefined): Heal;
  give(node: SimulatedNode<State>, input: AnyInput): void;
  fire(node: SimulatedNode<State>, timer: string | undefined): Heal;
  setClockRate(node: SimulatedNode<State>, rate: number): void;
  cut(isCut: (from: SimulatedNode<State>, to: SimulatedNode<State>) => boolean): Heal;
  stall(node: SimulatedNode<State>, peer: SimulatedNode<State>): Heal;
  drop(node: SimulatedNode<State>, peer: SimulatedNode<State>, message: string | undefined): Heal;
  disturb(disturbance: Disturbance): Heal;
  failLeadersOfServices(): void;
}

export function inflict<State>(world: Struck<State>, fault: FaultKind): Heal {
  switch (fault.type) {
    case 'crash':
      return onNode(world, fault.node, (node) => world.crash(node));
    case 'restart':
      onNode(world, fault.node, (node) => world.crash(node))();
      return () => {};
    case 'pause':
      return onNode(world, fault.node, (node) => world.pause(node));
    case 'isolate':
      return onNode(world, fault.node, (node) => separate(world, [node]));
    case 'split':
      return separate(
        world,
        fault.side.flatMap((target) => world.resolve(target) ?? []),
      );
    case 'isolate-from-coordinator':
      return onNode(world, fault.node, (node) =>
        world.cut((from, to) => (from === node && to.isService) || (to === node && from.isService)),
      );
    case 'coordinator-crash':
      return inTurn(world.services.map((service) => world.crash(service)));
    case 'coordinator-member-crash':
      world.failLeadersOfServices();
      return () => {};
    case 'one-way':
      return onNode(world, fault.node, (deaf) => world.cut((_, to) => to === deaf));
    case 'loss':
      return world.disturb({ lossProbability: fault.probability, affects: () => true });
    case 'duplicate':
      return world.disturb({ duplicateProbability: fault.probability, affects: () => true });
    case 'reorder':
      return world.disturb({ reorders: true, affects: () => true });
    case 'slow-link':
      return onNode(world, fault.node, ({ index }) =>
        world.disturb({
          extraLatencyMs: fault.extraMs,
          affects: (from, to) => from === index || to === index,
        }),
      );
    case 'stall':
      return onNode(world, fault.node, (node) =>
        onNode(world, fault.peer, (peer) => world.stall(node, peer)),
      );
    case 'cut':
      return onNode(world, fault.node, (node) =>
        onNode(world, fault.peer, (peer) =>
          world.cut((from, to) => (from === node && to === peer) || (from === peer && to === node)),
        ),
      );
    case 'drop':
      return onNode(world, fault.node, (node) =>
        onNode(world, fault.peer, (peer) => world.drop(node, peer, fault.message)),
      );
    case 'fire':
      return onNode(world, fault.node, (node) => world.fire(node, fault.timer));
    case 'latency':
      return world.disturb({ latencyMs: fault.latencyMs, affects: () => true });
    case 'clock-drift':
      return onNode(world, fault.node, (node) => {
        world.setClockRate(node, fault.rate);
        return () => world.setClockRate(node, 1);
      });
    case 'graceful':
      return onNode(world, fault.node, (node) => world.resign(node, fault.to && world.resolve(fault.to)?.id));
    case 'unhealthy':
      return onNode(world, fault.node, (node) => {
        world.give(node, { type: 'health-changed', healthy: false });
        return () => world.give(node, { type: 'health-changed', healthy: true });
      });
    case 'observe':
      return onNode(world, fault.node, (node) => {
        world.give(node, { type: 'observation-changed', observed: true });
        return () => world.give(node, { type: 'observation-changed', observed: false });
      });
  }
}

function onNode<State>(
  world: Struck<State>,
  target: Target,
  apply: (node: SimulatedNode<State>) => Heal,
): Heal {
  const node = world.resolve(target);
  return node === null ? () => {} : apply(node);
}

function separate<State>(world: Struck<State>, side: readonly SimulatedNode<State>[]): Heal {
  const inside = new Set(side);
  return world.cut((from, to) => inside.has(from) !== inside.has(to));
}

const inTurn = (heals: readonly Heal[]) => (): void => {
  for (const heal of heals) heal();
};
