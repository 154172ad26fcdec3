import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { algorithmNames, withSubject } from '@hustings/catalogue';
import { describe, expect, it } from 'vitest';
import { readResults } from '../src/report/compare.js';
import { renderComparisonPage, type StoreMeasurements } from '../src/report/comparison-page.js';
import { type Digest, type DigestRow, digest } from '../src/report/digest.js';
import { bench, temporaryDirectory } from './command.js';

const read = (path: string): string =>
  readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8');
const simulated = JSON.parse(read('data/simulated.json')) as Digest;
const live = JSON.parse(read('data/live.json')) as Digest;
const stores: StoreMeasurements = {
  kill: JSON.parse(read('data/stores/kill.json')),
  resign: JSON.parse(read('data/stores/resign.json')),
};
const safe: readonly string[] = ['raft', 'etcd', 'zookeeper'];

/** Raft as the paper has it does not: a leader that is cut off leads on until it hears of the next one. */
const promisesOne = ({ algorithm, variant }: DigestRow): boolean =>
  withSubject(algorithm, variant, ({ protocol }) => protocol.guarantees.atMostOneLeader);

describe('docs/comparison.md', () => {
  it('is what its data says', () => {
    expect(read('comparison.md')).toBe(renderComparisonPage({ simulated, live, stores }));
  });

  it('would differ if the data did', () => {
    const [first, ...rest] = live.rows;
    const altered = { ...live, rows: [{ ...first!, unresolved: 99 }, ...rest] };
    expect(renderComparisonPage({ simulated, live: altered, stores })).not.toBe(read('comparison.md'));
  });
});

describe('the simulated rows', () => {
  it('are those of the code as it is', { timeout: 120_000 }, async () => {
    const out = temporaryDirectory();
    const flags = ['--variants', '--nodes', '3', '--faults', 'crash', '--trials', '200'];
    await bench(...flags, '--seed', simulated.seed, '--out', out);
    const { rows } = digest(await readResults(join(out, 'results.json')));
    const committed = simulated.rows.filter(({ nodes, fault }) => nodes === 3 && fault === 'crash');
    expect(rows, 'measure anew: the commands are at the end of docs/comparison.md').toEqual(committed);
  });

  it('show two leaders of Raft as the paper has it, and of no other variant of the safe', () => {
    const broken = simulated.rows.filter(
      (row) => safe.includes(row.algorithm) && !promisesOne(row) && row.splitBrain.incidents > 0,
    );
    expect(new Set(broken.map(({ algorithm, variant }) => `${algorithm}/${variant}`))).toEqual(
      new Set(['raft/plain']),
    );
  });
});

describe('what a fenced store took', () => {
  const unfenced = simulated.rows.map((row) => ({
    ...row,
    writes: { ...row.writes, staleAcceptedFenced: 0 },
  }));

  it('is explained beside the table, with the faults under which it happened', () => {
    const [first, ...rest] = unfenced;
    const bully = { ...first!, writes: { ...first!.writes, staleAcceptedFenced: 1234 } };
    const page = renderComparisonPage({ simulated: { ...simulated, rows: [bully, ...rest] }, live });
    expect(page).toContain(
      `took stale writes, 1,234 of bully**, all under \`${bully.fault}\`: whoever did not`,
    );
  });

  it('needs no explanation where it was nothing', () => {
    const page = renderComparisonPage({ simulated: { ...simulated, rows: unfenced }, live });
    expect(page).not.toContain('Why a fenced store');
  });
});

describe('the comparison with other people’s electors', () => {
  const uncounted = ({ wire: _, ...messages }: Digest['rows'][number]['messages']) => messages;
  const ours = live.rows
    .filter(({ peer }) => !peer)
    .map((row) => ({ ...row, messages: uncounted(row.messages) }));
  const etcd = ours.find(({ algorithm }) => algorithm === 'etcd')!;
  const wire = { failover: 7, steadyPerSecond: 30 };
  const counted = { ...etcd, messages: { ...etcd.messages, wire } };
  const peer = { ...counted, algorithm: 'etcd3', peer: true as const };
  const page = (rows: Digest['rows']) => renderComparisonPage({ simulated, live: { ...live, rows } });

  it('has a row for each of them, beside ours on the same servers, and nobody else', () => {
    const [, section] = page([...ours, counted, peer]).split('## Ours and theirs');
    const [table] = section!.split('\n## ');
    expect(table!.match(/^\| (?!elector|---)\S+ \|/gm)).toEqual(['| etcd |', '| etcd3 |']);
    expect(section).toMatch(/--mode live --peers /);
  });

  it('leaves them out of the tables of our own', () => {
    const [before] = page([...ours, counted, peer]).split('## Ours and theirs');
    expect(before).not.toContain('etcd3');
  });

  it('is not there when none was measured', () => {
    expect(page(ours)).not.toMatch(/Ours and theirs|--peers/);
  });
});

