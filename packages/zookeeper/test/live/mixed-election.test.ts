/** Candidates of Apache Curator's LeaderLatch and ours in one election. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Command,
  compileCuratorCandidate,
  type SupervisedProcess,
  startZooKeeperEnsemble,
  supervise,
  type ZooKeeperEnsemble,
} from '@hustings/servers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, Nodes } from './nodes.js';

let directory: string;
let curator: Command;
let ensemble: ZooKeeperEnsemble;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hustings-curator-'));
  curator = await compileCuratorCandidate(directory);
  ensemble = await startZooKeeperEnsemble({ members: 3 });
});
afterAll(async () => {
  await ensemble?.stop();
  await rm(directory, { recursive: true, force: true });
});

describe('given candidates of Curator and of Hustings that stand by turns', () => {
  it('then they lead by turns, in the order in which they stood', { timeout: 60_000 }, async () => {
    const nodes = new Nodes({ sessionTimeoutMs: 4000 });
    const { hosts } = ensemble;
    const latches: SupervisedProcess[] = [];
    const latch = async (id: string): Promise<SupervisedProcess> => {
      const parameters = [...curator.parameters, id, nodes.path, '4000', hosts, '1000'];
      const started = await supervise(curator.command, parameters);
      latches.push(started);
      return started;
    };
    const said = ({ lines }: SupervisedProcess, word: string): boolean =>
      lines.some((each) => each.startsWith(`${word} `));
    const leads = (latched: SupervisedProcess): boolean => said(latched, 'leads') && !said(latched, 'lost');
    /** Ephemeral znodes in the queue, by which order of creation is made certain. */
    const line = async (length: number): Promise<void> => {
      for (let queued = 0; queued < length; ) {
        queued = (await ensemble.ask(0, 'dump')).split(`${nodes.path}/`).length - 1;
      }
    };
    try {
      const first = await nodes.start('hustings-1', { hosts });
      const third = await nodes.start('hustings-3', { hosts });
      first.stand();
      await line(1);
      const second = await latch('curator-2');
      await line(2);
      third.stand();
      await line(3);
      const fourth = await latch('curator-4');
      await line(4);

      await eventually('the first leads', () => first.leads);
      expect([leads(second), third.leads, leads(fourth)]).toEqual([false, false, false]);

      await first.elector.resign();
      await eventually('the second leads', () => leads(second));
      await eventually('the others know', () =>
        [first, third].every(({ elector }) => elector.belief().leaderId === 'curator-2'),
      );
      expect([first.leads, third.leads, leads(fourth)]).toEqual([false, false, false]);

      second.signal('SIGKILL');
      await eventually('the third leads', () => third.leads);
      expect([first.leads, leads(fourth)]).toEqual([false, false]);

      await third.elector.resign();
      await eventually('the fourth leads', () => leads(fourth));
      await eventually('all know', () =>
        [first, third].every(({ elector }) => elector.belief().leaderId === 'curator-4'),
      );
      fourth.signal('SIGUSR2');
      await eventually('all know that nobody leads', () =>
        [first, third].every(({ elector }) => elector.belief().leaderId === null),
      );
    } finally {
      await nodes.stop();
      await Promise.all(latches.map((each) => each.stop()));
    }
  });
});
