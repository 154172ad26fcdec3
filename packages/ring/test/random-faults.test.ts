import { parseSchedule, Random, run } from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import { changRoberts, invariants, ring } from '../src/index.js';

const faults = [
  'crash TARGET',
  'pause TARGET',
  'isolate TARGET',
  'split TARGET',
  'one-way TARGET',
  'slow-link TARGET 300',
  'clock-drift TARGET 1.5',
  'graceful TARGET',
  'loss 0.3',
  'duplicate 0.5',
  'reorder',
];

/** A cluster of 1 to 9 and up to five faults, all healed by 4500; the rest of the run is time to settle. */
function drawSchedule(seed: number): { nodes: string[]; text: string } {
  const random = new Random(seed);
  const nodes = Array.from({ length: random.integer(1, 9) }, (_, index) => `n${index + 1}`);
  const lines = [
    `nodes ${nodes.join(' ')}`,
    `seed ${seed}`,
    `latency 1 ${random.integer(1, 45)}`,
    'run 8000',
    ...(random.chance(0.5) ? ['silent-crashes'] : []),
    ...(random.chance(0.3) ? ['unwind 30'] : []),
  ];
  for (let count = random.integer(0, 5); count > 0; count -= 1) {
    const atMs = random.integer(0, 3000);
    const target = random.chance(0.5) ? 'leader' : random.pick(nodes);
    const isRestart = random.chance(0.1);
    lines.push(
      isRestart
        ? `at ${atMs} restart ${target}`
        : `at ${atMs} ${random.pick(faults).replace('TARGET', target)} until ${atMs + random.integer(1, 1500)}`,
    );
  }
  return { nodes, text: lines.join('\n') };
}

describe('a ring that has suffered any faults', () => {
  it.each([0, 1, 2, 3])('settles on one leader once they have healed (part %i)', (part) => {
    for (let seed = part * 150; seed < (part + 1) * 150; seed += 1) {
      const { nodes, text } = drawSchedule(seed);
      const order = shuffled(nodes, new Random(seed));
      for (const protocol of [ring(), ring({ order }), changRoberts(), changRoberts({ order })]) {
        const { violation } = run(protocol, parseSchedule(text), { invariants, settles: true });
        expect(violation, `${protocol.variant} in\n${text}`).toBeNull();
      }
    }
  });
});

function shuffled(ids: readonly string[], random: Random): string[] {
  const rest = [...ids];
  return ids.map(() => rest.splice(random.integer(0, rest.length - 1), 1)[0]!);
}
