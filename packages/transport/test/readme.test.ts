import { readFileSync } from 'node:fs';
import { InvalidOptionError } from '@hustings/elector';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { RefusalCounter } from '../src/refusals.js';
import { eventually } from './nodes.js';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const readme = read('../README.md');

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

describe('the README', () => {
  it.each(['./readme-memory.ts', './readme-websocket.ts'])('shows %s, which is tested here', (example) => {
    expect(readme).toContain(`\`\`\`ts\n${read(example)}\`\`\``);
  });

  it('shows what the first example prints', async () => {
    const lines: string[] = [];
    vi.spyOn(console, 'log').mockImplementation((line: string) => lines.push(line));
    await import('./readme-memory.js');
    await eventually(() => expect(lines).toHaveLength(3));
    expect(readme).toContain(`\`\`\`text\n${lines.join('\n')}\n\`\`\``);
  });

  it('makes a transport in the second example, given a secret', async () => {
    vi.stubEnv('HUSTINGS_SECRET', 'sixteen bytes or more');
    const { transport } = await import('./readme-websocket.js');
    expect(transport.id).toBe('node-1');
  });

  it('makes none without a secret', async () => {
    vi.stubEnv('HUSTINGS_SECRET', undefined);
    const attempt = import('./readme-websocket.js');
    await expect(attempt).rejects.toMatchObject({ name: InvalidOptionError.name });
  });

  it('names every reason for which a connection is refused', () => {
    for (const reason of Object.keys(new RefusalCounter().counts())) {
      expect(readme).toContain(`| \`${reason}\` |`);
    }
  });
});
