import { readdirSync, readFileSync } from 'node:fs';
import {
  explain,
  parseSchedule,
  type Question,
  type Recording,
  record,
  tellStatements,
} from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import { withSubject } from '../src/index.js';

const folder = new URL('./explanations/', import.meta.url);
const divider = '---\n';

/** All that can be asked of a recording, once each. */
function questionsOf({ facts }: Recording): (readonly [string, Question])[] {
  const { tenures, reigns, writes } = facts;
  const refused = writes.findIndex(({ refusal }) => refusal !== null);
  return [
    ...tenures.map((_, tenure) => ['Why does this node lead?', { type: 'tenure', tenure }] as const),
    ...reigns
      .filter((reign) => reign.tenures.length !== 1)
      .map(
        (reign) =>
          [
            reign.tenures.length === 0 ? 'Why does nobody lead?' : 'Why do two lead?',
            { type: 'reign', reign },
          ] as const,
      ),
    ...(refused < 0 ? [] : [['Why was this write refused?', { type: 'write', write: refused }] as const]),
  ];
}

/** The first line of a file names the algorithm. */
function explainFile(text: string): string {
  const [head = ''] = text.split(divider);
  const [, algorithm = ''] = /^# ([a-z]+)/.exec(head) ?? [];
  return withSubject(algorithm, 'default', (subject) => {
    const recording = record(subject, parseSchedule(head)) as Recording;
    const told = questionsOf(recording).map(
      ([name, question]) =>
        `${name}\n${tellStatements(explain(recording, question)).replace(/^/gm, '  ').trimEnd()}\n`,
    );
    return `${head}${divider}${told.join('\n')}`;
  });
}

describe('an explanation', () => {
  for (const file of readdirSync(folder)) {
    it(`of ${file} is the one that a person has read`, async () => {
      const path = new URL(file, folder);
      await expect(explainFile(readFileSync(path, 'utf8'))).toMatchFileSnapshot(path.pathname);
    });
  }

  it('quotes only events of the node or the fault that it names', () => {
    withSubject('raft', 'default', (subject) => {
      const recording = record(
        subject,
        parseSchedule('nodes n1 n2 n3\nseed 4\nrun 3000\nat 900 crash leader until 1500'),
      ) as Recording;
      for (const [, question] of questionsOf(recording)) {
        for (const { text, events } of explain(recording, question)) {
          for (const sequence of events) {
            const event = recording.facts.events[sequence]!;
            if ('node' in event) expect(text).toContain(event.node);
          }
        }
      }
    });
  });

  it('of any event ends with that event', () => {
    withSubject('etcd', 'default', (subject) => {
      const recording = record(
        subject,
        parseSchedule('nodes n1 n2 n3\nseed 4\nset ttlSeconds 2\nrun 9000\nat 4000 crash leader'),
      ) as Recording;
      for (const { sequence, atMs } of recording.facts.events) {
        const last = explain(recording, { type: 'event', sequence }).at(-1)!;
        expect(last.events, `event ${sequence}`).toContain(sequence);
        expect(last.text).toContain(`${atMs.toFixed(1)} ms`);
      }
    });
  });
});
