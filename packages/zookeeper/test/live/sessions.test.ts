/** Many elections over one session to a real ensemble, and what faults do to all of them. */

import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Leadership } from '@hustings/elector';
import { createElector, memoryStorage, type RuntimeElector } from '@hustings/runtime';
import { loopbackProxy, startZooKeeperEnsemble, supervise, type ZooKeeperEnsemble } from '@hustings/servers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type SharedGateway, sharedGateway, zookeeperGateway } from '../../src/gateway.js';
import { type ZooKeeperElectionRequest, zookeeper } from '../../src/index.js';
import { eventually } from './nodes.js';

const sessionTimeoutMs = 2000;
const elections = Array.from({ length: 20 }, (_, index) => `p${index}`);
const program = fileURLToPath(new URL('./session.mjs', import.meta.url));

let ensemble: ZooKeeperEnsemble;
beforeAll(async () => {
  ensemble = await startZooKeeperEnsemble({ members: 3 });
});
afterAll(() => ensemble?.stop());

const opened: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.stop();
});

type Node = RuntimeElector<ZooKeeperElectionRequest>;

/** Stands in one election, again after each loss. */
class Candidate {
  readonly elector: Node;
  readonly terms: Leadership[] = [];

  constructor(elector: Node) {
    this.elector = elector;
    opened.push(elector);
  }

  async stand(): Promise<void> {
    await this.elector.start();
    void this.#campaign();
  }

  get leads(): boolean {
    const term = this.terms.at(-1);
    return term !== undefined && !term.signal.aborted && term.remainingMs > 0;
  }

  async #campaign(): Promise<void> {
    try {
      for (;;) {
        const leadership = await this.elector.campaign();
        this.terms.push(leadership);
        await new Promise((resolve) => leadership.signal.addEventListener('abort', resolve, { once: true }));
      }
    } catch {
      // The test's end interrupts it.
    }
  }
}

class Process {
  readonly candidates: readonly Candidate[];
  readonly session: SharedGateway;

  constructor(id: string, path: string, hosts = ensemble.hosts) {
    const transport = zookeeperGateway({ id, hosts });
    this.session = sharedGateway({ transport, path, settings: { sessionTimeoutMs } });
    opened.push(this.session);
    this.candidates = elections.map(
      (election) =>
        new Candidate(
          createElector({
            protocol: zookeeper({ path: `${path}/${election}`, sessionTimeoutMs }),
            transport: this.session.transport(election),
            storage: memoryStorage(),
          }),
        ),
    );
  }

  async stand(): Promise<void> {
    await Promise.all(this.candidates.map((candidate) => candidate.stand()));
  }

  get leadsAll(): boolean {
    return this.candidates.every(({ leads }) => leads);
  }

  get leadsNone(): boolean {
    return this.candidates.every(({ leads }) => !leads);
  }

  knows(leader: string): boolean {
    return this.candidates.every(({ elector }) => elector.belief().leaderId === leader);
  }

  get tokens(): bigint[] {
    return this.candidates.map(({ terms }) => terms.at(-1)!.token);
  }
}

const newPath = (): string => `/sessions/${randomUUID()}`;

/** A process that leads all elections over a proxy, and one that waits for them. */
async function leaderAndHeir() {
  const path = newPath();
  const member = ensemble.hosts.split(',')[0]!;
  const proxy = await loopbackProxy({ target: `tcp://${member}`, framing: 'length-prefixed' });
  opened.push({ stop: () => proxy.close() });
  const leader = new Process('leader', path, `127.0.0.1:${proxy.port}`);
  await leader.stand();
  await eventually('it leads all', () => leader.leadsAll);
  const heir = new Process('heir', path);
  await heir.stand();
  await eventually('the heir waits', () => heir.knows('leader'));
  return { leader, heir, proxy };
}

describe('given twenty elections over one session', { timeout: 60_000 }, () => {
  it('then they are one session and one connection', async () => {
    const { leader, proxy } = await leaderAndHeir();
    expect(leader.leadsAll).toBe(true);
    expect(proxy.connections).toBe(1);
  });

  it('when the connection breaks and the way back opens soon, then all go on leading', async () => {
    const { leader, heir, proxy } = await leaderAndHeir();
    proxy.reset();
    const untilMs = performance.now() + 2 * sessionTimeoutMs;
    await eventually('their leases have been renewed', () => performance.now() > untilMs || !leader.leadsAll);
    expect(leader.candidates.map(({ terms }) => terms.length)).toEqual(elections.map(() => 1));
    expect(heir.leadsNone).toBe(true);
  });

  it('when the process is cut off, then all end before another leads, and the session ends for all', async () => {
    const { leader, heir, proxy } = await leaderAndHeir();
    const former = leader.tokens;
    proxy.cut();
    await eventually('the heir leads all', () => {
      const overlap = elections.filter(
        (_, index) => leader.candidates[index]!.leads && heir.candidates[index]!.leads,
      );
      expect(overlap).toEqual([]);
      return heir.leadsAll;
    });
    expect(heir.tokens.every((token, index) => token > former[index]!)).toBe(true);
    proxy.heal();
    await eventually('the other follows', () => leader.knows('heir'));
  });

  it('when one of them stops, then its znode goes and the others go on', async () => {
    const { leader, heir } = await leaderAndHeir();
    await leader.candidates[0]!.elector.stop();
    await eventually('the heir leads one', () => heir.candidates[0]!.leads);
    expect(leader.candidates.filter(({ leads }) => leads)).toHaveLength(elections.length - 1);
    expect(heir.candidates.filter(({ leads }) => leads)).toHaveLength(1);
  });

  it('when the process is killed, then another leads all once the session has ended', async () => {
    const path = newPath();
    const killed = await supervise(process.execPath, [
      ...[program, 'killed', path, `${sessionTimeoutMs}`, ensemble.hosts, ...elections],
    ]);
    opened.push(killed);
    await eventually('it leads all', () => killed.lines.length === elections.length);
    const heir = new Process('heir', path);
    await heir.stand();
    await eventually('the heir waits', () => heir.knows('killed'));
    killed.signal('SIGKILL');
    await eventually('the heir leads all', () => heir.leadsAll);
  });
});

describe('given an elector with a session of its own in the same election', () => {
  it('then the two take turns', { timeout: 60_000 }, async () => {
    const path = newPath();
    const shared = new Process('shared', path);
    await shared.stand();
    await eventually('the shared one leads', () => shared.leadsAll);
    const alone = new Candidate(
      createElector({
        protocol: zookeeper({ path: `${path}/p7`, sessionTimeoutMs }),
        transport: zookeeperGateway({ id: 'alone', hosts: ensemble.hosts }),
        storage: memoryStorage(),
      }),
    );
    await alone.stand();
    await eventually('it waits', () => alone.elector.belief().leaderId === 'shared');
    await shared.candidates[7]!.elector.resign();
    await eventually('it leads', () => alone.leads);
    await eventually('the other follows', () => shared.candidates[7]!.elector.belief().leaderId === 'alone');
    expect(shared.candidates.filter(({ leads }) => leads)).toHaveLength(elections.length - 1);
  });
});
