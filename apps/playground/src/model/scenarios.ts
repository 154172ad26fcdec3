/** The guided tour. A prediction is asked for first: what one has guessed wrong one remembers. */

import type { Question, Recording, Reign } from '@hustings/simulator';

export interface Choice {
  readonly text: string;
  readonly isRight: boolean;
}

/** What is explained when the run is over. */
export type Theme = 'two-leaders' | 'last-leader' | 'nobody' | 'refused-write';

export interface Scenario {
  readonly id: string;
  readonly title: string;
  /** What one is about to see. */
  readonly story: string;
  readonly electors: readonly string[];
  readonly schedule: string;
  /** When to look first: shortly before it happens. */
  readonly fromMs: number;
  readonly question: string;
  readonly choices: readonly Choice[];
  readonly lesson: string;
  readonly themes: readonly Theme[];
}

const right = (text: string): Choice => ({ text, isRight: true });
const wrong = (text: string): Choice => ({ text, isRight: false });

const nodes = (count: number): string =>
  `nodes ${Array.from({ length: count }, (_, index) => `n${index + 1}`).join(' ')}`;

/** Sessions and leases of a second, so that coordinators notice about as soon as the others do. */
const quickCoordinators = [
  'set etcd.ttlSeconds 1',
  'set etcd.requestTimeoutMs 250',
  'set zookeeper.sessionTimeoutMs 1000',
  'set zookeeper.requestTimeoutMs 250',
  'set zookeeper.tickMs 50',
].join('\n');

const lines = (...parts: readonly string[]): string => `${parts.join('\n')}\n`;

