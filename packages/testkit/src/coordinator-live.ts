/** What an elector on a real coordinator must do when its servers die, freeze, forget and are cut off. */

import { FencedStore, StaleTokenError } from '@hustings/elector';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from './check.js';
import {
  type CreateCandidate,
  eventually,
  type LiveAnnouncement,
  type LiveCandidate,
  LiveCandidates,
} from './live-candidates.js';

/** Real servers that belong together, numbered from 0. */
export interface LiveServers {
  killMember(index: number): Promise<void>;
  restartMember(index: number): Promise<void>;
  pauseMember(index: number): void;
  /** Which member leads the others. */
  leader(): Promise<number>;
  /** Kills all members, deletes their data, and starts them again. */
  loseData(): Promise<void>;
  stop(): Promise<void>;
}

/** A way to the servers that can be cut. */
export interface LiveLink<Connection> {
  readonly connection: Connection;
  /** From now on nothing comes through, and nothing is closed. */
  cut(): void;
  close(): Promise<void>;
}

/** A candidate in a process of its own, and what it has printed. */
export interface LiveProcess {
  readonly lines: readonly string[];
  signal(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
}

/** What the suite may ask of every elector on a coordinator. */
export interface AcceptLowerTokens {
  readonly type: 'accept-lower-tokens';
}

export interface CoordinatorSubject<
  Servers extends LiveServers,
  Connection,
  Announcement extends LiveAnnouncement,
> {
  readonly name: string;
  startServers(members: number): Promise<Servers>;
  /** The way to all members, to this one first where that can be chosen. */
  connect(servers: Servers, first?: number): Connection;
  /** The same way, through a proxy. */
  link(servers: Servers): Promise<LiveLink<Connection>>;
  readonly createCandidate: CreateCandidate<Connection, AcceptLowerTokens, Announcement>;
  /**
   * Starts a candidate that prints `leads <token>`, and then every few milliseconds `write <token>`, or `refused`
   * once its Leadership says no.
   */
  spawnCandidate(
    servers: Servers,
    id: string,
    election: string,
    leaseMs: number,
    onLine: (line: string) => void,
  ): Promise<LiveProcess>;
  /** How many candidates stand. */
  countCandidates(servers: Servers, election: string): Promise<number>;
  /** Deletes the key or znode by which the leader leads. */
  deleteFirst(servers: Servers, election: string): Promise<void>;
  /** Makes tokens so large that a server which begins again does not reach them while the test runs. */
  raiseTokens(servers: Servers, election: string): Promise<void>;
}

/** Registers the live suite for one coordinator. */
export function describeCoordinator<
  Servers extends LiveServers,
  Connection,
  Announcement extends LiveAnnouncement,
>(subject: CoordinatorSubject<Servers, Connection, Announcement>): void {
  type Candidate = LiveCandidate<AcceptLowerTokens, Announcement>;
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  async function open(members: number): Promise<Servers> {
    const servers = await subject.startServers(members);
    ends.push(() => servers.stop());
    return servers;
  }

  function gather(leaseMs: number) {
    const candidates = new LiveCandidates(subject.createCandidate, { leaseMs });
    ends.push(() => candidates.stop());
    return candidates;
  }

  /** A leader, and a node that waits behind it. */
  async function leaderAndHeir(servers: Servers, leaseMs = 5000) {
    const candidates = gather(leaseMs);
    const leader = await candidates.start('leader', subject.connect(servers));
    const heir = await candidates.start('heir', subject.connect(servers));
    leader.stand();
    await eventually('the leader leads', () => leader.leads);
    heir.stand();
    await eventually('the heir waits', () => heir.believesIn('leader'));
    return { candidates, leader, heir };
  }

  /** Waits until the leader has led for longer than what was certain when this was called. */
  async function renewed(leader: Candidate): Promise<void> {
    const leadership = leader.term();
    const deadlineMs = performance.now() + leadership.remainingMs;
    await eventually('the lease is renewed', () => performance.now() > deadlineMs);
    leadership.assertValid();
  }

  async function handOver(leader: Candidate, heir: Candidate): Promise<void> {
    const { token } = leader.term();
    expect([leader.leads, heir.leads]).toEqual([true, false]);
    await leader.elector.resign();
    await eventually('the heir leads', () => heir.leads);
    expect(heir.term().token).toBeGreaterThan(token);
  }

  async function cutOffLeader(servers: Servers): Promise<{ abortedMs: number; startedMs: number }> {
    const candidates = gather(2000);
    const link = await subject.link(servers);
    ends.push(() => link.close());
    const leader = await candidates.start('cut-off', link.connection);
    const successor = await candidates.start('successor', subject.connect(servers));
    let [abortedMs, startedMs] = [Number.POSITIVE_INFINITY, 0];
    leader.stand(({ signal }) => {
      signal.addEventListener('abort', () => {
        abortedMs = performance.now();
      });
    });
    await eventually('the leader leads', () => leader.leads);
    successor.stand(() => {
      startedMs = performance.now();
    });
    await eventually('the successor waits', () => successor.believesIn('cut-off'));
    link.cut();
    await eventually('the successor leads', () => startedMs > 0);
    return { abortedMs, startedMs };
  }

  describe(`given a leader on a real ${subject.name}, and an heir that waits`, { timeout: 120_000 }, () => {
    it('when the leader is cut off, then its signal aborts before the heir leads, each time', async () => {
      const servers = await open(1);
      const trials = await Promise.all([1, 2, 3].map(() => cutOffLeader(servers)));
      for (const { abortedMs, startedMs } of trials) expect(abortedMs).toBeLessThan(startedMs);
    });

    it('when the member of both dies, then both go on with another', async () => {
      const servers = await open(3);
      const { leader, heir } = await leaderAndHeir(servers);
      await servers.killMember(0);
      await renewed(leader);
      await handOver(leader, heir);
    });

    it("when the members' leader dies, then both go on, and the next token is greater", async () => {
      const servers = await open(3);
      const { leader, heir } = await leaderAndHeir(servers);
      await servers.killMember(await servers.leader());
      await renewed(leader);
      await handOver(leader, heir);
    });

    it('when the majority is gone, then the leader stops in time, and nobody leads until it is back', async () => {
      const servers = await open(3);
      const { leader, heir } = await leaderAndHeir(servers, 2000);
      await Promise.all([servers.killMember(0), servers.killMember(1)]);
      await eventually('the leader has stopped', () => !leader.leads);
      expect(heir.leads).toBe(false);
      await Promise.all([servers.restartMember(0), servers.restartMember(1)]);
      await eventually('the heir leads', () => heir.leads);
    });

    it('when a candidate between them dies, then the leader leads on and the last one waits', async () => {
      const servers = await open(1);
      const { candidates, leader, heir: middle } = await leaderAndHeir(servers);
      const last = await candidates.start('last', subject.connect(servers));
      last.stand();
      await eventually('the last waits', () => last.believesIn('leader'));
      await middle.elector.stop();
      await renewed(leader);
      expect(last.leads).toBe(false);
      await handOver(leader, last);
    });

    it("when somebody deletes the leader's place, then it stops at once, and the heir leads", async () => {
      const servers = await open(1);
      const { candidates, leader, heir } = await leaderAndHeir(servers, 20_000);
      await subject.deleteFirst(servers, candidates.election);
      // Whoever has to wait for a ping or a renewal waits for more than a third of the lease.
      await until('the leader has stopped', 6000, () => !leader.leads);
      expect(leader.term().signal.reason).toMatchObject({ reason: 'deposed' });
      await eventually('the heir leads', () => heir.leads);
    });
  });

  describe(`given a leader on a real ${subject.name} whose process is stopped for longer than its lease`, () => {
    it('then it finds its Leadership over at the first call, and no write with its token is accepted', {
      timeout: 60_000,
    }, async () => {
      const servers = await open(1);
      const candidates = gather(1000);
      const store = new FencedStore<string>();
      const accepted: string[] = [];
      const write = (token: bigint, holder: string): void => {
        store.write({ token, holder }, 'key', holder);
        accepted.push(holder);
      };
      const paused = await subject.spawnCandidate(servers, 'paused', candidates.election, 1000, (line) => {
        const [word, token = ''] = line.split(' ');
        if (word === 'write') write(BigInt(token), 'paused');
      });
      ends.push(() => paused.stop());
      await eventually('it leads and writes', () => accepted.includes('paused'));
      const successor = await candidates.start('successor', subject.connect(servers));
      successor.stand(({ token }) => write(token, 'successor'));
      await eventually('the successor waits', () => successor.believesIn('paused'));

      paused.signal('SIGSTOP');
      await eventually('the successor leads', () => successor.leads);
      const written = accepted.length;
      const said = paused.lines.length;
      paused.signal('SIGCONT');
      await eventually('the old leader has tried', () => paused.lines.length > said);

      expect(paused.lines[said]).toBe('refused');
      expect(accepted.length).toBe(written);
      const oldToken = BigInt(paused.lines[0]?.split(' ')[1] ?? '');
      expect(oldToken).toBeLessThan(successor.term().token);
      expect(() => write(oldToken, 'paused')).toThrow(StaleTokenError);
    });
  });

  describe.each([1, 3])(
    `given a real ${subject.name} of %i that loses its data while a node leads`,
    (members) => {
      it('then all say so and nobody who has seen a higher token leads, until told', {
        timeout: 120_000,
      }, async () => {
        const servers = await open(members);
        const candidates = gather(2000);
        await subject.raiseTokens(servers, candidates.election);
        const tokens: bigint[] = [];
        const stand = (candidate: Candidate): void =>
          candidate.stand(({ token, signal }) => {
            tokens.push(token);
            signal.addEventListener('abort', () => stand(candidate));
          });
        const [leader, heir, observer] = (await Promise.all(
          ['leader', 'heir', 'observer'].map((id) => candidates.start(id, subject.connect(servers))),
        )) as [Candidate, Candidate, Candidate];
        const all = [leader, heir, observer];
        stand(leader);
        await eventually('the leader leads', () => leader.leads);
        stand(heir);
        await eventually('the others know', () =>
          [heir, observer].every((each) => each.believesIn('leader')),
        );

        await servers.loseData();
        const saysSo = ({ announcements }: Candidate): boolean =>
          announcements.some(({ type }) => type === 'data-lost');
        await eventually('all say so', () => all.every(saysSo));
        await eventually('the leader has stopped', () => !leader.leads);
        while ((await subject.countCandidates(servers, candidates.election)) < 2);
        expect(tokens).toHaveLength(1);
        expect(observer.believesIn(null)).toBe(true);

        for (const { elector } of all) elector.request({ type: 'accept-lower-tokens' });
        await eventually('somebody leads again', () => leader.leads || heir.leads);
        expect(tokens[1]).toBeLessThan(tokens[0]!);
      });
    },
  );

  describe(`given three members of a real ${subject.name}, and three candidates`, () => {
    it.each(['dies', 'freezes'])(
      "when the members' leader %s while leadership is handed over, then somebody leads soon, and never two",
      { timeout: 120_000 },
      async (how) => {
        const servers = await open(3);
        const candidates = gather(2000);
        const [overlaps, tokens]: [string[], bigint[]] = [[], []];
        const all: Candidate[] = [];
        const stand = (candidate: Candidate): void =>
          candidate.stand(({ token }) => {
            tokens.push(token);
            const others = all.filter((other) => other !== candidate && other.leads);
            for (const { elector } of others) overlaps.push(`${candidate.elector.id} beside ${elector.id}`);
          });
        for (const first of [0, 1, 2]) {
          all.push(await candidates.start(`n${first}`, subject.connect(servers, first)));
        }
        for (const candidate of all) stand(candidate);
        const leading = (): Candidate | undefined => all.find(({ leads }) => leads);
        await eventually('somebody leads', () => leading() !== undefined);
        for (let round = 0; round < 3; round += 1) {
          const before = tokens.length;
          const former = leading();
          const member = await servers.leader();
          const resigned = former?.elector.resign();
          if (how === 'dies') await servers.killMember(member);
          else servers.pauseMember(member);
          await eventually('somebody else leads', () => tokens.length > before);
          await resigned;
          if (former !== undefined) stand(former);
          // A frozen one is not woken. Before 3.4.31 and 3.5.13 a leader of etcd that wakes revokes leases which its
          // successor has renewed: https://github.com/etcd-io/etcd/issues/15247.
          await servers.restartMember(member);
          await eventually('there is a leader', () => leading() !== undefined);
        }
        expect(overlaps).toEqual([]);
        expect(tokens).toEqual(tokens.toSorted((a, b) => Number(a - b)));
      },
    );
  });
}
