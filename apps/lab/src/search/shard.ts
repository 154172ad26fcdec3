import { UsageError } from '@hustings/command';

/** One of `of` shares that are alike, counted from 1. */
export interface Shard {
  readonly number: number;
  readonly of: number;
}

export function toShard(text: string): Shard {
  const match = /^(\d{1,5})\/(\d{1,5})$/.exec(text);
  const [number, of] = [Number(match?.[1]), Number(match?.[2])];
  if (match !== null && number >= 1 && number <= of) return { number, of };
  throw new UsageError(
    `--shard takes the number of a share and how many there are, such as 3/10; '${text}' is not that.`,
  );
}