export const scenarios: readonly Scenario[] = [
  {
    id: 'partition',
    title: 'A partition splits the cluster',
    story:
      'The network is cut in two at 1000 ms: the leader and one follower on one side, three nodes on the other. It heals at 2200 ms. Bully and Raft get the same cut.',
    electors: ['bully.default', 'raft.default'],
    schedule: lines(
      nodes(5),
      'seed 1',
      'latency 1 5',
      'run 3000',
      'at 1000 split leader follower-1 until 2200',
    ),
    fromMs: 900,
    question: 'How many leaders will each cluster have while the network is cut?',
    choices: [
      wrong('One each: the side with the leader keeps it, the other waits.'),
      right(
        'Bully two, Raft one: in Raft the larger side replaces the leader, and the smaller side loses it.',
      ),
      wrong('Two each: every side elects a leader, since neither sees the other.'),
    ],
    lesson:
      'Bully elects whoever is strongest among those it can see, on both sides. Raft needs a majority of all nodes, and its leader gives up when it cannot reach one. That is why only one of them can promise a single leader.',
    themes: ['two-leaders', 'nobody', 'last-leader'],
  },
  {
    id: 'pause',
    title: 'A pause, and the fence',
    story:
      'The leader checks that it leads, and starts to prepare a write. At 1072 ms its process is paused, as by a long garbage collection, and it wakes up at 2000 ms with the write in its hands.',
    electors: ['raft.default'],
    schedule: lines(nodes(3), 'seed 2', 'latency 1 5', 'run 3000', 'at 1072 pause leader until 2000'),
    fromMs: 1000,
    question: 'The sleeper wakes and sends its write. What happens to it?',
    choices: [
      wrong('It is not sent: Raft never has two leaders, so nothing can go wrong.'),
      right('It is sent, and the store refuses it: another leader has written with a higher token.'),
      wrong('It is sent and taken: the check was done while it led.'),
    ],
    lesson:
      'No election can stop a process that sleeps between its check and its write. Only the resource can: it remembers the highest token it has seen, and refuses a lower one. A store without a fence would have been damaged here, under Raft.',
    themes: ['refused-write', 'last-leader'],
  },
  {
    id: 'crash',
    title: 'The leader dies: five electors side by side',
    story:
      'The leader’s process is killed at 2000 ms. All five electors get the same fault. Sessions and leases last one second here.',
    electors: ['bully.default', 'ring.default', 'raft.default', 'zookeeper.default', 'etcd.default'],
    schedule: lines(nodes(5), 'seed 1', 'latency 1 5', quickCoordinators, 'run 4000', 'at 2000 crash leader'),
    fromMs: 1900,
    question: 'Who has a new leader last?',
    choices: [
      wrong('Ring: the message has to travel all the way round.'),
      wrong('Raft: it has to collect a majority of votes.'),
      right('The two with a coordinator: a session or a lease has to run out first.'),
    ],
    lesson:
      'Peers see the connection of a killed process close, and act within milliseconds. A coordinator only knows that somebody has not renewed. What takes long in an election is not to elect, but to be sure that the old leader is gone.',
    themes: ['last-leader'],
  },
  {
    id: 'lease',
    title: 'Acquire and renew: a lease and its TTL',
    story:
      'With etcd a leader holds a lease of two seconds and renews it again and again: watch the arc around it. At 3000 ms it dies.',
    electors: ['etcd.default'],
    schedule: lines(
      nodes(3),
      'seed 1',
      'latency 1 5',
      'set etcd.ttlSeconds 2',
      'run 6000',
      'at 3000 crash leader',
    ),
    fromMs: 0,
    question: 'When may the next node lead?',
    choices: [
      wrong('At once: etcd sees that the connection has closed.'),
      right('When what was left of the lease has run out, and etcd has noticed that.'),
      wrong('Two seconds after the crash, to the millisecond.'),
    ],
    lesson:
      'The lease counts from its last renewal, not from the crash, and the server looks for expired leases twice a second. A short TTL means fast failover and little patience with a slow server.',
    themes: ['nobody', 'last-leader'],
  },
  {
    id: 'drift',
    title: 'Lease, guard and drift',
    story:
      'From 1000 ms on the leader’s clock runs at half speed. At 2000 ms it loses the connection to its coordinator, so that it must count for itself how long its lease lasts.',
    electors: ['etcd.default', 'zookeeper.default'],
    schedule: lines(
      nodes(3),
      'seed 1',
      'latency 1 5',
      quickCoordinators,
      'run 4500',
      'at 1000 clock-drift leader 0.5',
      'at 2000 isolate-from-coordinator leader',
    ),
    fromMs: 1950,
    question: 'Will two nodes lead at the same time?',
    choices: [
      wrong('No: a lease guarantees that there is only one.'),
      right('Yes, for a moment: the slow clock believes that the lease is not over yet.'),
      wrong('No: the coordinator would not elect another while the old leader runs.'),
    ],
    lesson:
      'A lease is a promise about time, kept by two clocks. A guard makes up for a small drift, and one beyond its bound breaks the promise. The tokens still tell the two apart: look at the refused writes.',
    themes: ['two-leaders'],
  },
  {
    id: 'pre-vote',
    title: 'The disruptive server, and pre-vote',
    story:
      'One follower is cut off from 800 to 2200 ms. All alone it starts one election after another. Then it comes back. On the left Raft asks before it votes, on the right it does not.',
    electors: ['raft.default', 'raft.no-pre-vote'],
    schedule: lines(nodes(5), 'seed 1', 'latency 1 5', 'run 3200', 'at 800 isolate follower-1 until 2200'),
    fromMs: 760,
    question: 'The lost follower returns. What becomes of the leader, who did nothing wrong?',
    choices: [
      wrong('In both clusters it stays: a follower cannot depose a leader.'),
      right('Without pre-vote it is deposed by the higher term; with it, it stays.'),
      wrong('In both clusters it is deposed: the higher term always wins.'),
    ],
    lesson:
      'Without pre-vote every lonely candidacy raises the term, and a higher term makes every leader step down. With it a candidate first asks whether it could win at all, and changes nothing until a majority says yes.',
    themes: ['last-leader'],
  },
  {
    id: 'herd',
    title: 'The herd, and the queue',
    story:
      'Twenty-five nodes wait for a leader’s znode to vanish. On the left each watches the node before it in the queue. On the right all watch the leader. At 2000 ms it dies.',
    electors: ['zookeeper.default', 'zookeeper.herd'],
    schedule: lines(
      nodes(25),
      'seed 1',
      'latency 1 5',
      quickCoordinators,
      'run 3600',
      'at 2000 crash leader',
    ),
    fromMs: 2600,
    question: 'How many messages does the succession take, left and right?',
    choices: [
      wrong('About the same: there is one new leader either way.'),
      right('A handful on the left, over a hundred on the right.'),
      wrong('More on the left: the news has to pass through the queue.'),
    ],
    lesson:
      'With a queue the end of the leader wakes exactly one node: 5 messages here. The herd wakes all 24, and each asks who is first now: 120 messages, of which one mattered.',
    themes: ['last-leader'],
  },
  {
    id: 'split-vote',
    title: 'A split vote',
    story:
      'Five Raft nodes without pre-vote, and timeouts that are nearly equal: 150 to 154 ms. Messages take 4 to 9 ms.',
    electors: ['raft.no-pre-vote'],
    schedule: lines(
      nodes(5),
      'seed 1',
      'latency 4 9',
      'set raft.electionTimeoutMs 150 154',
      'set raft.heartbeatMs 30',
      'run 2200',
    ),
    fromMs: 0,
    question: 'What happens when all of them lose patience at nearly the same time?',
    choices: [
      wrong('The node with the highest number wins.'),
      right('They vote for themselves, nobody gets a majority, and they try again, and again.'),
      wrong('Two nodes win, one after the other.'),
    ],
    lesson:
      'A vote is given once a term. If several stand at once, each takes votes from the others. Chance is what ends it: timeouts must differ by much more than a message takes.',
    themes: ['nobody', 'last-leader'],
  },
  {
    id: 'one-way',
    title: 'A link that works one way',
    story:
      'From 1000 ms on the leader can send, but hears nothing any more. Its heartbeats arrive everywhere, so it seems to be well. It lasts until 2200 ms.',
    electors: ['bully.default', 'raft.default'],
    schedule: lines(nodes(5), 'seed 1', 'latency 1 5', 'run 3000', 'at 1000 one-way leader until 2200'),
    fromMs: 950,
    question: 'Who notices?',
    choices: [
      wrong('Nobody: heartbeats arrive, and that is all that counts.'),
      right(
        'The leader of Raft itself: no majority answers it, and it steps down. Bully keeps its deaf leader.',
      ),
      wrong('The followers of both: they see that their answers are lost.'),
    ],
    lesson:
      'Half a failure is worse than a whole one. A leader that only speaks holds its followers in peace and does no good. Raft counts the answers; bully does not ask for any.',
    themes: ['nobody', 'last-leader'],
  },
  {
    id: 'middle',
    title: 'The middle candidate dies',
    story:
      'Four nodes queue at ZooKeeper: n3 leads, then come n1, n2 and n4. Each watches the one before it. At 2000 ms n1 dies, in the middle of the queue. At 4000 ms the leader dies, too.',
    electors: ['zookeeper.default'],
    schedule: lines(
      nodes(4),
      'seed 1',
      'latency 1 5',
      quickCoordinators,
      'run 6000',
      'at 2000 crash n1',
      'at 4000 crash leader',
    ),
    fromMs: 1900,
    question: 'The node before n2 vanishes while n3 leads. What does n2 do?',
    choices: [
      wrong('It leads: the node it was waiting for is gone.'),
      right('It lists the queue again, sees n3, and watches that one from now on.'),
      wrong('Nothing: it waits for n3 anyway.'),
    ],
    lesson:
      'That the one before me has gone does not mean that I am first. Leaving out the second look is a bug that real systems have shipped: two leaders.',
    themes: ['last-leader'],
  },
  {
    id: 'transfer',
    title: 'A graceful transfer',
    story:
      'At 1000 ms the leader is told to step down in favour of another, as before a restart. It may stand again at 1800 ms.',
    electors: ['raft.default', 'etcd.default', 'bully.default'],
    schedule: lines(
      nodes(3),
      'seed 1',
      'latency 1 5',
      quickCoordinators,
      'run 2600',
      'at 1000 graceful leader to follower-1 until 1800',
    ),
    fromMs: 970,
    question: 'How long is there no leader?',
    choices: [
      right('About as long as a few messages take: nobody has to wait for a timeout.'),
      wrong('As long as after a crash: the others have to notice first.'),
      wrong('Not at all: the successor leads before the old leader stops.'),
    ],
    lesson:
      'A leader that says goodbye saves everybody the waiting. But it must stop before it says so: two leaders for a moment would be worse than none. Bully is peculiar in two ways: whomever the leader names, the strongest of the others leads; and when the strongest of all comes back at 1800 ms, it takes over, and for a few milliseconds two lead.',
    themes: ['nobody', 'last-leader'],
  },
  {
    id: 'forgetful',
    title: 'Redis forgets',
    story:
      'A lease of two seconds, kept by one row of PostgreSQL on the left, and on the right by a Redis with a replica that lags behind. At 1500 ms the leader loses its connection to the store. At 1520 ms the server fails: the replica that takes over has not heard of the lease.',
    electors: ['lease.default', 'lease.redis-replica'],
    schedule: lines(
      nodes(3),
      'seed 1',
      'latency 1 5',
      'set lease.ttlMs 2000',
      'set lease.requestTimeoutMs 400',
      'run 4500',
      'at 1500 isolate-from-coordinator leader until 3000',
      'at 1520 coordinator-member-crash',
    ),
    fromMs: 1460,
    question: 'The old leader still holds a lease for more than a second. Can anybody else get one?',
    choices: [
      wrong('No: a lease is a promise of the store, and stores keep their promises.'),
      wrong('Yes, from both: a server that fails loses what it knew.'),
      right('Only from the Redis that failed over: what was not copied yet is forgotten.'),
    ],
    lesson:
      'A lease is worth as much as the memory of the store that gave it. PostgreSQL had it on disk. The replica had not heard of it, and gave it away a second time while the first still ran. No clock is wrong here, and no code: the store acknowledged what it could lose. Tokens made from time still grow, so a fence holds.',
    themes: ['two-leaders', 'last-leader'],
  },
  {
    id: 'heir',
    title: 'A pause, and the heir',
    story:
      'etcd with a lease of five seconds: as it is, with heirs, and with death certificates. At 3000 ms the leader’s process is paused. It wakes up at 8000 ms.',
    electors: ['etcd.default', 'etcd.heirs', 'etcd.certificates'],
    schedule: lines(nodes(3), 'seed 1', 'latency 1 5', 'run 9000', 'at 3000 pause leader until 8000'),
    fromMs: 2900,
    question: 'Who has a new leader before the lease is over?',
    choices: [
      wrong('All three: etcd sees that the leader has stopped.'),
      right('The one with heirs: the leader has allowed its heir to take over after a second of silence.'),
      wrong('The one with death certificates: the leader might as well be dead.'),
    ],
    lesson:
      'The leader and its heir have agreed on less than the lease: the leader stops a little before the heir may start. A certificate says that a process is dead. A process that sleeps is not dead, so there is none.',
    themes: ['nobody', 'last-leader'],
  },
  {
    id: 'certificate',
    title: 'A death, and its certificate',
    story:
      'The same three electors on etcd. This time the leader’s process dies, at 3000 ms, and its machine lives on.',
    electors: ['etcd.default', 'etcd.certificates', 'etcd.heirs'],
    schedule: lines(nodes(3), 'seed 1', 'latency 1 5', 'run 9000', 'at 3000 crash leader'),
    fromMs: 2900,
    question: 'Which has a new leader within a tenth of a second?',
    choices: [
      right(
        'The one with death certificates: the kernel of the leader’s machine says that the process has ended.',
      ),
      wrong('The one with heirs: the heir sees the connection close, and takes over.'),
      wrong('None of them: a closed connection proves nothing.'),
    ],
    lesson:
      'A connection that closes proves nothing by itself. That it was closed in good order, and that nobody listens there any more, proves that the process has ended. Then nobody has to wait: not for the lease, and not for the heir’s second.',
    themes: ['nobody', 'last-leader'],
  },
  {
    id: 'stores',
    title: 'Who knows that the leader is gone?',
    story:
      'A lease of one second in four places: one machine, Kubernetes, DynamoDB and Consul. At 2000 ms the leader dies. At 5000 ms its successor is paused, until 8000 ms.',
    electors: ['lease.local', 'lease.kubernetes', 'lease.dynamodb', 'lease.consul'],
    schedule: lines(
      nodes(3),
      'seed 3',
      'latency 1 5',
      'set lease.ttlMs 1000',
      'set lease.requestTimeoutMs 250',
      'run 9000',
      'at 2000 crash leader',
      'at 5000 pause leader until 8000',
    ),
    fromMs: 1900,
    question: 'One of them replaces the dead leader at once. What does it do about the one that sleeps?',
    choices: [
      wrong('The same: whoever is quick is always quick.'),
      right('Nothing: the kernel knows that a process has died, and not that it sleeps.'),
      wrong('It waits for one second, as the others do.'),
    ],
    lesson:
      'On one machine the kernel tells when a process dies, and nobody replaces one that sleeps. The others know only that a lease was not renewed. On Kubernetes and DynamoDB each candidate measures that itself, from when it last saw a change. Consul waits for up to twice the time.',
    themes: ['nobody', 'last-leader'],
  },
  {
    id: 'many',
    title: 'One process, many elections',
    story:
      'The same three processes stand in three elections: one on etcd, one on ZooKeeper, one in PostgreSQL. Leases last a second. At 2000 ms the process n1, which leads two of them, is paused.',
    electors: ['etcd.default', 'zookeeper.default', 'lease.default'],
    schedule: lines(
      nodes(3),
      'seed 5',
      'latency 1 5',
      quickCoordinators,
      'set lease.ttlMs 1000',
      'set lease.requestTimeoutMs 250',
      'run 5000',
      'at 2000 pause n1 until 4000',
    ),
    fromMs: 1900,
    question: 'Which elections get a new leader?',
    choices: [
      wrong('All three: a process that pauses is a danger to every election.'),
      right('The two that n1 led: the third has its own leader, and does not notice.'),
      wrong('None: n1 comes back.'),
    ],
    lesson:
      'Elections know nothing of each other. Each has its own leader, its own lease and its own token. A process that pauses or dies loses everything that it led, and nothing else changes. So spread what matters over your processes.',
    themes: ['nobody', 'last-leader'],
  },
];

