/** What was asked for and is not in the table, and why. */

import { rivals } from './rivals.js';
import { coordinatorOf, type Experiment, isApplicable } from './rows.js';

export const notesOf = (experiment: Experiment): string[] => [
  ...notesOn(experiment),
  ...notesOnRivals(experiment),
];

/** What a rival that was asked for has no row of. */
function notesOnRivals({ algorithms, faults, rivals: wanted }: Experiment): string[] {
  if (!wanted) return [];
  return rivals
    .filter(({ coordinator }) => algorithms.some((algorithm) => coordinatorOf(algorithm) === coordinator))
    .flatMap(({ name, variants }) =>
      variants.flatMap(({ variant, faults: possible }) => {
        const impossible = faults.filter((fault) => !possible.includes(fault));
        const full = variant === 'default' ? name : `${name} ${variant}`;
        return impossible.length === 0
          ? []
          : [
              `${impossible.join(', ')} cannot be done to ${full} from outside, or with the same lease: no such row.`,
            ];
      }),
    );
}

function notesOn(experiment: Experiment): string[] {
  const { algorithms, faults, untouchable = [] } = experiment;
  return faults.flatMap((fault) => {
    const without = algorithms.filter((algorithm) => !isApplicable(fault, algorithm, experiment));
    if (fault === 'transfer' && without.length > 0) {
      return [`transfer does not apply to ${without.join(', ')}: no choice of a successor, so no such row.`];
    }
    const foreign = without.filter((algorithm) => untouchable.includes(algorithm));
    const selfSufficient = without.filter((algorithm) => !untouchable.includes(algorithm));
    return [
      ...(selfSufficient.length === 0
        ? []
        : [`${fault} does not apply to ${selfSufficient.join(', ')}: no coordinator, so no such row.`]),
      ...(foreign.length === 0
        ? []
        : [
            `${fault} is not done to servers that were named, so there is no such row for ${foreign.join(', ')}.`,
          ]),
    ];
  });
}
