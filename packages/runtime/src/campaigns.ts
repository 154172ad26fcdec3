import type { Leadership } from '@hustings/elector';

interface Campaign {
  win(leadership: Leadership): void;
  lose(error: unknown): void;
}

/** The calls of `campaign()` that still wait. Together they are one candidacy. */
export class Campaigns {
  readonly #waiting = new Set<Campaign>();
  readonly #onDeserted: () => void;

  /** `onDeserted` is called when the last of them is withdrawn by its own signal. */
  constructor(onDeserted: () => void) {
    this.#onDeserted = onDeserted;
  }

  get count(): number {
    return this.#waiting.size;
  }

  join(signal: AbortSignal | undefined): Promise<Leadership> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(campaign);
        signal?.removeEventListener('abort', onAbort);
      };
      const campaign: Campaign = {
        win(leadership) {
          leave();
          resolve(leadership);
        },
        lose(error) {
          leave();
          reject(error);
        },
      };
      const onAbort = () => {
        campaign.lose(signal?.reason);
        if (this.#waiting.size === 0) this.#onDeserted();
      };
      signal?.addEventListener('abort', onAbort);
      this.#waiting.add(campaign);
    });
  }

  winAll(leadership: Leadership): void {
    for (const campaign of this.#waiting) campaign.win(leadership);
  }

  loseAll(error: Error): void {
    for (const campaign of this.#waiting) campaign.lose(error);
  }
}
