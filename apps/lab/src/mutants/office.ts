/** The office broken on purpose: what a driver owes the application, and the check that notices when it is not paid. */

import {
  type Entry,
  enter,
  type Finding,
  type Office,
  type OfficeEvent,
  type RoleEffect,
  type Ruling,
  vacantOffice,
} from '@hustings/elector/protocol';
import { type MutantOf, named, type SubjectOf } from './mutant.js';

type Enter = typeof enter;

/** An entry, and the driver's clock when it comes. */
type Line = readonly [entry: Entry, nowMs: number];

const campaign: Entry = { type: 'campaign' };
const resign: Entry = { type: 'resign', reason: 'resigned' };
const look: Entry = { type: 'look-at-clock' };
const after = (effect: RoleEffect, steppedMs = 0, answers: 'received' | 'campaign-requested' = 'received') =>
  ({ type: 'effect', effect, steppedMs, answers }) as const satisfies Entry;
const lead = (token = 1n, validForMs?: number): RoleEffect =>
  validForMs === undefined ? { type: 'lead', token } : { type: 'lead', token, validForMs };
const stepDown = (reason: 'resigned' | 'deposed'): RoleEffect => ({ type: 'step-down', reason });

function play(rule: Enter, lines: readonly Line[]): { office: Office; events: OfficeEvent[] } {
  let office = vacantOffice('n1');
  const events: OfficeEvent[] = [];
  for (const [entry, nowMs] of lines) {
    const [next, more] = rule(office, entry, nowMs);
    office = next;
    events.push(...more);
  }
  return { office, events };
}

/** The types of the events that these lines lead to must be these, in this order. */
function leadsTo(lines: readonly Line[], expected: string): (rule: Enter) => Finding {
  return (rule) => {
    const told = play(rule, lines)
      .events.map((event) => (event.type === 'stand' ? `stand ${event.afterMs}` : event.type))
      .join(', ');
    return told === expected ? null : `${told} instead of ${expected}`;
  };
}

const checks: Readonly<Record<string, (rule: Enter) => Finding>> = {
  'a leadership ends with its lease': leadsTo(
    [
      [campaign, 0],
      [after(lead(1n, 100)), 0],
      [look, 99],
      [look, 100],
    ],
    'stand 0, began, ended, expired',
  ),
  'a lease counts from the clock reading that the step was given': leadsTo(
    [
      [campaign, 0],
      [after(lead(1n, 100)), 50],
      [look, 100],
    ],
    'stand 0, began, ended, expired',
  ),
  'a leadership that is over never comes back': leadsTo(
    [
      [campaign, 0],
      [after(lead(1n, 100)), 0],
      [look, 100],
      [after(lead(1n, 500), 100), 100],
    ],
    'stand 0, began, ended, expired',
  ),
  'whoever has been asked to resign does not begin to lead': leadsTo(
    [
      [campaign, 0],
      [resign, 0],
      [after(lead()), 0],
      [after(stepDown('resigned')), 0],
    ],
    'stand 0, resign, resigned',
  ),
  'the application stops before anybody is told that it resigns': leadsTo(
    [
      [campaign, 0],
      [after(lead()), 0],
      [resign, 0],
    ],
    'stand 0, began, ended, resign',
  ),
  'whoever still waits stands again': leadsTo(
    [
      [campaign, 0],
      [after(stepDown('deposed')), 0],
    ],
    'stand 0, stand 0',
  ),
  'a protocol that refuses to stand is not asked again at once': leadsTo(
    [
      [campaign, 0],
      [after(stepDown('deposed'), 0, 'campaign-requested'), 0],
    ],
    'stand 0, stand 100',
  ),
  'nobody leads unasked': leadsTo([[after(lead()), 0]], 'violated'),
  'a leader keeps its token': leadsTo(
    [
      [campaign, 0],
      [after(lead(1n)), 0],
      [after(lead(2n)), 0],
    ],
    'stand 0, began, violated',
  ),
  'a leader follows nobody': leadsTo(
    [
      [campaign, 0],
      [after(lead()), 0],
      [after({ type: 'follow', leaderId: 'n2', token: 2n }), 0],
    ],
    'stand 0, began, violated',
  ),
};