export const scenarioOf = (id: string | null): Scenario | null =>
  scenarios.find((scenario) => scenario.id === id) ?? null;

const longestOf = (reigns: readonly Reign[]): readonly Reign[] =>
  reigns.toSorted((a, b) => b.untilMs - b.fromMs - (a.untilMs - a.fromMs)).slice(0, 1);

/** The questions that a theme asks of this recording: none where it shows nothing of the kind. */
export function questionsOf(recording: Recording, theme: Theme, sinceMs: number): Question[] {
  const { facts } = recording;
  switch (theme) {
    case 'two-leaders': {
      const overlaps = facts.reigns.filter(({ tenures }) => tenures.length > 1);
      return longestOf(overlaps).map((reign) => ({ type: 'reign', reign }));
    }
    case 'nobody': {
      const gaps = facts.reigns.filter(({ tenures, untilMs }) => tenures.length === 0 && untilMs > sinceMs);
      return longestOf(gaps).map((reign) => ({ type: 'reign', reign }));
    }
    case 'last-leader': {
      const tenure = facts.tenures.length - 1;
      return tenure < 0 || facts.reigns.some(({ tenures }) => tenures.length > 1)
        ? []
        : [{ type: 'tenure', tenure }];
    }
    case 'refused-write': {
      const write = facts.writes.findIndex(({ refusal }) => refusal !== null);
      return write < 0 ? [] : [{ type: 'write', write }];
    }
  }
}
