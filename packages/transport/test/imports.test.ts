import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** Everything that a source file imports, directly or through its neighbours. */
function reachableImports(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const source = readFileSync(new URL(`../src/${file}`, import.meta.url), 'utf8');
  for (const [, specifier = ''] of source.matchAll(/from '([^']+)'/g)) {
    if (specifier.startsWith('./')) reachableImports(specifier.slice(2).replace(/\.js$/, '.ts'), seen);
    else seen.add(specifier);
  }
  return seen;
}

describe('the browser', () => {
  it.each(['index.ts', 'memory.ts'])('loads neither ws nor Node through %s', (entry) => {
    const imports = [...reachableImports(entry)];
    expect(imports.filter((name) => name === 'ws' || name.startsWith('node:'))).toEqual([]);
  });

  it('would load both through websocket.ts', () => {
    expect([...reachableImports('websocket.ts')]).toEqual(expect.arrayContaining(['ws', 'node:crypto']));
  });
});
