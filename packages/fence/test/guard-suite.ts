import { type Credentials, FencedStore, InvalidOptionError, StaleTokenError } from '@hustings/elector';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Guard } from '../src/index.js';

/** A guarded resource that keeps one text, and what the suite does with it. */
export interface GuardSubject<Access> {
  readonly name: string;
  /** A guard of this resource: each call is another process that uses it. */
  guard(resource: string): Promise<Guard<Access>>;
  write(access: Access, resource: string, text: string): Promise<void>;
  read(resource: string): Promise<string | null>;
  /** Whether what `work` has written is undone when it throws. */
  readonly isTransactional: boolean;
  /** Whether only one process at a time has this resource, so that both leaders come to that one. */
  readonly isServedByOne?: boolean;
  /** How often a property is tried. */
  readonly runs: number;
}

const old: Credentials = { token: 3n, holder: 'a#1' };
const newer: Credentials = { token: 4n, holder: 'b#1' };

let resources = 0;

/** What every guard must do: the rule of `FencedStore`, whatever language it is written in. */
export function describeGuard<Access>(subject: GuardSubject<Access>): void {
  const open = async () => {
    resources += 1;
    const resource = `resource ${resources}`;
    const guard = await subject.guard(resource);
    return {
      guard,
      resource,
      another: () => subject.guard(resource),
      write: (credentials: Credentials, text: string, through: Guard<Access> = guard) =>
        through.run(credentials, (access) => subject.write(access, resource, text)),
      read: () => subject.read(resource),
    };
  };

  describe(`the guard of ${subject.name}`, () => {
    it('lets the first leader in, whatever its token, and again', async () => {
      const { write, read } = await open();
      await write({ token: 0n, holder: 'a#1' }, 'first');
      await write({ token: 0n, holder: 'a#1' }, 'second');
      expect(await read()).toBe('second');
    });

    it('refuses an older leader and keeps what it has', async () => {
      const { write, read } = await open();
      await write(old, 'old');
      await write(newer, 'new');
      await expect(write(old, 'stale')).rejects.toThrow(StaleTokenError);
      expect(await read()).toBe('new');
    });

    it('refuses an older leader in another process, and one that comes after a restart', async () => {
      const { write, read, another } = await open();
      await write(newer, 'new');
      await expect(write(old, 'stale', await another())).rejects.toThrow(/no longer leads/);
      expect(await read()).toBe('new');
    });

    it('says who leads now, and with which token', async () => {
      const { write } = await open();
      await write(newer, 'new');
      await expect(write(old, 'stale')).rejects.toThrow(
        'a#1 wrote with token 3, but token 4 of b#1 has been seen; it no longer leads.',
      );
    });

    it('refuses another holder of the same token', async () => {
      const { write, read } = await open();
      await write(newer, 'new');
      await expect(write({ token: 4n, holder: 'c#1' }, 'rival')).rejects.toThrow(
        'c#1 wrote with token 4, which b#1 holds; two leaders were elected with one token.',
      );
      expect(await read()).toBe('new');
    });

    it('keeps the fences of two resources apart', async () => {
      const [one, other] = [await open(), await open()];
      await one.write(newer, 'new');
      await other.write(old, 'old');
      expect(await other.read()).toBe('old');
    });

    it.each([
      ['9 and 10, which sort the other way as text', 9n, 10n],
      ['2^53 and 2^53 + 1, which are one double', 2n ** 53n, 2n ** 53n + 1n],
      ['2^63 - 1 and 2^63, which is no longer a signed number', 2n ** 63n - 1n, 2n ** 63n],
    ])('tells tokens apart exactly: %s', async (_what, lower, higher) => {
      const { write, read } = await open();
      await write({ token: lower, holder: 'a#1' }, 'old');
      await write({ token: higher, holder: 'b#1' }, 'new');
      await expect(write({ token: lower, holder: 'a#1' }, 'stale')).rejects.toThrow(StaleTokenError);
      expect(await read()).toBe('new');
    });

    it.each([undefined, null, Number.NaN, 5, '5', -1n])(
      'refuses %o for a token, and its fence stays where it was',
      async (token) => {
        const { write, read } = await open();
        await write(newer, 'new');
        await expect(write({ token, holder: 'c#1' } as Credentials, 'forged')).rejects.toThrow(
          InvalidOptionError,
        );
        await expect(write(old, 'stale')).rejects.toThrow(StaleTokenError);
        expect(await read()).toBe('new');
      },
    );

    it('takes any text for a holder', async () => {
      const { write, read } = await open();
      const holder = `a b'"\\$1 %41 {x}\n☃#1`;
      await write({ token: 4n, holder }, 'odd');
      await write({ token: 4n, holder }, 'odd again');
      await expect(write({ token: 4n, holder: `${holder}2` }, 'rival')).rejects.toThrow(StaleTokenError);
      expect(await read()).toBe('odd again');
    });

    it('passes on what work throws, and lets the next work in', async () => {
      const { guard, write, read } = await open();
      await write(old, 'before');
      const failing = guard.run(old, async () => {
        throw new Error('of the work itself');
      });
      await expect(failing).rejects.toThrow('of the work itself');
      expect(await read()).toBe('before');
      await write(old, 'after');
      expect(await read()).toBe('after');
    });

    it(
      subject.isTransactional ? 'undoes what failing work has written' : 'cannot undo what work did',
      async () => {
        const { guard, resource, write, read } = await open();
        await write(old, 'before');
        const failing = guard.run(old, async (access) => {
          await subject.write(access, resource, 'half');
          throw new Error('too late');
        });
        await expect(failing).rejects.toThrow('too late');
        expect(await read()).toBe(subject.isTransactional ? 'before' : 'half');
      },
    );

    it('never lets an older leader that is at work write after a newer one', async () => {
      const { write, read, guard, resource, another } = await open();
      let goOn = () => {};
      const paused = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      let atWork = () => {};
      const begun = new Promise<void>((resolve) => {
        atWork = resolve;
      });
      const stale = guard
        .run(old, async (access) => {
          atWork();
          await paused;
          await subject.write(access, resource, 'stale');
        })
        .catch((error) => error);
      await begun;
      // It waits for the older one, or it overtakes it: both will do, as long as its own text stays.
      const newest = write(newer, 'new', subject.isServedByOne ? guard : await another());
      goOn();
      await Promise.all([stale, newest]);
      expect(await read()).toBe('new');
      await expect(write(old, 'stale')).rejects.toThrow(StaleTokenError);
    });

    const attempts = fc.array(
      fc.record({ token: fc.bigInt({ min: 0n, max: 12n }), holder: fc.constantFrom('a', 'b', 'c') }),
      { maxLength: 8 },
    );
    it('decides as FencedStore does', async () => {
      await fc.assert(
        fc.asyncProperty(attempts, async (sequence) => {
          const { write, read } = await open();
          const twin = new FencedStore<string>();
          for (const [index, credentials] of sequence.entries()) {
            const ours = await outcome(() => write(credentials, `${index}`));
            expect(ours).toEqual(await outcome(async () => twin.write(credentials, 'key', `${index}`)));
            expect(await read()).toBe(twin.read('key') ?? null);
          }
        }),
        { numRuns: subject.runs },
      );
    });
  });
}

async function outcome(action: () => Promise<void>): Promise<string> {
  try {
    await action();
    return 'accepted';
  } catch (error) {
    return (error as Error).message;
  }
}
