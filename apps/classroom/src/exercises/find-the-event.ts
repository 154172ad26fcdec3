import type { Check, Exercise } from '../grading/check.js';
import { readSections, type Sections, wordOf } from './sections.js';

/** Where each run of `cases.txt` goes wrong. Whoever finds them here has read the grader instead of the run. */
const events: Readonly<Record<string, number>> = { 'case-1': 6, 'case-2': 6, 'case-3': 4 };

const namesTheEvent =
  (part: string): Check<Sections> =>
  (sections) => {
    const word = wordOf(sections, part);
    if (word === '') return { detail: 'There is no number yet.' };
    if (!/^\d+$/.test(word)) return { detail: `'${word}' is no number of an event.` };
    const event = events[part]!;
    if (Number(word) === event) return null;
    return {
      detail:
        Number(word) > event
          ? `At event ${word} it has gone wrong already: what is seen there was done before.`
          : `At event ${word} all is still as it should be.`,
    };
  };

export const findTheEventExercise: Exercise<Sections> = {
  id: '02-find-the-event',
  read: ({ text }) => readSections(text),
  checks: {
    'case-1': namesTheEvent('case-1'),
    'case-2': namesTheEvent('case-2'),
    'case-3': namesTheEvent('case-3'),
  },
};
