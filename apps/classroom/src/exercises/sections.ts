/** Answers in words: parts that begin with `== name`. */

import { Slip } from '../slips.js';

export type Sections = ReadonlyMap<string, string>;

export function readSections(text: string): Sections {
  const lines = text.split('\n');
  const starts = lines.flatMap((line, index) => (line.startsWith('==') ? [index] : []));
  if (starts.length === 0) {
    throw new Slip(
      'no-export',
      "There is no part in this file: each begins with a line like '== any-fault'.",
    );
  }
  return new Map(
    starts.map((start, index) => {
      const name = lines[start]!.slice(2).replace(/#.*/, '').trim();
      // As many empty lines as come before it: whoever finds a mistake in a part names its line in the file.
      const before = '\n'.repeat(start + 1);
      return [name, before + lines.slice(start + 1, starts[index + 1]).join('\n')];
    }),
  );
}

/** What a part says, without comments. Throws a slip where there is none. */
export function sectionOf(sections: Sections, name: string): string {
  const text = sections.get(name);
  if (text === undefined) throw new Slip('no-export', `There is no part '== ${name}' in this file.`);
  return text;
}

/** A single word, such as the letter of a choice. */
export const wordOf = (sections: Sections, name: string): string =>
  sectionOf(sections, name).replace(/#.*/g, '').trim().toLowerCase();
