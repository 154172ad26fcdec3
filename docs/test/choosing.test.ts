import { planLease } from 'hustings/ttl';
import { describe, expect, it } from 'vitest';
import { type Answers, choose, questions } from '../.vitepress/choosing.js';
import { pages } from './pages.js';

const usual: Answers = { runs: 'nothing', fails: 'network', gap: 'long', fences: 'yes' };
const namesOf = <Name extends keyof typeof questions>(name: Name) =>
  Object.keys(questions[name].answers) as Answers[Name][];

const everything: readonly Answers[] = namesOf('runs').flatMap((runs) =>
  namesOf('fails').flatMap((fails) =>
    namesOf('gap').flatMap((gap) => namesOf('fences').map((fences) => ({ runs, fails, gap, fences }))),
  ),
);

describe('the questions', () => {
  it('end in an elector that has a page, with a reason, whatever is answered', () => {
    for (const answers of everything) {
      const { elector, because } = choose(answers);
      expect(pages.map(({ path }) => path)).toContain(`electors/${elector}.md`);
      expect(because).not.toEqual([]);
    }
  });

  it.each(['etcd', 'zookeeper', 'postgres', 'redis', 'kubernetes', 'consul', 'dynamodb'] as const)(
    'recommend %s to whoever runs it and can wait',
    (runs) => expect(choose({ ...usual, runs }).elector).toBe(runs),
  );

  it('recommend Raft where no lease of the server is short enough', () => {
    for (const runs of ['etcd', 'zookeeper', 'consul'] as const) {
      expect(choose({ ...usual, runs, gap: 'short' }).elector).toBe('raft');
    }
  });

  it('recommend no Redis that may forget to whoever cannot fence', () => {
    const forgetful: Answers = { ...usual, runs: 'redis', fails: 'data' };
    expect(choose({ ...forgetful, fences: 'no' }).elector).toBe('raft');
    expect(choose({ ...forgetful, fences: 'yes' }).elector).toBe('redis');
  });

  it('say what no elector can do to whoever cannot fence', () => {
    for (const answers of everything.filter(({ fences }) => fences === 'no')) {
      expect(choose(answers).beware.join(' ')).toContain('paused in the middle of a write');
    }
  });
});

describe('the table beside them', () => {
  const page = pages.find(({ path }) => path === 'choosing.md')!.text;

  it.each([
    ['etcd', 'etcd'],
    ['ZooKeeper', 'zookeeper'],
    ['Consul', 'consul'],
  ] as const)('says of %s how long a gap it needs', (name, elector) => {
    const { worstGapMs } = planLease(elector, {
      failoverMs: 1,
      pauseMs: 500,
      roundTripMs: 10,
      driftBound: 0.01,
    });
    const seconds = Math.ceil(worstGapMs / 1000);
    expect(page).toMatch(new RegExp(`^\\| ${name} \\|.* you cannot bear ${seconds} s without a leader`, 'm'));
  });
});
