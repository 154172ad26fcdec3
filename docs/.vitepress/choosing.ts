/** The page of questions: what is asked, and what follows from the answers. */

import { type LeasedElector, planLease } from 'hustings/ttl';

export const questions = {
  runs: {
    question: 'What do you run already?',
    answers: {
      nothing: 'nothing but my own processes',
      machine: 'everything on one machine',
      etcd: 'etcd',
      zookeeper: 'ZooKeeper',
      postgres: 'PostgreSQL',
      redis: 'Redis or Valkey',
      kubernetes: 'Kubernetes',
      consul: 'Consul',
      dynamodb: 'DynamoDB',
    },
  },
  fails: {
    question: 'What may fail?',
    answers: {
      processes: 'processes and machines',
      network: 'the network, too',
      data: 'also the server may lose its last writes, as a replica that takes over does',
    },
  },
  gap: {
    question: 'How long may nobody lead after a crash?',
    answers: { short: '2 seconds', medium: '10 seconds', long: 'a minute' },
  },
  fences: {
    question: 'Can what you write to refuse an old token?',
    answers: { yes: 'yes: PostgreSQL, Redis, etcd, HTTP or a file', no: 'no' },
  },
} as const;

export type Answers = {
  readonly [Name in keyof typeof questions]: keyof (typeof questions)[Name]['answers'];
};

export interface Choice {
  /** The page of docs/electors. */
  readonly elector: string;
  readonly call: string;
  /** The longest lease that keeps to the gap; null where there is none. */
  readonly setting: string | null;
  readonly because: readonly string[];
  readonly beware: readonly string[];
}

const gapMs = { short: 2000, medium: 10_000, long: 60_000 } as const;
/** A busy process on a good network. */
const customary = { pauseMs: 500, roundTripMs: 10, driftBound: 0.01 } as const;

export function choose(answers: Answers): Choice {
  const { elector, because } = electorFor(answers);
  const failoverMs = gapMs[answers.gap];
  const plan = elector === 'local' ? null : planLease(elector, { failoverMs, ...customary });
  return {
    elector,
    call: `${elector}Elector`,
    setting: plan === null ? null : `${plan.setting}: ${plan.value}`,
    because,
    beware: [...shortcomings(elector, answers), ...withoutFence(answers)],
  };
}

interface Pick {
  readonly elector: LeasedElector | 'local';
  readonly because: readonly string[];
}

function electorFor(answers: Answers): Pick {
  const { runs } = answers;
  if (runs === 'machine') {
    return {
      elector: 'local',
      because: ['Nothing has to be installed, and a crash is noticed in milliseconds.'],
    };
  }
  if (runs === 'nothing') {
    return {
      elector: 'raft',
      because: ['It needs three of your own processes and a disk each, and no server.'],
    };
  }
  return insteadOf(runs, answers) ?? { elector: runs, because: ['It uses a server that you run already.'] };
}

/** Raft, where what is there cannot do it; null where it can. */
function insteadOf(runs: Exclude<Answers['runs'], 'machine' | 'nothing'>, answers: Answers): Pick | null {
  const { isEnough, worstGapMs } = planLease(runs, { failoverMs: gapMs[answers.gap], ...customary });
  if (!isEnough) {
    const seconds = (worstGapMs / 1000).toFixed(1);
    return {
      elector: 'raft',
      because: [
        `With ${questions.runs.answers[runs]} nobody may lead for ${seconds} s; Raft needs no server.`,
      ],
    };
  }
  if (answers.fails === 'data' && answers.fences === 'no' && runs === 'redis') {
    return {
      elector: 'raft',
      because: ['A Redis that forgets a lease gives it away twice, and without a fence that does damage.'],
    };
  }
  return null;
}

function shortcomings(elector: string, { runs, fails, gap }: Answers): string[] {
  const found: string[] = [];
  if (elector === 'local') found.push('A leader that hangs is not replaced until its process ends.');
  if (elector === 'local' && fails !== 'processes') found.push('It works on one machine alone.');
  if (elector === 'raft') found.push('A majority must be alive: run three nodes, or five.');
  if (elector === 'postgres' && gap === 'short') {
    found.push("With mode: 'session' the next one leads milliseconds after a crash.");
  }
  if (fails === 'data' && elector === runs) {
    found.push('A server that loses writes may give the lease to two; only a fence keeps the older one out.');
  }
  return found;
}

const withoutFence = ({ fences }: Answers): string[] =>
  fences === 'yes'
    ? []
    : [
        'No elector can stop a leader that was paused in the middle of a write. Make that harmless, or power it off in beforeLead.',
      ];
