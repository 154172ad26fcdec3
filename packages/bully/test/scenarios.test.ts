import { readdirSync, readFileSync } from 'node:fs';
import { playScenario } from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import { bully } from '../src/index.js';

const folder = new URL('./scenarios/', import.meta.url);

describe('the golden traces of bully', () => {
  for (const file of readdirSync(folder)) {
    it(file.replace('.txt', '').replaceAll('-', ' '), async () => {
      const path = new URL(file, folder).pathname;
      await expect(playScenario(bully(), readFileSync(path, 'utf8'))).toMatchFileSnapshot(path);
    });
  }
});
