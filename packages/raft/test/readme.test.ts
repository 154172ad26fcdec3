import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryNetwork } from '@hustings/testkit';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { initialState, raft, step } from '../src/index.js';
import { serve } from './readme-example.js';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const readme = read('../README.md');

afterEach(() => vi.restoreAllMocks());

async function outputOfSecondRun(): Promise<string> {
  const lines: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => lines.push(line));
  const directory = await mkdtemp(join(tmpdir(), 'hustings-raft-'));
  try {
    for (const _ of ['first', 'second']) {
      lines.length = 0;
      const network = memoryNetwork.open(['node-1'], raft().decodeMessage);
      await serve(network.transport('node-1'), [], directory);
    }
  } finally {
    await rm(directory, { recursive: true });
  }
  return lines.join('\n');
}

describe('the README', () => {
  it('shows the example that is run here', () => {
    expect(readme).toContain(`\`\`\`ts\n${read('./readme-example.ts')}\`\`\``);
  });

  it('shows what it prints the second time: the log and the term have survived', async () => {
    // A machine that stalls for longer than a lease ends the Leadership, and the example does its work once more.
    await vi.waitFor(
      async () => expect(readme).toContain(`\`\`\`text\n${await outputOfSecondRun()}\n\`\`\``),
      { timeout: 50_000 },
    );
  });

  it('names every setting', () => {
    for (const setting of Object.keys(initialState('n1', []).settings))
      expect(readme).toContain(`\`${setting}\``);
  });
});

describe('the example of the package', () => {
  it('does what it says', () => {
    const node = step(initialState('n1', ['n2', 'n3']), { type: 'campaign-requested' }, 0)[0];
    const [state, effects] = step(node, { type: 'timer-fired', timer: 'election' }, 200);
    expect(state.role).toBe('pre-candidate');
    expect(effects.flatMap((effect) => (effect.type === 'send' ? [effect.to] : []))).toEqual(['n2', 'n3']);
  });
});
