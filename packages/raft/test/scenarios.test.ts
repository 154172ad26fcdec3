import { readdirSync, readFileSync } from 'node:fs';
import {
  type AnyProtocol,
  playScenario,
  Simulation,
  type SimulationOptions,
  TraceRecorder,
  tellStory,
} from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import { type RaftRequest, type RaftSettings, type RaftState, raft } from '../src/index.js';

const folder = new URL('./scenarios/', import.meta.url);
const pathOf = (file: string): string => new URL(file, folder).pathname;

/** Leaves out what every line would repeat, and writes `index/term` for a place in the log. */
function condense(story: string): string {
  return story
    .replaceAll(/^.* hears HEARTBEAT-REPLY\(.*accepted true.*\) from \S+ => LEADS with token \d+\n/gm, '')
    .replaceAll(/ snapshot \{"index":0,.*?\},"data":null\},/g, '')
    .replaceAll(/, sentMs \d+/g, '')
    .replaceAll(/(previous|last)Index (\d+), \1Term (\d+)/g, '$1 $2/$3')
    .replaceAll(/\{"index":(\d+),"term":(\d+),"type":"no-op"\}/g, '$1/$2 no-op')
    .replaceAll(/\{"index":(\d+),"term":(\d+),"type":"data","data":(.*?)\}/g, '$1/$2 $3')
    .replaceAll(
      /\{"index":(\d+),"term":(\d+),"type":"membership","membership":\{"voters":(.*?),"learners":(.*?)\}\}/g,
      '$1/$2 voters $3 learners $4',
    );
}

describe('the golden traces of raft', () => {
  for (const file of readdirSync(folder).filter((name) => !name.endsWith('.story.txt'))) {
    it(file.replace('.txt', '').replaceAll('-', ' '), async () => {
      const text = readFileSync(pathOf(file), 'utf8');
      const protocol = file === 'split-vote.txt' ? raft({ preVote: false }) : raft();
      await expect(condense(playScenario(protocol, text))).toMatchFileSnapshot(pathOf(file));
    });
  }
});

/** Requests are no part of a schedule, so these stories are arranged here. */
function playRequests(
  lines: readonly string[],
  requests: readonly (readonly [atMs: number, request: RaftRequest])[],
  settings: Partial<RaftSettings>,
  options: Pick<SimulationOptions<RaftState>, 'nodes' | 'seed'>,
  durationMs: number,
): string {
  const protocol = raft(settings);
  const recorder = new TraceRecorder<RaftState>();
  const simulation = new Simulation<RaftState>({
    ...options,
    protocol: protocol as AnyProtocol<RaftState>,
    network: { latencyMs: [1, 1] },
    observers: [recorder],
  });
  recorder.attach(simulation);
  for (const [atMs, request] of requests) {
    simulation.at(atMs, () => {
      if (simulation.leader !== null) simulation.give(simulation.leader.id, { type: 'requested', request });
    });
  }
  simulation.runUntil(durationMs);
  const heading = lines.map((line) => `# ${line}\n`).join('');
  return `${heading}---\n${condense(tellStory(recorder.events, protocol.periodicMessages))}`;
}

describe('the golden traces of changing membership', () => {
  it('removal of the leader', async () => {
    const story = playRequests(
      ['The leader is removed. It commits that without counting itself, and then hands over.'],
      [[500, { type: 'remove', id: 'change', node: 'n3' }]],
      {},
      { nodes: ['n1', 'n2', 'n3'], seed: 3 },
      700,
    );
    await expect(story).toMatchFileSnapshot(pathOf('removal-of-the-leader.story.txt'));
  });

  it('removal of a follower', async () => {
    const story = playRequests(
      [
        'A follower is removed. It has the entry, and hears in one last message that it is committed. From then on it',
        'is quiet, although its application goes on asking to lead.',
      ],
      [[500, { type: 'remove', id: 'change', node: 'n1' }]],
      {},
      { nodes: ['n1', 'n2', 'n3'], seed: 3 },
      1500,
    );
    await expect(story).toMatchFileSnapshot(pathOf('removal-of-a-follower.story.txt'));
  });

  it('a learner', async () => {
    const story = playRequests(
      [
        'A node joins: first as a learner, which receives the log and has no vote. It is refused a vote until it has',
        'every committed entry, and gets one then.',
      ],
      [
        [500, { type: 'propose', id: 'entry', data: 'green' }],
        [600, { type: 'add-learner', id: 'join', node: 'n4' }],
        [603, { type: 'promote', id: 'too-early', node: 'n4' }],
        [700, { type: 'promote', id: 'in-time', node: 'n4' }],
      ],
      { voters: ['n1', 'n2', 'n3'] },
      { nodes: ['n1', 'n2', 'n3', 'n4'], seed: 3 },
      760,
    );
    await expect(story).toMatchFileSnapshot(pathOf('learner.story.txt'));
  });
});
