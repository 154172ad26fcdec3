import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const folder = new URL('../dist/', import.meta.url);
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(html|js|css)$/.test(path))
  .map((path) => ({ path, bytes: readFileSync(new URL(path, folder)) }));

const mostCompressedBytes = 150_000;

describe('what a browser loads first', () => {
  it('is at most 150 kB, compressed', () => {
    const compressed = files.reduce((sum, { bytes }) => sum + gzipSync(bytes).length, 0);
    expect(files.length).toBeGreaterThanOrEqual(3);
    expect(compressed).toBeLessThanOrEqual(mostCompressedBytes);
  });

  it('imports nothing of Node', () => {
    const code = files.map(({ bytes }) => bytes.toString()).join('\n');
    const builtin = builtinModules.filter((name) =>
      new RegExp(`(from|import|require)\\s*\\(?\\s*["'\`](node:)?${name}["'\`]`).test(code),
    );
    expect(builtin).toEqual([]);
    expect(/["'`]node:/.test(code)).toBe(false);
    expect(code.includes('__vite-browser-external')).toBe(false);
  });

  it('names no other server', () => {
    for (const { path, bytes } of files) {
      const addresses = bytes.toString().match(/https?:\/\/[\w./-]+/g) ?? [];
      // Names of vocabularies, and where to read about an error, of the framework or ours: nothing that is fetched.
      const harmless = /www\.w3\.org|svelte\.dev|\/docs\/errors\/$/;
      expect(
        addresses.filter((address) => !harmless.test(address)),
        path,
      ).toEqual([]);
    }
  });
});
