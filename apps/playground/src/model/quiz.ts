import type { Choice } from './scenarios.js';

export interface QuizQuestion {
  readonly question: string;
  readonly choices: readonly Choice[];
  readonly because: string;
  /** Where to see it. */
  readonly scenario: string;
}

const right = (text: string): Choice => ({ text, isRight: true });
const wrong = (text: string): Choice => ({ text, isRight: false });

export const quiz: readonly QuizQuestion[] = [
  {
    question: 'A cluster of five is split two to three. Which elector can have a leader on both sides?',
    choices: [right('Bully'), wrong('Raft'), wrong('etcd')],
    because:
      'Bully asks only those it can see. Raft needs three of five, and etcd is on one side or on neither.',
    scenario: 'partition',
  },
  {
    question: 'Your elector promises at most one leader. Do you still need a fence at the database?',
    choices: [
      wrong('No: the promise is enough.'),
      right('Yes: a leader can be paused between its check and its write.'),
      wrong('Only with bully and ring.'),
    ],
    because:
      'The promise ends at the process. What it has already decided to send is out of everybody’s hands.',
    scenario: 'pause',
  },
  {
    question: 'What does a fencing token have to do?',
    choices: [
      right('Grow from leader to leader.'),
      wrong('Be impossible to guess.'),
      wrong('Be the same on every node.'),
    ],
    because: 'The store compares two numbers and refuses the lower one. Nothing else is needed.',
    scenario: 'pause',
  },
  {
    question: 'A lease has a TTL of ten seconds. Its holder dies. How long until the next leader?',
    choices: [
      wrong('Exactly ten seconds.'),
      right('Up to ten seconds, and what the server takes to notice.'),
      wrong('At once, since the connection closes.'),
    ],
    because: 'It depends on when the lease was last renewed, and on how often the server looks.',
    scenario: 'lease',
  },
  {
    question:
      'A Raft follower was alone for a minute and comes back. What keeps it from deposing the leader?',
    choices: [wrong('Its log is too short.'), right('Pre-vote.'), wrong('The leader’s fencing token.')],
    because: 'With pre-vote its term has not grown meanwhile: nobody has told it that it could win.',
    scenario: 'pre-vote',
  },
  {
    question: 'Why are election timeouts drawn at random?',
    choices: [
      wrong('So that nobody can predict the leader.'),
      right('So that one node asks for votes before the others do.'),
      wrong('To spread the load on the network.'),
    ],
    because: 'Whoever is first by more than the time of a message gets the votes. Equal timeouts split them.',
    scenario: 'split-vote',
  },
  {
    question: 'The node before yours in ZooKeeper’s queue has vanished. What now?',
    choices: [
      wrong('Lead.'),
      right('List the queue again; lead only if you are first.'),
      wrong('Create a new node at the end.'),
    ],
    because: 'It may have been a candidate like you, and the leader is still there.',
    scenario: 'middle',
  },
  {
    question: 'A leader’s clock runs slow, and it loses its coordinator. Which protection is left?',
    choices: [wrong('The TTL.'), wrong('The guard, however slow the clock.'), right('The fence.')],
    because: 'Time has become unreliable. Tokens need none.',
    scenario: 'drift',
  },
];
