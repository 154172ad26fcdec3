import { readdirSync, readFileSync } from 'node:fs';
import { playScenario } from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import { changRoberts, type RingProtocol, ring } from '../src/index.js';

const folders: [string, RingProtocol][] = [
  ['default', ring()],
  ['chang-roberts', changRoberts()],
];

describe.each(folders)('the golden traces of the ring: %s', (name, protocol) => {
  const folder = new URL(`./scenarios/${name}/`, import.meta.url);
  for (const file of readdirSync(folder)) {
    it(file.replace('.txt', '').replaceAll('-', ' '), async () => {
      const path = new URL(file, folder).pathname;
      await expect(playScenario(protocol, readFileSync(path, 'utf8'))).toMatchFileSnapshot(path);
    });
  }
});
