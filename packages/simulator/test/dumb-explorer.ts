import type { Belief, NodeId } from '@hustings/elector';
import { believe, undecided } from '@hustings/elector/protocol';
import type { AnyInput, AnyProtocol } from '../src/index.js';

/** A node, spelled out. */
interface Node<State> {
  id: NodeId;
  state: State;
  running: boolean;
  saved: { durable: unknown } | null;
  timers: string[];
  belief: Belief;
  leading: boolean;
  campaignDue: boolean;
}

interface Mail {
  from: NodeId;
  to: NodeId;
  message: { type: string };
}

interface World<State> {
  nodes: Node<State>[];
  mail: Mail[];
  crashes: number;
  losses: number;
}

interface Options<State> {
  readonly protocol: AnyProtocol<State>;
  readonly nodes: readonly NodeId[];
  readonly depth: number;
  readonly maxCrashes: number;
  readonly maxLosses: number;
  readonly reorders: boolean;
}

/** What `explore` does, in the plainest way: copy the world, change the copy, compare what it looks like. */
export function countStates<State>(options: Options<State>): number {
  const first: World<State> = { nodes: [], mail: [], crashes: 0, losses: 0 };
  for (const id of options.nodes) first.nodes.push(blank(id, options));
  for (const { id } of first.nodes) {
    give(first, id, { type: 'started' }, options);
    give(first, id, { type: 'campaign-requested' }, options);
  }
  const seen = new Set([look(first, options)]);
  let level = [first];
  for (let depth = 0; depth < options.depth; depth += 1) {
    const next: World<State>[] = [];
    for (const world of level) {
      for (const successor of successors(world, options)) {
        const appearance = look(successor, options);
        if (seen.has(appearance)) continue;
        seen.add(appearance);
        next.push(successor);
      }
    }
    level = next;
  }
  return seen.size;
}

function successors<State>(world: World<State>, options: Options<State>): World<State>[] {
  const found: World<State>[] = [];
  const change = (apply: (copy: World<State>) => void): void => {
    const copy = structuredClone(world);
    apply(copy);
    found.push(copy);
  };
  for (const { id, running, timers, campaignDue } of world.nodes) {
    if (!running) change((copy) => restart(copy, id, options));
    for (const timer of timers) {
      change((copy) => {
        const node = find(copy, id);
        node.timers = node.timers.filter((other) => other !== timer);
        give(copy, id, { type: 'timer-fired', timer }, options);
      });
    }
    if (campaignDue) {
      change((copy) => {
        find(copy, id).campaignDue = false;
        give(copy, id, { type: 'campaign-requested' }, options);
      });
    }
    if (running && world.crashes < options.maxCrashes) change((copy) => crash(copy, id, options));
  }
  world.mail.forEach(({ from, to, message }, index) => {
    const isFirst = world.mail.findIndex((other) => other.from === from && other.to === to) === index;
    if (!isFirst && !options.reorders) return;
    change((copy) => {
      copy.mail.splice(index, 1);
      give(copy, to, { type: 'received', from, message }, options);
    });
    if (world.losses < options.maxLosses) {
      change((copy) => {
        copy.mail.splice(index, 1);
        copy.losses += 1;
      });
    }
  });
  return found;
}

function blank<State>(id: NodeId, { protocol, nodes }: Options<State>): Node<State> {
  const state = protocol.initialState(
    id,
    nodes.filter((peer) => peer !== id),
  );
  return {
    id,
    state,
    running: true,
    saved: null,
    timers: [],
    belief: undecided,
    leading: false,
    campaignDue: false,
  };
}

function crash<State>(world: World<State>, id: NodeId, options: Options<State>): void {
  const { saved } = find(world, id);
  Object.assign(find(world, id), blank(id, options), { saved, running: false });
  world.mail = world.mail.filter(({ to }) => to !== id);
  world.crashes += 1;
}

function restart<State>(world: World<State>, id: NodeId, options: Options<State>): void {
  const node = find(world, id);
  node.running = true;
  node.campaignDue = true;
  const input: AnyInput = node.saved === null ? { type: 'started' } : { type: 'restarted', ...node.saved };
  give(world, id, input, options);
}

function give<State>(world: World<State>, id: NodeId, input: AnyInput, { protocol }: Options<State>): void {
  const node = find(world, id);
  const [state, effects] = protocol.step(node.state, input, 0);
  node.state = state;
  for (const effect of effects) {
    switch (effect.type) {
      case 'send':
        if (find(world, effect.to).running)
          world.mail.push({ from: id, to: effect.to, message: effect.message });
        break;
      case 'set-timer':
        node.timers = [...new Set([...node.timers, effect.timer])].sort();
        break;
      case 'cancel-timer':
        node.timers = node.timers.filter((timer) => timer !== effect.timer);
        break;
      case 'save':
        node.saved = { durable: effect.durable };
        break;
      case 'announce':
        break;
      default:
        node.belief = believe(id, node.belief, effect);
        if (effect.type === 'lead') node.leading = true;
        if (effect.type === 'step-down') {
          node.leading = false;
          if (effect.reason !== 'resigned') node.campaignDue = true;
        }
    }
  }
}

function find<State>(world: World<State>, id: NodeId): Node<State> {
  return world.nodes.find((node) => node.id === id)!;
}

/** Mail in order on each link; in any order at all where messages overtake each other. */
function look<State>(world: World<State>, { reorders }: Options<State>): string {
  const mail = world.mail.map((item) => [`${item.from} ${item.to}`, JSON.stringify(item.message)] as const);
  const sorted = mail.toSorted(
    ([linkA, a], [linkB, b]) => compare(linkA, linkB) || (reorders ? compare(a, b) : 0),
  );
  return JSON.stringify({ ...world, mail: sorted }, (_, value) =>
    typeof value === 'bigint' ? `${value}` : value,
  );
}

const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
