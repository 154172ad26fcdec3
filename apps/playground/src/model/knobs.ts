/** What sliders turn: the network, and the timeouts of the electors that are shown. */

import { configure, defaultBudgetMs, open } from '@hustings/catalogue';
import type { Schedule, Setting } from '@hustings/simulator';
import { withSetting } from './edit.js';
import { type Elector, titleOf } from './run.js';

export interface Knob {
  readonly name: string;
  readonly unit: string;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly value: number;
  apply(value: number): Schedule;
}

interface TimeoutKnob {
  readonly setting: string;
  readonly title: string;
  readonly unit: string;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  /** From what the slider says to what the elector takes, and back. */
  toSetting(value: number): Setting;
  fromSetting(setting: Setting): number;
}

const plain = {
  toSetting: (value: number): Setting => value,
  fromSetting: (setting: Setting): number => Number(setting),
};

/** A range of one to two, as the papers have it; the slider says its lower end. */
const doubled = {
  toSetting: (value: number): Setting => [value, 2 * value],
  fromSetting: (setting: Setting): number => Number(Array.isArray(setting) ? setting[0] : setting),
};

const timeouts: Readonly<Record<string, readonly TimeoutKnob[]>> = {
  bully: [
    {
      setting: 'leaderTimeoutMs',
      title: 'leader timeout',
      unit: 'ms',
      min: 100,
      max: 1000,
      step: 10,
      ...doubled,
    },
  ],
  ring: [
    {
      setting: 'leaderTimeoutMs',
      title: 'leader timeout',
      unit: 'ms',
      min: 100,
      max: 1000,
      step: 10,
      ...doubled,
    },
  ],
  raft: [
    {
      setting: 'electionTimeoutMs',
      title: 'election timeout',
      unit: 'ms',
      min: 100,
      max: 1000,
      step: 10,
      ...doubled,
    },
    {
      setting: 'heartbeatMs',
      title: 'heartbeat',
      unit: 'ms',
      min: 10,
      max: 150,
      step: 5,
      ...plain,
    },
  ],
  zookeeper: [
    {
      setting: 'sessionTimeoutMs',
      title: 'session',
      unit: 'ms',
      min: 1000,
      max: 6000,
      step: 100,
      ...plain,
    },
  ],
  lease: [
    {
      setting: 'ttlMs',
      title: 'TTL',
      unit: 'ms',
      min: 1000,
      max: 10_000,
      step: 500,
      ...plain,
    },
  ],
  etcd: [{ setting: 'ttlSeconds', title: 'TTL', unit: 's', min: 1, max: 10, step: 1, ...plain }],
};

export function knobsFor(electors: readonly Elector[], schedule: Schedule): Knob[] {
  const { network, settings = {} } = schedule;
  const algorithms = [...new Set(electors.map(({ algorithm }) => algorithm))];
  return [
    {
      name: 'Slowest message',
      unit: 'ms',
      min: 1,
      max: 60,
      step: 1,
      value: network.latencyMs[1],
      apply: (maxMs) => ({
        ...schedule,
        network: { ...network, latencyMs: [Math.min(network.latencyMs[0], maxMs), maxMs] },
      }),
    },
    {
      name: 'Messages lost',
      unit: '%',
      min: 0,
      max: 50,
      step: 1,
      value: Math.round(network.lossProbability * 100),
      apply: (percent) => ({ ...schedule, network: { ...network, lossProbability: percent / 100 } }),
    },
    ...algorithms.flatMap((algorithm) =>
      (timeouts[algorithm] ?? []).map((knob): Knob => {
        const name = `${algorithm}.${knob.setting}`;
        const setting = settings[name] ?? settings[knob.setting] ?? customary(algorithm, knob.setting);
        return {
          ...knob,
          name: `${titleOf({ algorithm, variant: 'default' })} ${knob.title}`,
          value: knob.fromSetting(setting),
          apply: (value) => withSetting(schedule, name, knob.toSetting(value)),
        };
      }),
    ),
  ];
}

/** What the elector takes where the schedule says nothing. */
function customary(algorithm: string, setting: string): Setting {
  const { parameters } = open(algorithm)((found) => configure(found, 'default', 'defaults', defaultBudgetMs));
  return parameters[setting] ?? 0;
}
