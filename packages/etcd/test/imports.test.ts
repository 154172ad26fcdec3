import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const source = new URL('../src/', import.meta.url);

/** Everything that a file of this package imports, directly or not, from outside of it. */
function outsideImports(file: URL, seen = new Set<string>()): string[] {
  if (seen.has(file.href)) return [];
  seen.add(file.href);
  return [...readFileSync(file, 'utf8').matchAll(/from '([^']+)'/g)].flatMap(([, name = '']) =>
    name.startsWith('.') ? outsideImports(new URL(name.replace(/\.js$/, '.ts'), file), seen) : [name],
  );
}

describe('what a browser loads', () => {
  it.each(['index.ts', 'simulated.ts'])('%s needs nothing but the contract', (file) => {
    for (const name of outsideImports(new URL(file, source))) {
      expect(name).toMatch(/^@hustings\/elector(\/protocol|\/options|\/sessions)?$/);
    }
  });

  it('the gateway is what needs etcd3', () => {
    expect(outsideImports(new URL('gateway.ts', source))).toContain('etcd3');
  });
});
