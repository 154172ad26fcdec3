/** The nemesis: it draws what is done from a seed. The same seed draws the same schedule; how it ends is real. */

import { deriveSeed, Random } from '@hustings/simulator';
import { type Algorithm, canBeCut, type Layout, layouts } from './layouts.js';
import type { Action, End, Episode, Line, Role } from './schedule.js';
import { molestations } from './strangers.js';

/** An action at a time within its episode. */
interface Timed {
  readonly atMs: number;
  readonly action: Action;
}

interface Hand {
  readonly random: Random;
  readonly layout: Layout;
  /** A, B, C …, as many as there are nodes. */
  readonly nodes: readonly Role[];
  readonly members: readonly Role[];
  /** Members that may be frozen for long. */
  readonly freezable: readonly Role[];
}

interface Attack {
  readonly name: string;
  /** How often it is drawn, among the others. */
  readonly weight: number;
  readonly concerns: (layout: Layout) => boolean;
  /** Each undoes what it does. */
  readonly draw: (hand: Hand) => readonly Timed[];
}

const everything = () => true;
const isCoordinated = ({ coordinator }: Layout): boolean => coordinator !== null;
const hasDisks = ({ coordinator }: Layout): boolean => coordinator === null;
const linksCanBeCut = ({ links }: Layout): boolean => links === 'through proxies';
const hasDisksAndProxies = (layout: Layout): boolean => hasDisks(layout) && linksCanBeCut(layout);

const attacks: readonly Attack[] = [
  { name: 'kill', weight: 3, concerns: everything, draw: kill },
  { name: 'stop', weight: 4, concerns: everything, draw: stop },
  { name: 'cut', weight: 3, concerns: canBeCut, draw: cut },
  { name: 'one-way', weight: 3, concerns: canBeCut, draw: oneWay },
  { name: 'stall', weight: 3, concerns: canBeCut, draw: stall },
  { name: 'stall-over-death', weight: 3, concerns: canBeCut, draw: stallOverDeath },
  { name: 'late-writes', weight: 3, concerns: everything, draw: lateWrites },
  { name: 'strangers', weight: 2, concerns: everything, draw: strangers },
  { name: 'late-words', weight: 6, concerns: hasDisksAndProxies, draw: lateWords },
  { name: 'slow-disk', weight: 3, concerns: hasDisks, draw: slowDisk },
  { name: 'full-disk', weight: 2, concerns: hasDisks, draw: fullDisk },
  { name: 'broken-link', weight: 2, concerns: linksCanBeCut, draw: brokenLink },
  { name: 'member-killed', weight: 3, concerns: isCoordinated, draw: memberKilled },
  { name: 'member-frozen', weight: 3, concerns: isCoordinated, draw: memberFrozen },
  { name: 'majority-frozen', weight: 2, concerns: isCoordinated, draw: majorityFrozen },
  { name: 'members-restarted', weight: 1, concerns: isCoordinated, draw: membersRestarted },
];

export interface DrawOptions {
  readonly algorithm: Algorithm;
  readonly nodes: number;
  readonly seed: string;
  /**
   * Whether to leave the declared assumptions: an etcd that led its cluster, froze and goes on revokes leases that its
   * successor has renewed (etcd-io/etcd#15247; seen with 3.4.23 and with 3.5.30).
   */
  readonly beyond?: boolean;
}

/** One to three attacks that fall together. After most of them everything is mended, and there must be a leader. */
export function drawEpisode(options: DrawOptions, number: number): Episode {
  const { algorithm, nodes: size, seed, beyond = false } = options;
  const random = new Random(deriveSeed(seed, algorithm, number));
  const layout = layouts[algorithm];
  const hand: Hand = {
    random,
    layout,
    nodes: Array.from({ length: size }, (_, index) => String.fromCharCode(65 + index)),
    members: layout.coordinator === null ? [] : ['M1', 'M2', 'M3'],
    freezable: layout.coordinator === 'etcd' && !beyond ? ['M2', 'M3'] : ['M1', 'M2', 'M3'],
  };
  const drawn = drawAttacks(hand);
  const timed = drawn.flatMap(({ draw }, index) =>
    later(draw(hand), index === 0 ? 0 : random.integer(0, 1000)),
  );
  const lines = inTurn(timed);
  const settles = random.chance(0.7);
  const last: Line = {
    afterMs: random.integer(50, 500),
    action: { verb: 'settle', ms: random.integer(500, 2000) },
  };
  return { number, attacks: drawn.map(({ name }) => name), lines: settles ? [...lines, last] : lines };
}

function drawAttacks(hand: Hand): Attack[] {
  const { random, layout } = hand;
  const possible = attacks.filter(({ concerns }) => concerns(layout));
  const first = drawWeighted(random, possible);
  // It is long as it is, and waits for conditions that most others would keep from coming true.
  if (first.name === 'late-words' && random.chance(0.7)) return [first];
  const count = random.integer(0, 2);
  const others = Array.from({ length: count }, () =>
    drawWeighted(
      random,
      possible.filter(({ name }) => name !== 'late-words'),
    ),
  );
  return [first, ...others];
}

