import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Diagnostic, DiagnosticType, Level } from 'hustings';
import { describe, expect, it } from 'vitest';
import { thinned } from '../src/logger.js';

const diagnostic = (type: DiagnosticType, message: string = type, level: Level = 'warn'): Diagnostic => ({
  ...{ type, level, message, id: 'node-1', election: null, about: 'http://a', help: 'http://help' },
});

function listening() {
  const lines: string[] = [];
  const to = (level: string) => (line: string) => void lines.push(`${level} ${line}`);
  const log = thinned({ info: to('info'), warn: to('warn'), error: to('error') });
  return { lines, log };
}

describe('a logger', () => {
  it('is given one line a diagnostic, at its level', () => {
    const { lines, log } = listening();
    log(diagnostic('leads', 'leads with token 5.', 'info'));
    log({ ...diagnostic('storage-failed', 'has left.', 'error'), election: 'billing' });
    expect(lines).toEqual([
      'info hustings node-1: leads with token 5.',
      'error hustings billing/node-1: has left. http://help',
    ]);
  });

  it('is told where to read on, unless all is well', () => {
    const { lines, log } = listening();
    log(diagnostic('stalled', 'stood still.'));
    log(diagnostic('connected', 'answers.', 'info'));
    expect(lines).toEqual([
      'warn hustings node-1: stood still. http://help',
      'info hustings node-1: answers.',
    ]);
  });

  it('is given whole sentences: an address must not run on from what the system said', () => {
    const { lines, log } = listening();
    log(diagnostic('peer-unreachable', 'could not reach b: connect ECONNREFUSED 127.0.0.1:1'));
    expect(lines).toEqual([
      'warn hustings node-1: could not reach b: connect ECONNREFUSED 127.0.0.1:1. http://help',
    ]);
  });

  it('is given the first, second, fourth, eighth … of what repeats', () => {
    const { lines, log } = listening();
    for (let count = 1; count <= 20; count += 1) log(diagnostic('unreachable', `attempt ${count}`));
    expect(lines.map((line) => line.replace(/^.* attempt (\d+)\. .*$/, '$1'))).toEqual([
      '1',
      '2',
      '4',
      '8',
      '16',
    ]);
  });

  it('is given all of it again once it was well in between', () => {
    const { lines, log } = listening();
    for (let count = 1; count <= 3; count += 1) log(diagnostic('unreachable', 'down'));
    log(diagnostic('connected', 'up', 'info'));
    log(diagnostic('unreachable', 'down'));
    expect(lines.map((line) => line.split(' ')[3])).toEqual(['down.', 'down.', 'up.', 'down.']);
  });

  it('is given every change of leadership', () => {
    const { lines, log } = listening();
    for (let count = 1; count <= 5; count += 1) log(diagnostic('lost-leadership'));
    expect(lines).toHaveLength(5);
  });

  it('is given no line that somebody else has written', () => {
    const { lines, log } = listening();
    log(diagnostic('peer-refused', 'bad\nhustings node-1: all is well\u001b[2J'));
    expect(lines).toEqual(['warn hustings node-1: bad hustings node-1: all is well [2J. http://help']);
  });
});

describe('the default logger', () => {
  it('writes to standard error, and bears it that nobody reads that any more', async () => {
    const logger = new URL('../dist/logger.js', import.meta.url).href;
    const program = `
      const { standardError } = await import(${JSON.stringify(logger)});
      standardError.info('leads with token 5, 100 %s.');
      process.stdin.once('data', () => {
        for (let line = 0; line < 3; line += 1) standardError.warn('nobody reads this');
        setTimeout(() => process.exit(7), 100);
      });`;
    const writer = spawn(process.execPath, ['--input-type=module', '--eval', program]);
    const printed: unknown[] = [];
    writer.stdout.on('data', (text) => printed.push(text));
    expect(String(await once(writer.stderr, 'data'))).toBe('leads with token 5, 100 %s.\n');
    writer.stderr.destroy();
    writer.stdin.write('go');
    expect(await once(writer, 'exit')).toEqual([7, null]);
    expect(printed).toEqual([]);
  });
});
