/** Answers in words: parts that begin with `== name`. */

import { Slip } from '../slips.js';

export type Sections = ReadonlyMap<string, string>;

export function readSections(text: string): Sections {
  const parts = text.split(/^==[ \t]*/m).slice(1);
  if (parts.length === 0) {
    throw new Slip(
      'no-export',
      "There is no part in this file: each begins with a line like '== any-fault'.",
    );
  }
  return new Map(
    parts.map((part) => {
      const [name = '', ...rest] = part.split('\n');
      return [name.replace(/#.*/, '').trim(), rest.join('\n')];
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
