import { describe, expect, it } from 'vitest';
import { describeGateway, type GatewaySubject, gatewayChecks } from '../src/index.js';

/** Finds nobody, again and again, and says so by `tell`. */
function lonely(tell: (listener: () => void) => void, stopOf = once): GatewaySubject {
  return {
    name: 'nobody',
    async start(onDiagnostic) {
      const timer = setInterval(() => tell(onDiagnostic), 1);
      const leave = async () => {
        await new Promise((resolve) => setImmediate(resolve));
        clearInterval(timer);
      };
      return { stop: stopOf(leave) };
    },
  };
}

const once = (leave: () => Promise<void>) => {
  let left: Promise<void> | null = null;
  return () => {
    left ??= leave();
    return left;
  };
};

const politely = (listener: () => void): void => void (async () => listener())().catch(() => {});

const check = (name: RegExp) => gatewayChecks.find((each) => name.test(each.name))!;

describeGateway(lonely(politely));

describe('the suite of gateways', () => {
  it('catches one that is broken by its listener', async () => {
    let isBroken = false;
    const subject = lonely((listener) => {
      if (isBroken) return;
      isBroken = true;
      politely(listener);
    });
    await expect(check(/throws/).run(subject)).rejects.toThrow('it has told twice');
  });

  it('catches one whose second stop does not wait for the first', async () => {
    let isStopped = false;
    const subject = lonely(politely, (leave) => async () => {
      if (isStopped) return;
      isStopped = true;
      await leave();
    });
    await expect(check(/stops once/).run(subject)).rejects.toThrow('before the first had ended');
  });
});
