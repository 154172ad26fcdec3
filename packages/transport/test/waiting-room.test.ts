import { describe, expect, it } from 'vitest';
import { networkOf, WaitingRoom } from '../src/waiting-room.js';

/** Lets guests in and notes who is shown out. */
function room(places: number, placesEach = places) {
  const waiting = new WaitingRoom(places, placesEach);
  const shownOut: string[] = [];
  const enter = (host: string, ...guests: number[]) =>
    guests.map((guest) => waiting.enter(host, () => shownOut.push(`${host}:${guest}`)));
  return { waiting, shownOut, enter };
}

describe('given a waiting room with three places', () => {
  it('shows nobody out while there is a place', () => {
    const { enter, shownOut } = room(3);
    enter('10.0.0.1', 1, 2, 3);
    expect(shownOut).toEqual([]);
  });

  it('shows out whoever has waited longest when there is none', () => {
    const { enter, shownOut, waiting } = room(3);
    enter('10.0.0.1', 1, 2, 3, 4, 5);
    expect(shownOut).toEqual(['10.0.0.1:1', '10.0.0.1:2']);
    expect(waiting.size).toBe(3);
  });

  it('has a place again for each one that leaves, once', () => {
    const { enter, shownOut } = room(3);
    const [, leave] = enter('10.0.0.1', 1, 2, 3);
    leave?.();
    leave?.();
    enter('10.0.0.1', 4);
    expect(shownOut).toEqual([]);
    enter('10.0.0.1', 5);
    expect(shownOut).toEqual(['10.0.0.1:1']);
  });

  it('shows out one of the network that holds most places, though another has waited longer', () => {
    const { enter, shownOut } = room(3);
    enter('10.0.0.1', 1);
    enter('10.0.0.2', 2, 3);
    enter('10.0.0.3', 4);
    enter('10.0.0.2', 5);
    expect(shownOut).toEqual(['10.0.0.2:2', '10.0.0.2:3']);
  });

  it('gives no network more than its share, though there are places', () => {
    const { enter, shownOut, waiting } = room(3, 2);
    enter('10.0.0.1', 1, 2, 3);
    expect(shownOut).toEqual(['10.0.0.1:1']);
    expect(waiting.size).toBe(2);
  });
});

describe('one network', () => {
  it.each([
    ['an address of IPv4', '10.0.0.1', '10.0.0.1', '10.0.0.2'],
    ['an address of IPv4 as IPv6 writes it', '10.0.0.1', '::ffff:10.0.0.1', '::ffff:10.0.0.2'],
    ['64 bits of IPv6', '2001:db8:0:7::1', '2001:db8:0:7:ffff::2', '2001:db8:0:8::1'],
    ['64 bits of IPv6, abbreviated elsewhere', '2001:db8::1', '2001:db8:0:0:1:2:3:4', '2001:db8:1::1'],
    ['a link of this machine', 'fe80::1%eth0', 'fe80::2%eth0', 'fe81::1%eth0'],
  ])('is %s', (_, one, same, other) => {
    expect(networkOf(same)).toBe(networkOf(one));
    expect(networkOf(other)).not.toBe(networkOf(one));
  });
});