/** Each as many times as it weighs. */
function drawWeighted(random: Random, possible: readonly Attack[]): Attack {
  return random.pick(possible.flatMap((attack) => Array.from({ length: attack.weight }, () => attack)));
}

const later = (timed: readonly Timed[], byMs: number): Timed[] =>
  timed.map(({ atMs, action }) => ({ atMs: atMs + byMs, action }));

/** Sorted by time; at equal times as they were drawn. */
function inTurn(timed: readonly Timed[]): Line[] {
  let beforeMs = 0;
  return timed
    .toSorted((a, b) => a.atMs - b.atMs)
    .map(({ atMs, action }) => {
      const afterMs = atMs - beforeMs;
      beforeMs = atMs;
      return { afterMs, action };
    });
}

// ---- Attacks -------------------------------------------------------------------------------------------

/** Mostly the leader: it is the one that has something to lose. */
const victim = ({ random, nodes }: Hand): Role => (random.chance(0.65) ? 'A' : random.pick(nodes));

const after = (atMs: number, action: Action): Timed => ({ atMs, action });

function kill(hand: Hand): Timed[] {
  const subject = victim(hand);
  return [
    after(0, { verb: 'kill', subject }),
    after(hand.random.integer(0, 2500), { verb: 'restart', subject }),
  ];
}

/** From a hiccup to far beyond any lease. */
function stop(hand: Hand): Timed[] {
  const subject = victim(hand);
  const forMs = hand.random.chance(0.5) ? hand.random.integer(50, 600) : hand.random.integer(600, 4000);
  return [after(0, { verb: 'stop', subject }), after(forMs, { verb: 'continue', subject })];
}

function cut(hand: Hand): Timed[] {
  const subject = victim(hand);
  const others = allOrServers(hand);
  return [...oneWayCut(hand, subject, others, 0), ...oneWayCut(hand, others, subject, 0)];
}

function oneWay(hand: Hand): Timed[] {
  const subject = victim(hand);
  const others = allOrServers(hand);
  return hand.random.chance(0.5) ? oneWayCut(hand, subject, others, 0) : oneWayCut(hand, others, subject, 0);
}

/** A node with peers and a coordinator may lose the one, and keep the others. */
function allOrServers({ random, layout }: Hand): End {
  return isCoordinated(layout) && linksCanBeCut(layout) && random.chance(0.5) ? 'servers' : '*';
}

function oneWayCut({ random }: Hand, from: End, to: End, atMs: number): Timed[] {
  return [
    after(atMs, { verb: 'cut', from, to }),
    after(atMs + random.integer(200, 3500), { verb: 'heal', from, to }),
  ];
}

/** What is delivered late was sent in good faith. */
function stall(hand: Hand): Timed[] {
  const { random } = hand;
  const subject = victim(hand);
  const other = otherEnd(hand, subject);
  const [from, to] = random.chance(0.5) ? [subject, other] : [other, subject];
  return [
    after(0, { verb: 'stall', from, to }),
    after(random.integer(100, 3000), { verb: 'release', from, to }),
  ];
}

/** What a dead process said is heard when its successor is there. */
function stallOverDeath(hand: Hand): Timed[] {
  const { random } = hand;
  const subject = victim(hand);
  const to = otherEnd(hand, subject);
  const killedMs = random.integer(100, 1200);
  const restartedMs = killedMs + random.integer(0, 500);
  return [
    after(0, { verb: 'stall', from: subject, to }),
    after(killedMs, { verb: 'kill', subject }),
    after(restartedMs, { verb: 'restart', subject }),
    after(restartedMs + random.integer(0, 2500), { verb: 'release', from: subject, to }),
  ];
}

function otherEnd({ random, layout: { coordinator, links }, nodes }: Hand, subject: Role): End {
  if (links !== 'through proxies' || (coordinator !== null && random.chance(0.5))) return 'servers';
  return random.chance(0.3) ? '*' : random.pick(nodes.filter((node) => node !== subject));
}

/** The old leader's last writes arrive when the next one has begun. */
function lateWrites(hand: Hand): Timed[] {
  const { random } = hand;
  const subject = 'A';
  const endsMs = random.integer(50, 300);
  const endings: readonly (readonly Timed[])[] = [
    later(kill({ ...hand, nodes: ['A'] }), endsMs),
    [
      after(endsMs, { verb: 'stop', subject }),
      after(endsMs + random.integer(1000, 4000), { verb: 'continue', subject }),
    ],
    ...(canBeCut(hand.layout)
      ? [[...oneWayCut(hand, subject, '*', endsMs), ...oneWayCut(hand, '*', subject, endsMs)]]
      : []),
  ];
  return [
    after(0, { verb: 'hold-writes', subject }),
    ...random.pick(endings),
    after(endsMs + random.integer(1500, 5000), { verb: 'release-writes', subject }),
  ];
}

