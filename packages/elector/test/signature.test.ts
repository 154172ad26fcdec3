import { describe, expect, it } from 'vitest';
import { hasDied, type Obituary, readSignature, sign, withDeath } from '../src/protocol/index.js';

describe('a signature', () => {
  it.each([
    { id: 'n1', incarnation: 'n1#3' },
    { id: 'n1', incarnation: null },
    { id: 'a name with spaces', incarnation: 'x' },
  ])('is read as it was written: %j', (signature) => {
    expect(readSignature(sign(signature))).toEqual(signature);
  });

  it('of a node that tells no incarnation is its id, as others write it', () => {
    expect(sign({ id: 'n1', incarnation: null })).toBe('n1');
  });
});

describe('an obituary', () => {
  const obituary = withDeath([], 'n1#0');

  it('tells of the process that died', () => {
    expect(hasDied(obituary, { id: 'n1', incarnation: 'n1#0' })).toBe(true);
  });

  it.each([
    { id: 'n1', incarnation: 'n1#1' },
    { id: 'n1', incarnation: null },
  ])('tells of no other of that node: %j', (signature) => {
    expect(hasDied(obituary, signature)).toBe(false);
  });

  it('does not grow without end, nor by the same twice', () => {
    expect(withDeath(obituary, 'n1#0')).toBe(obituary);
    let long: Obituary = [];
    for (let life = 0; life < 1000; life += 1) long = withDeath(long, `n1#${life}`);
    expect(long).toHaveLength(64);
    expect(long.at(-1)).toBe('n1#999');
  });
});
