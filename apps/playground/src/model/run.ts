/** One elector under the schedule, recorded, with what the drawings ask for again and again. */

import { algorithmNames, type Trait, variantsOf, withSubject } from '@hustings/catalogue';
import { formatRunName, type Moment, Recorder, type Recording, type Schedule } from '@hustings/simulator';
import { Air } from './air.js';

export interface Elector {
  readonly algorithm: string;
  readonly variant: string;
}

export interface Run {
  readonly elector: Elector;
  readonly recording: Recording;
  readonly air: Air;
  /** The name that replays it on the command line. */
  readonly name: string;
  portray(moment: Moment, atMs: number): readonly Trait[];
}

/** Every elector with every variant, in the order of the tables. */
export const electors: readonly Elector[] = algorithmNames.flatMap((algorithm) =>
  variantsOf(algorithm).map((variant) => ({ algorithm, variant })),
);

const properNames: Readonly<Record<string, string>> = { zookeeper: 'ZooKeeper', etcd: 'etcd' };

const variantNames: Readonly<Record<string, string>> = {
  // Of the lease alone: the others have no store to be named after.
  default: 'PostgreSQL',
  'redis-replica': 'Redis with a replica',
  'postgres-session': 'PostgreSQL session',
  redis: 'Redis',
  redlock: 'Redlock',
  kubernetes: 'Kubernetes',
  dynamodb: 'DynamoDB',
  consul: 'Consul',
  local: 'one machine',
  'no-pre-vote': 'without pre-vote',
  plain: 'as in the paper',
  certificates: 'with death certificates',
  heirs: 'with heirs',
  'heirs-certificates': 'with heirs and death certificates',
  'chang-roberts': 'Chang and Roberts',
};

export function titleOf({ algorithm, variant }: Elector): string {
  if (algorithm.startsWith('my-')) return 'Yours';
  const name = properNames[algorithm] ?? algorithm.charAt(0).toUpperCase() + algorithm.slice(1);
  const isPlain = variant === 'default' && algorithm !== 'lease';
  return isPlain ? name : `${name}, ${variantNames[variant] ?? variant}`;
}

export const keyOf = ({ algorithm, variant }: Elector): string => `${algorithm}.${variant}`;

export const isSame = (a: Elector, b: Elector): boolean => keyOf(a) === keyOf(b);

const eventsAtOnce = 4000;

/** Throws what the elector says about settings that cannot work. Lets the page breathe in a long run. */
export async function recordRun(
  elector: Elector,
  schedule: Schedule,
  breathe: (progress: number) => Promise<void>,
): Promise<Run> {
  const { algorithm, variant } = elector;
  const recorded = withSubject(algorithm, variant, (subject, found) => {
    const recorder = new Recorder(subject, schedule);
    return {
      recorder: recorder as Pick<typeof recorder, 'advance' | 'progress'>,
      finish: () => recorder.finish() as Recording,
      portray: (moment: Moment, localMs: number) => found.portray(moment.state as never, localMs),
    };
  });
  while (recorded.recorder.advance(eventsAtOnce)) await breathe(recorded.recorder.progress);
  const recording = recorded.finish();
  return {
    elector,
    recording,
    air: new Air(recording.facts.flights, recording.facts.endMs),
    name: formatRunName({ algorithm, variant, type: 'schedule', schedule }),
    portray: (moment, atMs) => recorded.portray(moment, recording.localMs(moment, atMs)),
  };
}
