import assert from 'node:assert/strict';
import {
  CampaignWithdrawnError,
  InvalidOptionError,
  type Leadership,
  LeadershipLostError,
  lead,
  type NodeId,
  NotStartedError,
  StoppedError,
  TransferUnsupportedError,
} from '@hustings/elector';
import { type Check, pause, rejection } from './check.js';
import { aborted, believeIn, Election, historyOf } from './election.js';
import type { ElectorSubject } from './elector-subject.js';

export type { ElectorCluster, ElectorSubject } from './elector-subject.js';

const pair = ['node-1', 'node-2'] as const;
const three = ['node-1', 'node-2', 'node-3'] as const;

function check(
  name: string,
  ids: readonly NodeId[],
  body: (election: Election) => Promise<void>,
): Check<ElectorSubject> {
  return {
    name,
    async run(subject) {
      const election = await Election.open(subject, ids);
      try {
        await body(election);
      } finally {
        await election.close();
      }
      // Declared of every moment, so it is asserted of every check.
      if (subject.guarantees.atMostOneLeader) assert.deepEqual(election.overlaps, []);
    },
  };
}

const electing: readonly Check<ElectorSubject>[] = [
  check('a node alone leads', ['node-1'], async (election) => {
    const [leader] = await election.elect('node-1');
    leader.term.assertValid();
    assert.equal(leader.term.token, leader.elector.belief().token);
  }),

  check('one leader emerges, and everyone comes to believe in it', three, async (election) => {
    const [leader, ...rest] = await election.elect(...three);
    leader.term.assertValid();
    assert.equal(leader.term.signal.aborted, false);
    assert.equal(leader.term.token, leader.elector.belief().token);
    for (const { elector } of rest) assert.equal(elector.belief().role, 'follower');
  }),

  check('nobody leads who did not campaign', three, async (election) => {
    const electors = await election.start(...three);
    const histories = electors.map(historyOf);
    const only = election.stand(electors[0]!);
    await election.until('the only candidate leads', () => believeIn(only.elector, electors));
    const roles = histories.slice(1).flatMap((history) => history.map(({ role }) => role));
    assert.ok(!roles.includes('leader') && !roles.includes('candidate'));
  }),

  check('a campaign waits for as long as another node leads', three, async (election) => {
    const [leader, ...rest] = await election.elect(...three);
    assert.deepEqual(
      rest.map(({ isLeading }) => isLeading),
      [false, false],
    );
    await leader.elector.stop();
    const [successor] = await election.agreed(rest);
    successor.term.assertValid();
  }),

  check('a campaign of the leader is answered with the Leadership that it has', three, async (election) => {
    const [leader] = await election.elect(...three);
    assert.equal(await leader.elector.campaign(), leader.term);
  }),

  check('a node that comes back learns who leads', three, async (election) => {
    const [leader, ...rest] = await election.elect(...three);
    const leaving = rest[0]!;
    await leaving.elector.stop();
    const [returned] = await election.start(leaving.elector.id);
    await election.until('the node that came back believes in the leader', () =>
      believeIn(leader.elector, [leader.elector, returned!]),
    );
    assert.equal(leader.term.signal.aborted, false);
  }),
];

