import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import {
  CampaignWithdrawnError,
  HustingsError,
  InvalidOptionError,
  LeadershipLostError,
  ListenFailedError,
  NotStartedError,
  StaleTokenError,
  StoppedError,
  StorageFailedError,
  TransferUnsupportedError,
} from '../src/index.js';
import { MalformedError } from '../src/protocol/index.js';

const table: readonly [name: string, code: string, error: HustingsError][] = [
  ['LeadershipLostError', 'HUSTINGS_LEADERSHIP_LOST', new LeadershipLostError(7n, 'deposed')],
  ['StaleTokenError', 'HUSTINGS_STALE_TOKEN', new StaleTokenError('stale')],
  ['NotStartedError', 'HUSTINGS_NOT_STARTED', new NotStartedError('a')],
  ['StoppedError', 'HUSTINGS_STOPPED', new StoppedError('a')],
  ['CampaignWithdrawnError', 'HUSTINGS_CAMPAIGN_WITHDRAWN', new CampaignWithdrawnError('a')],
  ['TransferUnsupportedError', 'HUSTINGS_TRANSFER_UNSUPPORTED', new TransferUnsupportedError('bully')],
  ['StorageFailedError', 'HUSTINGS_STORAGE_FAILED', new StorageFailedError('disk')],
  ['ListenFailedError', 'HUSTINGS_LISTEN_FAILED', new ListenFailedError('port')],
  ['MalformedError', 'HUSTINGS_MALFORMED', new MalformedError('bytes')],
  ['InvalidOptionError', 'HUSTINGS_INVALID_OPTION', new InvalidOptionError('option')],
];

describe('given the errors', () => {
  it.each(table)('%s has the code %s', (name, code, error) => {
    expect(error).toBeInstanceOf(HustingsError);
    expect(error).toMatchObject({ name, code });
  });

  it.each(table)('%s says where to read on', (_name, code, error) => {
    const page = code.replace('HUSTINGS_', '').toLowerCase().replaceAll('_', '-');
    expect(error.help).toMatch(new RegExp(`^https://.*/docs/errors/${page}\\.md$`));
  });

  it('has no code twice', () => {
    expect(new Set(table.map(([, code]) => code)).size).toBe(table.length);
  });

  it('lists every code in the README, with when it is thrown', async () => {
    const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
    for (const [name, code] of table) expect(readme).toContain(`| \`${name}\` | \`${code}\` | `);
  });

  it('says why and with which token leadership was lost', () => {
    expect(new LeadershipLostError(7n, 'lease-expired')).toMatchObject({
      reason: 'lease-expired',
      message: expect.stringContaining('token 7'),
    });
  });

  it('keeps the cause', () => {
    const cause = new Error('no space left');
    expect(new StorageFailedError('Could not write', { cause }).cause).toBe(cause);
  });
});
