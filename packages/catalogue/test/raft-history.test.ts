import { judge, parseSchedule } from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import { withSubject } from '../src/index.js';

/** Found by search, seed 216161: the only voter commits in the step that appends, and dies before that is on disk. */
const schedule = parseSchedule(`nodes n1
seed 216161
decisions 0
latency 1 1
save 6.5 12.3
workload 556 proposals
run 779
at 554 restart n1
`);

describe('what was committed', () => {
  it('does not count before it is on disk: nobody has been told', () => {
    const { violation } = withSubject('raft', 'default', (subject) => judge(subject, schedule));
    expect(violation).toBeNull();
  });
});
