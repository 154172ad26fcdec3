import { readdirSync, readFileSync } from 'node:fs';
import { type AnyProtocol, playScenario } from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import { type ZooKeeperState, zookeeper } from '../src/index.js';
import { simulatedZooKeeper } from '../src/simulated.js';

const folder = new URL('./scenarios/', import.meta.url);

function play(text: string): string {
  const protocol = zookeeper({ path: '/e', sessionTimeoutMs: 2000 }) as AnyProtocol<ZooKeeperState>;
  const services = [{ id: 'zookeeper', machine: simulatedZooKeeper({ members: 1 }) }];
  return abridge(playScenario(protocol, text, services));
}

/** The story is the candidates': what the server does shows in its answers. Names and ids are cut to what tells them apart. */
function abridge(story: string): string {
  const isOfServer = (line: string): boolean => /^ +\d+\.\d {2}zookeeper {2}/.test(line);
  const isRenewal = (line: string): boolean => line.includes('PROVEN');
  return story
    .split('\n')
    .filter((line) => !isOfServer(line) && !isRenewal(line))
    .join('\n')
    .replaceAll(/_c_[0-9a-f-]*-latch-(?:0*(?=\d))?/g, 'latch-')
    .replaceAll(/\b(?:id|session|owner) [0-9a-f]+(?:, |(?=\)))/g, '')
    .replaceAll(/ (to|from) zookeeper/g, '');
}

describe('the golden traces of ZooKeeper', () => {
  for (const file of readdirSync(folder)) {
    it(file.replace('.txt', '').replaceAll('-', ' '), async () => {
      const path = new URL(file, folder).pathname;
      await expect(play(readFileSync(path, 'utf8'))).toMatchFileSnapshot(path);
    });
  }
});
