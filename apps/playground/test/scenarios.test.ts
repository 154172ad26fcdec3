import { describe, expect, it } from 'vitest';
import { scenarios } from '../src/model/scenarios.js';
import { outcomeOf, overlapsOf } from '../src/model/verdict.js';
import { goldenPath, runsOf, tellScenario } from './golden.js';

const named = (id: string) => scenarios.find((scenario) => scenario.id === id)!;

describe.each(scenarios)('scenario $id', (scenario) => {
  it('is explained by the text that a person has read', async () => {
    await expect(await tellScenario(scenario)).toMatchFileSnapshot(goldenPath(scenario));
  });

  it('has exactly one right answer', () => {
    expect(scenario.choices.filter(({ isRight }) => isRight)).toHaveLength(1);
  });

  it('comes to the end of its schedule', async () => {
    for (const { recording } of await runsOf(scenario)) {
      expect(recording.facts.endMs).toBe(recording.facts.schedule.durationMs);
      expect(recording.facts.tenures.length).toBeGreaterThan(0);
    }
  });
});

describe('what the scenarios claim', () => {
  const outcomesOf = async (id: string) => (await runsOf(named(id))).map(({ recording }) => recording);

  it('partition: bully has two leaders, raft never', async () => {
    const [bully, raft] = await outcomesOf('partition');
    expect(outcomeOf(bully!).tone).toBe('bad');
    expect(overlapsOf(raft!)).toEqual([]);
  });

  it('pause: a write is refused, although there were never two leaders', async () => {
    const [raft] = await outcomesOf('pause');
    expect(overlapsOf(raft!)).toEqual([]);
    expect(raft!.facts.writes.filter(({ refusal }) => refusal !== null)).toHaveLength(1);
  });

  it('crash: those with a coordinator have a new leader last', async () => {
    const began = (await outcomesOf('crash')).map(({ facts }) => facts.tenures.at(-1)!.beganMs);
    expect(Math.max(...began.slice(0, 3))).toBeLessThan(Math.min(...began.slice(3)));
  });

  it('drift: two lead for a moment, and tokens tell them apart', async () => {
    for (const recording of await outcomesOf('drift')) {
      expect(overlapsOf(recording)).toHaveLength(1);
      expect(recording.facts.writes.some(({ refusal }) => refusal?.includes('no longer leads'))).toBe(true);
    }
  });

  it('pre-vote: only without it the leader is deposed', async () => {
    const [calm, disturbed] = await outcomesOf('pre-vote');
    expect(calm!.facts.tenures).toHaveLength(1);
    expect(disturbed!.facts.tenures.length).toBeGreaterThan(1);
  });

  it('herd: five messages on the one side, a hundred and twenty on the other', async () => {
    const counts = (await outcomesOf('herd')).map(({ facts }) => {
      const { beganMs } = facts.tenures.at(-1)!;
      const around = facts.flights.filter(({ sentMs }) => Math.abs(sentMs - beganMs) < 20);
      return around.filter(({ message }) => !facts.periodicMessages.has(message.type)).length;
    });
    expect(counts).toEqual([5, 120]);
  });

  it('one-way: the leader of raft notices, that of bully does not', async () => {
    const [bully, raft] = await outcomesOf('one-way');
    expect(bully!.facts.tenures).toHaveLength(1);
    expect(raft!.facts.tenures).toHaveLength(2);
  });

  it('forgetful: only the store that fails over gives the lease away twice', async () => {
    const [postgres, redis] = await outcomesOf('forgetful');
    expect(overlapsOf(postgres!)).toEqual([]);
    expect(outcomeOf(redis!).tone).toBe('bad');
  });

  it('middle: the node behind the one that died does not lead before the leader dies', async () => {
    const [zookeeper] = await outcomesOf('middle');
    expect(zookeeper!.facts.tenures.map(({ node }) => node)).toEqual(['n3', 'n2']);
    expect(overlapsOf(zookeeper!)).toEqual([]);
  });

  it('heir: only the heir leads before the lease is over', async () => {
    const [plain, heirs, certificates] = (await outcomesOf('heir')).map(({ facts }) => facts.tenures);
    expect(heirs!.at(-1)!.beganMs).toBeLessThan(4100);
    expect(plain!.at(-1)!.beganMs).toBeGreaterThan(6000);
    expect(certificates!.at(-1)!.beganMs).toBeGreaterThan(6000);
  });

  it('certificate: whoever has it leads at once, the heir after its wait, the rest after the lease', async () => {
    const recordings = await outcomesOf('certificate');
    const [plain, certificates, heirs] = recordings.map(({ facts }) => facts.tenures.at(-1)!.beganMs);
    expect(certificates).toBeLessThan(3100);
    expect(heirs).toBeGreaterThan(3500);
    expect(heirs).toBeLessThan(4100);
    expect(plain).toBeGreaterThan(6000);
  });

  it('stores: one machine replaces the dead at once and the sleeper never, Consul is the slowest', async () => {
    const [local, kubernetes, dynamodb, consul] = (await outcomesOf('stores')).map(({ facts }) =>
      facts.tenures.slice(1).map(({ beganMs }) => beganMs),
    );
    expect(local![0]).toBeLessThan(2050);
    expect(local![1]).toBeGreaterThan(8000);
    for (const observed of [kubernetes!, dynamodb!]) {
      expect(observed[0]).toBeGreaterThan(3000);
      expect(observed[1]).toBeLessThan(8000);
      expect(observed[0]).toBeLessThan(consul![0]!);
    }
  });

  it('many: the elections that the paused process led have a new leader, the third keeps its own', async () => {
    const leaders = (await outcomesOf('many')).map(({ facts }) => facts.tenures.map(({ node }) => node));
    expect(leaders).toEqual([['n1', 'n3'], ['n1', 'n3'], ['n2']]);
  });
});