const handingOver: readonly Check<ElectorSubject>[] = [
  check('another node leads when the leader stops', three, async (election) => {
    const [leader, ...rest] = await election.elect(...three);
    election.overlaps.length = 0;
    await leader.elector.stop();
    assert.equal(leader.isLeading, false);
    const [successor] = await election.agreed(rest);
    assert.notEqual(successor.elector.id, leader.elector.id);
    assert.deepEqual(election.overlaps, []);
  }),

  check(
    'another node leads when the leader resigns, and not before its signal aborted',
    three,
    async (election) => {
      const [leader, ...rest] = await election.elect(...three);
      election.overlaps.length = 0;
      const resigned = leader.retire();
      assert.equal(leader.isLeading, false);
      assert.equal(leader.term.remainingMs, 0);
      assert.throws(() => leader.term.assertValid(), LeadershipLostError);
      await resigned;
      await election.agreed(rest);
      assert.deepEqual(election.overlaps, []);
    },
  ),

  check('a node that resigned does not lead until it campaigns again', pair, async (election) => {
    const [first, second] = await election.elect(...pair);
    await first.retire();
    const history = historyOf(first.elector);
    const electors = [first.elector, second!.elector];
    await election.until('the other leads', () => believeIn(second!.elector, electors));
    // Even while nobody leads, and the other has to win a whole election.
    await second!.elector.resign();
    await election.until('the other leads again', () => believeIn(second!.elector, electors));
    assert.ok(!history.some(({ role }) => role === 'leader'));
    const again = election.stand(first.elector);
    await second!.retire();
    await election.until('it leads again', () => believeIn(first.elector, electors) && again.isLeading);
  }),

  check('resign ends a candidacy', pair, async (election) => {
    const [leader, other] = await election.elect(...pair);
    const campaign = rejection(other!.elector.campaign());
    await other!.retire();
    assert.ok((await campaign) instanceof CampaignWithdrawnError);
    assert.equal(leader.isLeading, true);
  }),

  check(
    'leadership goes to a chosen node, where that is declared, and is refused where not',
    three,
    async (election) => {
      const [leader, chosen] = await election.elect(...three);
      const termsBefore = election.terms.length;
      if (!election.guarantees.targetedTransfer) {
        const refusal = await rejection(leader.elector.resign({ to: chosen!.elector.id }));
        assert.ok(refusal instanceof TransferUnsupportedError);
        assert.equal(leader.isLeading, true);
        return;
      }
      const refusal = await rejection(leader.elector.resign({ to: 'nobody' }));
      assert.ok(refusal instanceof InvalidOptionError);
      assert.equal(leader.isLeading, true);
      await leader.retire(chosen!.elector.id);
      await election.until('somebody leads', () => election.terms.length > termsBefore);
      assert.equal(election.terms[termsBefore], chosen!.term);
    },
  ),
];

const tokens: readonly Check<ElectorSubject>[] = [
  // In a whole network every algorithm can keep this; `monotonicTokens` promises it of a broken one as well,
  // which is for the simulator to check.
  check('tokens grow from leader to leader', three, async (election) => {
    let standing = await election.elect(...three);
    const tokens = [standing[0].term.token];
    while (standing.length > 1) {
      const [leader, ...rest] = standing;
      await leader.retire();
      standing = await election.agreed(rest);
      tokens.push(standing[0].term.token);
    }
    assertGrowing(tokens);
  }),

  check(
    'nodes that all restart elect again, with a greater token where that is declared',
    three,
    async (election) => {
      const [leader, ...rest] = await election.elect(...three);
      await Promise.all([leader, ...rest].map(({ elector }) => elector.stop()));
      const [next] = await election.elect(...three);
      if (election.guarantees.monotonicTokens) assertGrowing([leader.term.token, next.term.token]);
    },
  ),

  check(
    'a Leadership is bounded and renewed where a lease is declared, and unbounded where not',
    three,
    async (election) => {
      const [leader] = await election.elect(...three);
      if (!election.guarantees.leased) {
        assert.equal(leader.term.remainingMs, Infinity);
        return;
      }
      assert.ok(Number.isFinite(leader.term.remainingMs));
      const firstDeadlinesMs = new Map<Leadership, number>();
      // A busy machine may cost a leader its lease; then the next one will do.
      await election.until('a Leadership has outlived the lease that it began with', () =>
        election.terms.some((term) => {
          const nowMs = election.clock.nowMs();
          const firstDeadlineMs = firstDeadlinesMs.get(term) ?? nowMs + term.remainingMs;
          firstDeadlinesMs.set(term, firstDeadlineMs);
          return term.remainingMs > 0 && nowMs > firstDeadlineMs;
        }),
      );
    },
  ),

  // Three nodes, so that those that need a majority still have one while a node is away.
  check('every process holds its token under a name of its own', three, async (election) => {
    const [leader, ...others] = await election.elect(...three);
    await leader.elector.stop();
    const [second, third] = await election.agreed(others);
    const [returned] = await election.start(leader.elector.id);
    const again = election.stand(returned!);
    await third!.retire();
    await second.retire();
    await election.until('the node that came back leads', () => again.isLeading);
    const holders = [leader.term.holder, second.term.holder, again.term.holder];
    assert.equal(new Set(holders).size, holders.length);
  }),
];

