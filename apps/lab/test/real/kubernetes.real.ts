import { type KubernetesServer, startKubernetes } from '@hustings/servers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ClockResult,
  type ClockVictim,
  clockVictims,
  runClocks,
} from '../../src/measurements/stores/kubernetes-clocks.js';
import {
  type MixedFault,
  type MixedResult,
  mixedFaults,
  runMixed,
} from '../../src/measurements/stores/kubernetes-mixed.js';

// A small share of `kubernetes.js`, all at once: candidates of client-go wait for a minute.
let kubernetes: KubernetesServer;
const mixed = new Map<MixedFault, Promise<MixedResult>>();
const clocks = new Map<ClockVictim, Promise<ClockResult[]>>();

beforeAll(async () => {
  kubernetes = await startKubernetes();
  for (const fault of mixedFaults) mixed.set(fault, runMixed(kubernetes, fault));
  for (const victim of clockVictims.filter((each) => each !== 'API server')) {
    clocks.set(victim, runClocks(kubernetes, victim, 1));
  }
  // Its clock is everybody's, so it jumps when the others are done.
  clocks.set(
    'API server',
    Promise.allSettled([...mixed.values(), ...clocks.values()]).then(() =>
      runClocks(kubernetes, 'API server', 1),
    ),
  );
  // Each is awaited by its own test; until then nobody hears of a failure.
  for (const run of [...mixed.values(), ...clocks.values()]) run.catch(() => {});
});
afterAll(async () => {
  await Promise.allSettled([...mixed.values(), ...clocks.values()]);
  await kubernetes?.stop();
});

describe('an election of ours, then of client-go, then of ours again', () => {
  it.each(mixedFaults)('has one leader at a time when each is %s, and the token grows', async (fault) => {
    expect(await mixed.get(fault)).toMatchObject({ heldOnMs: 0, earlyMs: 0, tokensGrow: true });
  });
});

describe('a wall clock that jumps by an hour, and back', () => {
  it.each(clockVictims)('deposes and elects nobody: of the %s', async (victim) => {
    expect(await clocks.get(victim)).toEqual([{ deposed: false, elected: false }]);
  });
});