describe.each([
  ['simulated', simulated],
  ['live', live],
] as const)('the committed %s results', (mode, { rows }) => {
  it('have every algorithm that is measured so', () => {
    const ours = rows.filter(({ peer }) => !peer);
    // On its stores a lease is measured live by the lab.
    const measured = algorithmNames.filter((name) => mode === 'simulated' || name !== 'lease');
    expect([...new Set(ours.map(({ algorithm }) => algorithm))]).toEqual(measured);
  });

  it('show two leaders of bully and ring when the network is partitioned', () => {
    for (const algorithm of ['bully', 'ring']) {
      const parted = rows.filter(
        (row) => row.algorithm === algorithm && (row.fault === 'split' || row.fault === 'isolate'),
      );
      expect(parted.every(({ splitBrain }) => splitBrain.trialsAffected > 0)).toBe(true);
    }
  });

  const ofTheSafe = rows.filter(({ algorithm }) => safe.includes(algorithm));

  it('show none of the others while clocks keep the bound that they declare', () => {
    // A clock at half speed does not: then a lease may outlast itself.
    const within = ofTheSafe.filter((row) => row.fault !== 'clock-drift' && promisesOne(row));
    for (const row of within) expect(row).toMatchObject({ splitBrain: { incidents: 0 } });
  });

  it('show no stale write of theirs in a fenced store, whatever clocks do', () => {
    for (const row of ofTheSafe) expect(row).toMatchObject({ writes: { staleAcceptedFenced: 0 } });
  });
});

describe('the committed results of leases', () => {
  const ofLeases = simulated.rows.filter(({ algorithm }) => algorithm === 'lease');
  const isWithinAssumptions = (fault: string) => fault !== 'clock-drift';

  it('show one leader on every store that keeps what it has acknowledged', () => {
    const kept = ofLeases.filter(
      ({ variant, fault }) => variant !== 'redis-replica' && isWithinAssumptions(fault),
    );
    expect(kept.length).toBeGreaterThan(0);
    for (const row of kept) expect(row).toMatchObject({ splitBrain: { incidents: 0 } });
  });

  it('show two where a replica takes over that has missed the lease', () => {
    const promoted = ofLeases.filter(
      ({ variant, fault }) => variant === 'redis-replica' && fault === 'coordinator-member-crash',
    );
    expect(promoted.some(({ splitBrain }) => splitBrain.trialsAffected > 0)).toBe(true);
    expect(promoted.some(({ writes }) => writes.staleAcceptedUnfenced > 0)).toBe(true);
  });

  it('show no stale write in a fenced store, whatever the store forgets', () => {
    for (const row of ofLeases) expect(row).toMatchObject({ writes: { staleAcceptedFenced: 0 } });
  });
});

describe('messages until the next one leads', () => {
  const messages = (algorithm: string, variant: string, fault: string, nodes: number): number =>
    simulated.rows.find(
      (row) =>
        row.algorithm === algorithm && row.variant === variant && row.fault === fault && row.nodes === nodes,
    )!.messages.failover!;
  const growth = (algorithm: string, variant: string, fault = 'crash') =>
    messages(algorithm, variant, fault, 101) / messages(algorithm, variant, fault, 25);

  it('stay the same in a queue, however many wait', () => {
    expect(growth('etcd', 'default')).toBe(1);
    expect(growth('zookeeper', 'default')).toBe(1);
  });

  it('grow with the candidates where all are woken', () => {
    for (const ratio of [growth('etcd', 'race'), growth('zookeeper', 'herd')]) {
      expect(ratio).toBeGreaterThan(3);
      expect(ratio).toBeLessThan(6);
    }
  });

  it('grow with the square of the nodes in the worst case of bully, and with the nodes in a ring', () => {
    expect(growth('bully', 'default')).toBeGreaterThan(12);
    expect(growth('ring', 'chang-roberts', 'isolate')).toBeLessThan(8);
  });

  it('is not made from data that was condensed already', () => {
    const script = fileURLToPath(new URL('../dist/comparison.js', import.meta.url));
    const condensed = fileURLToPath(new URL('../../../docs/data/simulated.json', import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [script, '--simulated', condensed], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([2, expect.stringContaining('name the results.json')]);
  });
});