const changingEvents =
  (change: (events: readonly OfficeEvent[], entry: Entry, office: Office) => readonly OfficeEvent[]) =>
  (intact: Enter): Enter =>
  (office, entry, nowMs) => {
    const [next, events] = intact(office, entry, nowMs);
    return [next, change(events, entry, office)];
  };

const before =
  (change: (office: Office, entry: Entry, nowMs: number) => readonly [Office, Entry]) =>
  (intact: Enter): Enter =>
  (office, entry, nowMs): Ruling =>
    intact(...change(office, entry, nowMs), nowMs);

const leads = (entry: Entry): entry is Extract<Entry, { type: 'effect' }> =>
  entry.type === 'effect' && entry.effect.type === 'lead';

const mutants: readonly MutantOf<Enter>[] = [
  {
    name: 'overlooks-the-clock',
    breaks: 'A lease that has run out is not ended.',
    alter: (intact) => (office, entry, nowMs) =>
      entry.type === 'look-at-clock' ? [office, []] : intact(office, entry, nowMs),
  },
  {
    name: 'counts-from-now',
    breaks: 'A lease counts from when it is granted, not from when the step was taken.',
    alter: before((office, entry, nowMs) => [
      office,
      entry.type === 'effect' ? { ...entry, steppedMs: nowMs } : entry,
    ]),
  },
  {
    name: 'revives-the-dead',
    breaks: 'A renewal brings back a leadership that is over.',
    alter: before((office, entry) => [
      leads(entry) && office.tenure !== null ? { ...office, wanted: true, tenure: null } : office,
      entry,
    ]),
  },
  {
    name: 'begins-while-resigning',
    breaks: 'An election that is won after all begins a leadership nobody wants.',
    alter: before((office, entry) => [
      leads(entry) ? { ...office, wanted: true, resigning: false } : office,
      entry,
    ]),
  },
  {
    name: 'asks-before-it-stops',
    breaks: 'The protocol is asked to resign before the application has stopped.',
    alter: changingEvents((events) => events.toReversed()),
  },
  {
    name: 'forgets-who-waits',
    breaks: 'After a step-down nobody stands again.',
    alter: changingEvents((events, entry) =>
      entry.type === 'effect' ? events.filter(({ type }) => type !== 'stand') : events,
    ),
  },
  {
    name: 'asks-again-at-once',
    breaks: 'A protocol that refuses to stand is asked again without a pause.',
    alter: changingEvents((events) =>
      events.map((event) => (event.type === 'stand' ? { ...event, afterMs: 0 } : event)),
    ),
  },
  {
    name: 'lets-anybody-lead',
    breaks: 'A protocol may lead although the application did not campaign.',
    alter: before((office, entry) => [
      leads(entry) && !office.resigning && office.tenure === null ? { ...office, wanted: true } : office,
      entry,
    ]),
  },
  {
    name: 'lets-tokens-change',
    breaks: 'A leader may go on under another token.',
    alter: changingEvents((events, entry, { tenure }) =>
      leads(entry) && tenure !== null ? events.filter(({ type }) => type !== 'violated') : events,
    ),
  },
  {
    name: 'lets-leaders-follow',
    breaks: 'A leader may follow another without stepping down.',
    alter: changingEvents((events, entry) => {
      const follows = entry.type === 'effect' && entry.effect.type === 'follow';
      return follows ? events.filter(({ type }) => type !== 'violated') : events;
    }),
  },
];

export const officeSubject: SubjectOf<Enter> = {
  algorithm: 'office',
  checks: Object.entries(checks).map(([name, find]) => named(name, (alter) => find(alter(enter)))),
  mutants,
};
