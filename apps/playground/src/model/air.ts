import type { Flight } from '@hustings/simulator';

const bucketCount = 2048;

/** Which messages are on their way at a time, without asking all of them. */
export class Air {
  readonly #buckets: Flight[][] = Array.from({ length: bucketCount }, () => []);
  readonly #endMs: number;

  constructor(flights: readonly Flight[], endMs: number) {
    this.#endMs = Math.max(endMs, 1);
    for (const flight of flights) {
      for (
        let bucket = this.#bucketOf(flight.sentMs);
        bucket <= this.#bucketOf(landsMs(flight));
        bucket += 1
      ) {
        this.#buckets[bucket]!.push(flight);
      }
    }
  }

  at(atMs: number): Flight[] {
    return this.#buckets[this.#bucketOf(atMs)]!.filter(
      (flight) => flight.sentMs <= atMs && atMs <= landsMs(flight),
    );
  }

  #bucketOf(atMs: number): number {
    const bucket = Math.floor((atMs / this.#endMs) * bucketCount);
    return Math.max(0, Math.min(bucketCount - 1, bucket));
  }
}

/** How long a message that never left is shown. */
const stillbornMs = 3;

/** When a message is seen no more. */
export function landsMs({ sentMs, end, reachesMs }: Flight): number {
  if (end.type === 'lost') return Math.max(end.atMs, sentMs + stillbornMs);
  return end.type === 'arrived' ? end.atMs : (reachesMs ?? sentMs + stillbornMs);
}

/** How far it has come, from 0 to 1. A lost one goes no further than halfway. */
export function shareOf(flight: Flight, atMs: number): number {
  const { sentMs, end, reachesMs } = flight;
  const isStillborn = end.type === 'lost' && reachesMs === null;
  const untilMs = isStillborn ? sentMs + stillbornMs : Math.max(reachesMs ?? landsMs(flight), sentMs + 1e-6);
  const share = Math.min(1, Math.max(0, (atMs - sentMs) / (untilMs - sentMs)));
  return isStillborn ? share * 0.45 : share;
}