function strangers({ random, layout: { links }, nodes, members }: Hand): Timed[] {
  const subject = random.pick(links === 'none' ? members : [...nodes, ...members]);
  const verb = random.pick(molestations);
  return [after(0, { verb, subject, ms: random.integer(200, 1500) })];
}

/**
 * The leader's link to C stalls. The leader is killed, and begins anew. C has begun a term of its own, which its disk
 * is slow to save, and another elects the restarted leader in that same term. Now C hears the dead process, and
 * answers it in the new term; the living one, whose clock is younger, must not take that for a word about itself.
 * Then it is cut off: its lease must end before C leads.
 */
function lateWords({ random, nodes }: Hand): Timed[] {
  const bystanders = nodes.filter((node) => node !== 'A' && node !== 'C');
  const stalledMs = random.integer(50, 300);
  const heldMs = stalledMs + random.integer(400, 1200);
  const killedMs = heldMs + random.integer(20, 200);
  const releasedMs = killedMs + random.integer(20, 300);
  const mendedMs = releasedMs + random.integer(20, 200);
  const cutMs = mendedMs + random.integer(20, 300);
  const healedMs = cutMs + random.integer(1500, 3000);
  return [
    ...bystanders.map((subject) => after(0, { verb: 'withdraw', subject })),
    after(stalledMs, { verb: 'stall', from: 'A', to: 'C' }),
    after(heldMs, { verb: 'hold-disk', subject: 'C' }),
    after(killedMs, { verb: 'kill', subject: 'A' }),
    after(killedMs, { verb: 'await', subject: 'C', condition: 'saves', ms: 3000 }),
    after(killedMs, { verb: random.chance(0.5) ? 'restart' : 'restart-unchecked', subject: 'A' }),
    after(releasedMs, { verb: 'release', from: 'A', to: 'C' }),
    after(releasedMs, { verb: 'await', subject: 'A', condition: 'leads', ms: 5000 }),
    after(mendedMs, { verb: 'mend-disk', subject: 'C' }),
    after(mendedMs, { verb: 'await', subject: 'C', condition: 'saved', ms: 3000 }),
    after(cutMs, { verb: 'cut', from: 'A', to: '*' }),
    after(cutMs, { verb: 'cut', from: '*', to: 'A' }),
    after(healedMs, { verb: 'heal', from: 'A', to: '*' }),
    after(healedMs, { verb: 'heal', from: '*', to: 'A' }),
    ...bystanders.map((subject) => after(healedMs, { verb: 'stand', subject })),
  ];
}

function slowDisk(hand: Hand): Timed[] {
  const { random } = hand;
  const subject = victim(hand);
  return [
    after(0, { verb: 'slow-disk', subject, ms: random.integer(50, 1500) }),
    after(random.integer(1000, 4000), { verb: 'mend-disk', subject }),
  ];
}

/** A node finds room in its file for a while; one that is restarted finds none. */
function fullDisk(hand: Hand): Timed[] {
  const { random } = hand;
  const subject = victim(hand);
  const mendedMs = random.integer(800, 3000);
  return [
    after(0, { verb: 'fill-disk', subject }),
    after(random.integer(100, 600), { verb: 'restart', subject }),
    after(mendedMs, { verb: 'mend-disk', subject }),
    after(mendedMs + 50, { verb: 'restart', subject }),
  ];
}

/** Two cannot talk to each other, and everybody can to the third. */
function brokenLink(hand: Hand): Timed[] {
  const { random, nodes } = hand;
  const one = victim(hand);
  const other = random.pick(nodes.filter((node) => node !== one));
  return [...oneWayCut(hand, one, other, 0), ...oneWayCut(hand, other, one, random.integer(0, 200))];
}

function memberKilled({ random, members }: Hand): Timed[] {
  const subject = random.chance(0.6) ? 'M1' : random.pick(members);
  return [
    after(0, { verb: 'kill', subject }),
    after(random.integer(200, 3000), { verb: 'restart', subject }),
  ];
}

function memberFrozen({ random, freezable }: Hand): Timed[] {
  const subject = random.chance(0.5) ? freezable[0]! : random.pick(freezable);
  return [
    after(0, { verb: 'stop', subject }),
    after(random.integer(200, 4000), { verb: 'continue', subject }),
  ];
}

function majorityFrozen({ random, freezable }: Hand): Timed[] {
  const thawedMs = random.integer(500, 3500);
  return freezable
    .slice(0, 2)
    .flatMap((subject) => [
      after(random.integer(0, 200), { verb: 'stop', subject }),
      after(thawedMs + random.integer(0, 500), { verb: 'continue', subject }),
    ]);
}

function membersRestarted({ random, members }: Hand): Timed[] {
  const restartedMs = random.integer(300, 1500);
  return members.flatMap((subject) => [
    after(random.integer(0, 100), { verb: 'kill', subject }),
    after(restartedMs, { verb: 'restart', subject }),
  ]);
}
