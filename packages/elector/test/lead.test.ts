import { getEventListeners } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  type Leadership,
  LeadershipLostError,
  lead,
  type Predecessor,
  StaleTokenError,
} from '../src/index.js';
import { FakeElector, ownTerm } from './fake-elector.js';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));

/** Whom `beforeLead` is told of. */
async function predecessorOf(candidate: FakeElector): Promise<Predecessor | null | undefined> {
  let told: Predecessor | null | undefined;
  const beforeLead = (_: Leadership, predecessor: Predecessor | null) => {
    told = predecessor;
  };
  await lead(candidate, async () => {}, { beforeLead });
  return told;
}

let elector: FakeElector;
beforeEach(() => {
  elector = new FakeElector();
});

describe('given work that returns while leading', () => {
  it('resolves after the node has resigned', async () => {
    await lead(elector, async () => void elector.journal.push('work'));
    expect(elector.journal).toEqual(['campaign', 'work', 'resign']);
  });

  it('gives the work its Leadership', async () => {
    let seen: Leadership | undefined;
    await lead(elector, async (leadership) => {
      leadership.assertValid();
      seen = leadership;
      expect(leadership.remainingMs).toBe(Infinity);
    });
    expect(seen).toMatchObject({ token: 1n, holder: 'fake#1' });
    expect(JSON.stringify(seen)).toBe('{"token":"1","holder":"fake#1"}');
    expect(seen?.remainingMs).toBe(0);
  });
});

describe('given leadership that is lost', () => {
  it('waits for the work to end, and only then campaigns again', async () => {
    const tokens: bigint[] = [];
    await lead(elector, async ({ token, signal }) => {
      tokens.push(token);
      elector.journal.push('begin');
      if (tokens.length === 1) {
        setImmediate(() => elector.lose());
        await aborted(signal);
        await turn();
      }
      elector.journal.push('end');
    });
    expect(tokens).toEqual([1n, 2n]);
    expect(elector.journal).toEqual([
      'campaign',
      'begin',
      'end',
      'resign',
      'campaign',
      'begin',
      'end',
      'resign',
    ]);
  });

  it('gives the work an assertValid that throws from then on, and not before', async () => {
    let runs = 0;
    await lead(elector, async (leadership) => {
      runs += 1;
      expect(() => leadership.assertValid()).not.toThrow();
      if (runs > 1) return;
      elector.lose();
      expect(() => leadership.assertValid()).toThrow(LeadershipLostError);
    });
    expect(runs).toBe(2);
  });

  it.each([
    ['throws what assertValid threw', (leadership: Leadership) => leadership.assertValid()],
    ['throws the reason of its signal', ({ signal }: Leadership) => signal.throwIfAborted()],
    [
      'throws an AbortError',
      () => {
        throw new DOMException('The operation was aborted.', 'AbortError');
      },
    ],
  ])('campaigns again when the work %s', async (_how, end) => {
    let runs = 0;
    await lead(elector, async (leadership) => {
      runs += 1;
      if (runs > 1) return;
      elector.lose();
      end(leadership);
    });
    expect(runs).toBe(2);
  });

  it('campaigns again when assertValid notices the loss before the signal does', async () => {
    let runs = 0;
    await lead(elector, async ({ token, signal }) => {
      runs += 1;
      expect(signal.aborted).toBe(false);
      if (runs === 1) throw new LeadershipLostError(token, 'lease-expired');
    });
    expect(runs).toBe(2);
  });

  it('campaigns again when a fence refuses what the work wrote since', async () => {
    let runs = 0;
    await lead(elector, async () => {
      runs += 1;
      if (runs > 1) return;
      elector.lose();
      throw new StaleTokenError('a newer leader has written');
    });
    expect(runs).toBe(2);
  });

  it('campaigns again when it was lost before the work could begin', async () => {
    const campaign = elector.campaign.bind(elector);
    let campaigns = 0;
    elector.campaign = async (options) => {
      const leadership = await campaign(options);
      campaigns += 1;
      if (campaigns === 1) elector.lose();
      return leadership;
    };
    await lead(elector, async ({ token }) => void elector.journal.push(`work ${token}`));
    expect(elector.journal).toEqual(['campaign', 'resign', 'campaign', 'work 2', 'resign']);
  });

  it('does not hide an error of the work that only coincides with it', async () => {
    const error = new Error('disk full');
    const leading = lead(elector, async () => {
      elector.lose();
      throw error;
    });
    await expect(leading).rejects.toBe(error);
  });
});

