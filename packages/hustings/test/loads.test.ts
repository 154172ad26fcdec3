import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const program = (entry: string): string =>
  `await import('${entry}'); console.log(JSON.stringify(process.moduleLoadList));`;

/** What Node has loaded of its own for an entry, as it was built. */
async function loadedFor(entry: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    program(entry),
  ]);
  return JSON.parse(stdout);
}

it('loads no WebSockets for an election whose nodes have no links', async () => {
  const tls = 'NativeModule tls';
  expect(await loadedFor('hustings/raft')).toContain(tls);
  for (const entry of ['hustings/local', 'hustings/consul'])
    expect(await loadedFor(entry)).not.toContain(tls);
});
