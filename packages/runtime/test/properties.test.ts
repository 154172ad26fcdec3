import type { Leadership } from '@hustings/elector';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { settled } from './manual-clock.js';
import { type ScriptedEffect, type ScriptedInput, startedScene } from './scripted.js';

/**
 * A protocol that wins, loses and acknowledges when it is told to, and throws when the driver breaks its
 * side of the contract.
 */
function strictProtocol() {
  let standing = false;
  let leading = false;
  let resigning = false;
  let token = 0n;

  function stepDown(reason: 'resigned' | 'deposed' | 'lease-expired'): ScriptedEffect[] {
    standing = false;
    leading = false;
    return [{ type: 'step-down', reason }];
  }

  function onMessage(type: string): ScriptedEffect[] {
    switch (type) {
      case 'win':
        if (!standing || leading) return [];
        leading = true;
        token += 1n;
        return [
          { type: 'save', durable: { term: Number(token) } },
          { type: 'lead', token, validForMs: 100 },
        ];
      case 'renew':
        return leading ? [{ type: 'lead', token, validForMs: 100 }] : [];
      case 'depose':
        return standing ? stepDown('deposed') : [];
      case 'acknowledge':
        if (!resigning) return [];
        resigning = false;
        return stepDown('resigned');
      default:
        return [];
    }
  }

  return (input: ScriptedInput): ScriptedEffect[] => {
    switch (input.type) {
      case 'campaign-requested':
        if (standing) throw new Error('It stands already.');
        if (resigning) throw new Error('It has yet to resign.');
        standing = true;
        return [{ type: 'campaign' }];
      case 'resign-requested':
        if (resigning) throw new Error('It resigns already.');
        resigning = true;
        return [{ type: 'send', to: 'b', message: { type: 'resigning' } }];
      case 'lease-expired':
        if (!leading) throw new Error('It does not lead.');
        return stepDown('lease-expired');
      case 'received':
        return onMessage(input.message.type);
      default:
        return [];
    }
  };
}

const action = fc.oneof(
  fc.constantFrom('campaign', 'abort one', 'resign'),
  fc.constantFrom('win', 'renew', 'depose', 'acknowledge'),
  fc.constantFrom('wait 30', 'wait 100', 'pause 100'),
);

describe('given any order of wins, losses, campaigns, resignations and pauses', () => {
  it('the driver keeps its contract with the protocol and with the application', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
        const { elector, clock, transport, diagnostics } = await startedScene(strictProtocol());
        const controllers: AbortController[] = [];
        const promises: Promise<unknown>[] = [];
        // Many of them reject, as they should; what matters is that all of them settle.
        const remember = (promise: Promise<unknown>) => promises.push(promise.catch(() => {}));
        const terms = new Set<Leadership>();

        for (const name of actions) {
          const [verb, amount] = name.split(' ');
          if (verb === 'campaign') {
            const controller = new AbortController();
            controllers.push(controller);
            remember(elector.campaign({ signal: controller.signal }).then((term) => terms.add(term)));
          } else if (verb === 'abort') controllers.shift()?.abort();
          else if (verb === 'resign') remember(elector.resign());
          else if (verb === 'wait') await clock.advance(Number(amount));
          else if (verb === 'pause') clock.pause(Number(amount));
          else transport.handlers?.received('b', { type: name }, 'b1');
          // Several campaigns and resignations may come before any of them is worked off.
          if (verb !== 'campaign' && verb !== 'resign') await settled();

          // To ask is to look at the clock: after a pause, whatever is over ends by it.
          const belief = elector.belief();
          const live = [...terms].filter(({ signal }) => !signal.aborted);
          expect(live.length).toBeLessThanOrEqual(1);
          if (live.length === 1) expect(belief).toMatchObject({ role: 'leader', token: live[0]?.token });
        }

        const stopped = elector.stop();
        await settled();
        await transport.receive('acknowledge');
        await clock.advance(1000);
        await stopped;
        await Promise.all(promises);
        expect([...terms].every(({ signal }) => signal.aborted)).toBe(true);
        expect(clock.pendingTimers).toBe(0);
        expect(diagnostics.filter(({ type }) => type.endsWith('failed'))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
