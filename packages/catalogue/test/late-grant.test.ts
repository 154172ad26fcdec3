import { fit, judge, parseSchedule, run, tokensGrow } from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import { withSubject } from '../src/index.js';

/**
 * A node stops just before it hears that it may lead, another is elected, and the first wakes up: its clock has run so
 * slowly that it takes what it hears for fresh. The lease's run was found by random search, and the others after it.
 */
const lateGrants = {
  lease: `nodes n1 n2 n3 n4\nseed 398633\ndecisions 60\nset ttlMs 1000\nlatency 2.3 40.1\nrun 1068
    at 0 clock-drift n4 0.76
    at 0 pause n4 until 1068
    at 0 restart n3`,
  etcd: `nodes n1 n2 n3\nseed 22\nlatency 1 75\nrun 6000
    at 0 clock-drift n1 0.5
    at 171 pause n1 until 5671`,
  zookeeper: `nodes n1 n2 n3\nseed 23\nlatency 1 75\nrun 7200
    at 0 clock-drift n1 0.5
    at 179 pause n1 until 6952`,
  raft: `nodes n1 n2 n3\nseed 200\nlatency 1 13\nrun 600
    at 0 clock-drift n1 0.3
    at 204 pause n1 until 504`,
};

describe.each(Object.entries(lateGrants))('%s, when a clock breaks its bound', (name, text) => {
  const schedule = parseSchedule(text);

  it('may have a leader whose token is lower than that of the leader before', () => {
    const violation = withSubject(name, 'default', (subject) => {
      const { protocol, services = [] } = fit(subject, schedule);
      return run(protocol, schedule, { services, promised: { monotonicTokens: true } }).violation;
    });
    expect(violation).toMatchObject({ property: tokensGrow });
  });

  it('keeps its promises all the same: until a clock breaks its bound tokens grow, and they differ always', () => {
    expect(withSubject(name, 'default', (subject) => judge(subject, schedule)).violation).toBeNull();
  });
});
