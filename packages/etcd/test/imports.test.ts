import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const source = new URL('../src/', import.meta.url);

/** Everything that a file of this package imports, directly or not, from outside of it. */
function outsideImports(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const text = readFileSync(new URL(file, source), 'utf8');
  return [...text.matchAll(/from '([^']+)'/g)].flatMap(([, name = '']) =>
    name.startsWith('./') ? outsideImports(name.slice(2).replace(/\.js$/, '.ts'), seen) : [name],
  );
}

describe('what a browser loads', () => {
  it.each(['index.ts', 'simulated-etcd.ts'])('%s needs nothing but the contract', (file) => {
    expect(new Set(outsideImports(file))).toEqual(new Set(['@hustings/elector']));
  });

  it('the gateway is what needs etcd3', () => {
    expect(outsideImports('gateway.ts')).toContain('etcd3');
  });
});