describe('given work that fails', () => {
  it('resigns, then rejects with what the work threw', async () => {
    const error = new Error('bug');
    const leading = lead(elector, async () => {
      throw error;
    });
    await expect(leading).rejects.toBe(error);
    expect(elector.journal).toEqual(['campaign', 'resign']);
  });

  it('does not take the refusal of a fence for a loss while it still leads', async () => {
    const error = new StaleTokenError('the token of another election was higher');
    const leading = lead(elector, async () => {
      throw error;
    });
    await expect(leading).rejects.toBe(error);
  });

  it('does not take an AbortError for a loss while it still leads', async () => {
    const error = new DOMException('A request of the work itself was aborted.', 'AbortError');
    const leading = lead(elector, async () => {
      throw error;
    });
    await expect(leading).rejects.toBe(error);
  });
});

describe('given a signal that aborts', () => {
  it('ends the work, resigns and resolves', async () => {
    const controller = new AbortController();
    await lead(
      elector,
      async ({ signal }) => {
        setImmediate(() => controller.abort());
        await aborted(signal);
        await turn();
        elector.journal.push('end');
      },
      { signal: controller.signal },
    );
    expect(elector.journal).toEqual(['campaign', 'end', 'resign']);
  });

  it.each([
    ['the abort', undefined],
    ['the reason of the abort, whatever that is', new Error('shutting down')],
  ])('resolves when the work ends by throwing %s', async (_what, reason) => {
    const controller = new AbortController();
    const leading = lead(
      elector,
      async ({ signal }) => {
        controller.abort(reason);
        signal.throwIfAborted();
      },
      { signal: controller.signal },
    );
    await expect(leading).resolves.toBeUndefined();
    expect(elector.journal).toEqual(['campaign', 'resign']);
  });

  it('does not hide an error of the work that only coincides with it', async () => {
    const controller = new AbortController();
    const error = new Error('disk full');
    const work = async () => {
      controller.abort();
      throw error;
    };
    await expect(lead(elector, work, { signal: controller.signal })).rejects.toBe(error);
    expect(elector.journal).toEqual(['campaign', 'resign']);
  });

  it('resolves when the node has not been elected yet', async () => {
    elector.electable = false;
    const controller = new AbortController();
    const leading = lead(elector, async () => {}, { signal: controller.signal });
    await turn();
    expect(elector.journal).toEqual(['campaign']);
    controller.abort();
    await expect(leading).resolves.toBeUndefined();
  });

  it('does not begin the work when it has aborted since the election, and resigns', async () => {
    const controller = new AbortController();
    const campaign = elector.campaign.bind(elector);
    elector.campaign = async (options) => {
      const leadership = await campaign(options);
      controller.abort();
      return leadership;
    };
    await lead(elector, async ({ signal }) => aborted(signal), { signal: controller.signal });
    expect(elector.journal).toEqual(['campaign', 'resign']);
  });

  it('resolves while the elector still starts, and hears no more of that', async () => {
    let fail = (_error: Error): void => {};
    elector.start = () =>
      new Promise((_resolve, reject) => {
        fail = reject;
      });
    const controller = new AbortController();
    const leading = lead(elector, async () => {}, { signal: controller.signal });
    controller.abort();
    await expect(leading).resolves.toBeUndefined();
    fail(new Error('stopped'));
    await turn();
    expect(elector.journal).toEqual([]);
  });

  it('is left as it was when the work is done', async () => {
    const { signal } = new AbortController();
    await lead(elector, async () => {}, { signal });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('does not campaign when it has aborted before', async () => {
    await lead(elector, async () => {}, { signal: AbortSignal.abort() });
    expect(elector.journal).toEqual([]);
  });
});

describe('given two works for one elector', () => {
  it('refuses the second while the first goes on, and leaves the first alone', async () => {
    let end = (): void => {};
    const first = lead(
      elector,
      () =>
        new Promise<void>((resolve) => {
          end = resolve;
        }),
    );
    await turn();
    await expect(lead(elector, async () => {})).rejects.toThrow(
      'lead: elector fake is in use by an earlier call; await that one first, or make another elector.',
    );
    expect(elector.journal).toEqual(['campaign']);
    end();
    await first;
    expect(elector.journal).toEqual(['campaign', 'resign']);
  });

  it('runs the second when the first has ended, however it has', async () => {
    const failed = lead(elector, async () => {
      throw new Error('bug');
    });
    await expect(failed).rejects.toThrow('bug');
    await expect(lead(elector, async () => {})).resolves.toBeUndefined();
  });
});

describe('given a campaign that fails', () => {
  it('rejects with the reason', async () => {
    const error = new Error('stopped');
    elector.campaign = async () => {
      throw error;
    };
    await expect(lead(elector, async () => {})).rejects.toBe(error);
  });
});

describe('given work that is none', () => {
  it('says so before anything is started', async () => {
    await expect(lead(elector, undefined as never)).rejects.toThrow('lead: the work must be a function.');
    expect(elector.starts).toBe(0);
  });
});

describe('given an elector that has not been started', () => {
  it('is started, once', async () => {
    await lead(elector, async () => {});
    expect(elector.starts).toBe(1);
  });

  it('is left alone when the signal has aborted before', async () => {
    await lead(elector, async () => {}, { signal: AbortSignal.abort() });
    expect(elector.starts).toBe(0);
  });
});

describe('given something to do before leading', () => {
  it('does it between the election and the work, and tells who led before', async () => {
    elector.beliefs = [
      { role: 'follower', leaderId: 'x', token: 7n },
      { role: 'follower', leaderId: null, token: 7n },
      { role: 'follower', leaderId: 'y', token: 8n },
      ownTerm(1n),
    ];
    const beforeLead = ({ token }: Leadership, predecessor: Predecessor | null) =>
      void elector.journal.push(`before ${token}, after ${predecessor?.leaderId} ${predecessor?.token}`);
    await lead(elector, async () => void elector.journal.push('work'), { beforeLead });
    expect(elector.journal).toEqual(['campaign', 'before 1, after y 8', 'work', 'resign']);
  });

  it('observes no longer than it leads', async () => {
    const work = async () => {
      await turn();
      expect(elector.observers).toBe(1);
    };
    await lead(elector, work, { beforeLead: () => {} });
    await turn();
    expect(elector.observers).toBe(0);
  });

  it('knows who led before, however late it hears of that', async () => {
    elector.observe = async function* () {
      await turn();
      yield { role: 'follower', leaderId: 'y', token: 8n };
      await turn();
      yield ownTerm(1n);
      await new Promise(() => {});
    };
    expect(await predecessorOf(elector)).toEqual({ leaderId: 'y', token: 8n });
  });

  it('knows who led before, however often it hears of itself', async () => {
    elector.beliefs = [
      { role: 'follower', leaderId: 'y', token: 8n },
      ...[ownTerm(1n), ownTerm(1n), ownTerm(1n), ownTerm(1n)],
    ];
    const campaign = elector.campaign.bind(elector);
    elector.campaign = (options) => turn().then(() => campaign(options));
    expect(await predecessorOf(elector)).toEqual({ leaderId: 'y', token: 8n });
  });

  it('tells of nobody when it has heard of nobody', async () => {
    expect(await predecessorOf(elector)).toBeNull();
  });

  it('tells of nobody when the elector stops, and says nothing more', async () => {
    elector.observe = async function* () {};
    expect(await predecessorOf(elector)).toBeNull();
  });

  it('resigns without doing the work when that fails', async () => {
    const beforeLead = async () => {
      throw new Error('the old leader is not dead');
    };
    const work = async () => void elector.journal.push('work');
    await expect(lead(elector, work, { beforeLead })).rejects.toThrow('the old leader is not dead');
    expect(elector.journal).toEqual(['campaign', 'resign']);
  });

  it('does not begin the work when leadership is lost meanwhile, and campaigns again', async () => {
    let times = 0;
    const beforeLead = async ({ signal }: Leadership) => {
      times += 1;
      if (times > 1) return;
      setImmediate(() => elector.lose());
      await aborted(signal);
    };
    elector.beliefs = [ownTerm(1n), ownTerm(2n)];
    await lead(elector, async ({ token }) => void elector.journal.push(`work ${token}`), { beforeLead });
    expect(elector.journal).toEqual(['campaign', 'resign', 'campaign', 'work 2', 'resign']);
  });
});
