import { describe, expect, it } from 'vitest';
import { fencingHeaders, readFencingHeaders } from '../src/index.js';
import { MalformedError } from '../src/protocol/index.js';

const credentials = { token: 2n ** 60n, holder: 'node-é 1#5f0c' };

describe('a token and its holder', () => {
  it('travel as two headers: decimal digits, and what any header may hold', () => {
    expect(fencingHeaders(credentials)).toEqual({
      'Fencing-Token': '1152921504606846976',
      'Fencing-Holder': 'node-%C3%A9%201%235f0c',
    });
  });

  it('arrive as they left, by fetch and by Node', () => {
    const sent = fencingHeaders(credentials);
    const lowerCase = Object.fromEntries(
      Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value]),
    );
    for (const headers of [sent, lowerCase, new Headers(sent)]) {
      expect(readFencingHeaders(headers)).toEqual(credentials);
    }
  });

  it.each([
    [{}, 'Fencing-Token'],
    [{ 'fencing-token': '7' }, 'Fencing-Holder'],
    [{ 'fencing-token': '-7', 'fencing-holder': 'a' }, 'Fencing-Token'],
    [{ 'fencing-token': '0x7', 'fencing-holder': 'a' }, 'Fencing-Token'],
    [{ 'fencing-token': ['7', '8'], 'fencing-holder': 'a' }, 'Fencing-Token'],
    [{ 'fencing-token': '7', 'fencing-holder': '%' }, 'Fencing-Holder'],
  ])('are refused as %j, which names %s', (headers, name) => {
    const read = () => readFencingHeaders(headers);
    expect(read).toThrow(MalformedError);
    expect(read).toThrow(name);
  });
});
