import { readdirSync, readFileSync } from 'node:fs';
import { playScenario } from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import { rollCall } from '../src/index.js';

const folder = new URL('./scenarios/', import.meta.url);

describe('the golden traces of roll call', () => {
  for (const file of readdirSync(folder)) {
    it(file.replace('.txt', '').replaceAll('-', ' '), async () => {
      const path = new URL(file, folder).pathname;
      await expect(playScenario(rollCall(), readFileSync(path, 'utf8'))).toMatchFileSnapshot(path);
    });
  }
});