const observing: readonly Check<ElectorSubject>[] = [
  check('observe gives the present belief, then every change, no leader included', pair, async (election) => {
    const electors = await election.start(...pair);
    const [standing, watching] = electors;
    const first = election.stand(standing!);
    await election.until('both believe in the leader', () => believeIn(standing!, electors));
    const present = watching!.belief();
    const history = historyOf(watching!);
    await first.retire();
    await election.until('the other knows that nobody leads', () => watching!.belief().leaderId === null);
    election.stand(standing!);
    await election.until('both believe in the leader again', () => believeIn(standing!, electors));
    await election.until('the observer has heard of it', () => history.at(-1)?.leaderId === standing!.id);
    assert.deepEqual(history[0], present);
    assert.deepEqual(
      history.map(({ leaderId }) => leaderId),
      [standing!.id, null, standing!.id],
    );
  }),

  check('observe ends when its signal aborts, and when the elector stops', ['node-1'], async (election) => {
    const [elector] = await election.start('node-1');
    const controller = new AbortController();
    const reading = drain(elector!.observe({ signal: controller.signal }));
    const untilStopped = drain(elector!.observe());
    controller.abort();
    await reading;
    await elector!.stop();
    await untilStopped;
  }),
];

const leaving: readonly Check<ElectorSubject>[] = [
  check(
    'aborting a campaign rejects it with the reason, and the node does not lead',
    pair,
    async (election) => {
      const electors = await election.start(...pair);
      const leader = election.stand(electors[1]!);
      await election.until('both believe in the leader', () => believeIn(leader.elector, electors));
      const history = historyOf(electors[0]!);
      const controller = new AbortController();
      const campaign = rejection(electors[0]!.campaign({ signal: controller.signal }));
      const reason = new Error('The application has changed its mind.');
      controller.abort(reason);
      assert.equal(await campaign, reason);
      // The candidate that stayed wins a whole election against nobody.
      await leader.elector.resign();
      await election.until(
        'the other leads again',
        () => leader.isLeading && believeIn(leader.elector, electors),
      );
      assert.ok(!history.some(({ role }) => role === 'leader'));
    },
  ),

  check('a campaign is refused before start and after stop', ['node-1'], async (election) => {
    const elector = election.create('node-1');
    assert.ok((await rejection(elector.campaign())) instanceof NotStartedError);
    await elector.start();
    await elector.stop();
    assert.ok((await rejection(elector.campaign())) instanceof StoppedError);
  }),

  check('stop ends a campaign that waits', pair, async (election) => {
    const [, other] = await election.elect(...pair);
    const campaign = rejection(other!.elector.campaign());
    await other!.elector.stop();
    assert.ok((await campaign) instanceof StoppedError);
  }),

  check('resign and stop may be called any number of times', pair, async (election) => {
    const [leader, other] = await election.elect(...pair);
    await Promise.all([leader.retire(), leader.elector.resign()]);
    await leader.elector.resign();
    await other!.elector.resign();
    await Promise.all([leader.elector.stop(), leader.elector.stop()]);
    await leader.elector.stop();
    assert.equal(leader.isLeading, false);
  }),

  check('lead() runs the work again after a loss, and never twice at once', pair, async (election) => {
    const [elector] = await election.start(...pair);
    const done = new AbortController();
    let running = 0;
    let mostRunning = 0;
    let runs = 0;
    const leading = lead(
      elector!,
      async ({ signal }) => {
        runs += 1;
        running += 1;
        mostRunning = Math.max(mostRunning, running);
        await aborted(signal);
        // Work takes a while to end; the next run must wait for it.
        await pause(5, election.clock);
        running -= 1;
      },
      { signal: done.signal },
    );
    for (const run of [1, 2, 3]) {
      await election.until(`run ${run} has begun`, () => runs === run);
      if (run < 3) await elector!.resign();
    }
    done.abort();
    await leading;
    assert.deepEqual({ running, mostRunning }, { running: 0, mostRunning: 1 });
    assert.equal(elector!.belief().role, 'follower');
  }),
];

/** By what they are about. */
export const electorCheckGroups = { electing, handingOver, tokens, observing, leaving } as const;

export const electorChecks: readonly Check<ElectorSubject>[] = Object.values(electorCheckGroups).flat();

function assertGrowing(tokens: readonly bigint[]): void {
  const grows = tokens.every((token, index) => index === 0 || token > tokens[index - 1]!);
  assert.ok(grows, `Tokens must grow from leader to leader, but were ${tokens.join(', ')}.`);
}

async function drain(beliefs: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of beliefs);
}
