/** A process that was stopped for longer than its lease finds that out before it does anything else. */

import { fileURLToPath } from 'node:url';
import { FencedStore, StaleTokenError } from '@hustings/elector';
import { type EtcdCluster, startEtcdCluster, supervise } from '@hustings/servers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, Nodes } from './nodes.js';

const candidate = fileURLToPath(new URL('./candidate.mjs', import.meta.url));

let cluster: EtcdCluster;
beforeAll(async () => {
  cluster = await startEtcdCluster();
});
afterAll(() => cluster?.stop());

describe('given a leader whose process is stopped for longer than its lease', () => {
  it('then it finds its Leadership over at the first call, and no write with its token is accepted', async () => {
    const nodes = new Nodes({ ttlSeconds: 1 });
    const store = new FencedStore<string>();
    const accepted: string[] = [];
    const write = (token: bigint, holder: string): void => {
      store.write({ token, holder }, 'key', holder);
      accepted.push(holder);
    };
    const paused = await supervise(
      process.execPath,
      [candidate, 'paused', nodes.name, '1', ...cluster.endpoints],
      {
        onLine(line) {
          const [word, token = ''] = line.split(' ');
          if (word === 'write') write(BigInt(token), 'paused');
        },
      },
    );
    try {
      await eventually('it leads and writes', () => accepted.includes('paused'));
      const successor = await nodes.start('successor', { hosts: cluster.endpoints });
      successor.stand(({ token }) => write(token, 'successor'));
      await eventually('the successor waits', () => successor.elector.belief().leaderId === 'paused');

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
    } finally {
      await paused.stop();
      await nodes.stop();
    }
  });
});
