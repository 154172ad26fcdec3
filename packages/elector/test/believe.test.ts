import { describe, expect, it } from 'vitest';
import type { Belief } from '../src/index.js';
import { believe, undecided } from '../src/protocol/index.js';

const follower: Belief = { role: 'follower', leaderId: 'b', token: 2n };
const candidate: Belief = { role: 'candidate', leaderId: null, token: null };
const leader: Belief = { role: 'leader', leaderId: 'a', token: 3n };

describe('given a node a', () => {
  it.each([follower, candidate, leader])('knows no leader while it campaigns (from $role)', (before) => {
    expect(believe('a', before, { type: 'campaign' })).toEqual(candidate);
  });

  it.each([follower, candidate])('believes in itself once it leads (from $role)', (before) => {
    expect(believe('a', before, { type: 'lead', token: 3n })).toEqual(leader);
  });

  it('believes the very same when its lease is extended', () => {
    expect(believe('a', leader, { type: 'lead', token: 3n, validForMs: 100 })).toBe(leader);
  });

  it.each([undecided, candidate, leader])('believes whom it follows (from $role)', (before) => {
    expect(believe('a', before, { type: 'follow', leaderId: 'b', token: 2n })).toEqual(follower);
  });

  it('can follow nobody', () => {
    expect(believe('a', follower, { type: 'follow', leaderId: null, token: null })).toEqual(undecided);
  });

  it.each([candidate, leader])('knows no leader when it steps down (from $role)', (before) => {
    expect(believe('a', before, { type: 'step-down', reason: 'resigned' })).toEqual(undecided);
  });

  it('still knows who leads when it withdraws as a follower', () => {
    expect(believe('a', follower, { type: 'step-down', reason: 'resigned' })).toBe(follower);
  });
});
