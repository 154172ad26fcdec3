/** Whoever finds a word in a log finds its page: no code without a page, no page without a code. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { helpAddress } from '@hustings/elector';
import { describe, expect, it } from 'vitest';
import { docs, pages, read, root } from './pages.js';

const sources = readdirSync(join(root, 'packages'), { recursive: true, encoding: 'utf8' })
  .filter((path) => /^[^/]+\/src\/.*\.ts$/.test(path))
  .map((path) => read(`packages/${path}`));

const codes = [...new Set(sources.flatMap((text) => text.match(/(?<=code = ')HUSTINGS_\w+/g) ?? []))];

/** The members of a union of strings, as it is written in a file. */
function unionOf(path: string, name: string): string[] {
  const [, union = ''] = new RegExp(`export type ${name} =([\\s\\S]*?');\\n`).exec(read(path)) ?? [];
  return union.match(/(?<=')[a-z-]+(?=')/g) ?? [];
}

const reasons = unionOf('packages/elector/src/errors.ts', 'StepDownReason');
const diagnostics = unionOf('packages/hustings/src/diagnostics.ts', 'DiagnosticType');
const pageOf = (word: string): string => helpAddress(word).replace(/^.*\/docs\//, '');
const textOf = (path: string): string => pages.find((page) => page.path === path)?.text ?? '';

describe('every word that a log may have is explained:', () => {
  it.each(codes)('the code %s', (code) => {
    expect(textOf(pageOf(code))).toContain(`code \`${code}\``);
  });

  it.each(reasons)('the reason %s', (reason) => {
    expect(textOf(pageOf(reason))).toContain('- Reason: why a leader stopped leading');
  });

  it.each(diagnostics)('the diagnostic %s', (type) => {
    expect(textOf(pageOf(type))).toMatch(/^- Diagnostic, level /m);
  });

  it('and all of them were found', () => {
    expect(codes.length).toBeGreaterThan(12);
    expect(reasons).toContain('quorum-lost');
    expect(diagnostics).toContain('stalled');
  });
});

describe('every page of errors', () => {
  const known = new Set([...codes, ...reasons, ...diagnostics].map(pageOf));
  const own = readdirSync(join(docs, 'errors')).filter((file) => file !== 'index.md');

  it.each(own)('%s is about something that there is, and says what to do', (file) => {
    expect(known).toContain(`errors/${file}`);
    const text = textOf(`errors/${file}`);
    expect(text).toMatch(/^# [a-z-]+\n\n\*\*.+\*\*\n\n- /);
    expect(text).toContain('\n## What it means\n');
    expect(text).toContain('\n## What to do\n');
    expect(textOf('errors/index.md')).toContain(`](${file})`);
  });
});
