import { InvalidOptionError } from '@hustings/elector';
import type { Settings } from '@hustings/simulator';

/** Those of the settings that this is a complete list of. What they may be is checked by whoever takes them. */
export function settingsOf<Known extends object>(known: Known, settings: Settings): Partial<Known> {
  const own = Object.entries(settings).filter(([name]) => name in known);
  return Object.fromEntries(own) as Partial<Known>;
}

/** Throws `InvalidOptionError` for a setting that none of these lists has. */
export function checkSettings(settings: Settings, ...known: readonly object[]): void {
  for (const name of Object.keys(settings)) {
    if (known.some((list) => name in list)) continue;
    const names = known.flatMap((list) => Object.keys(list));
    throw new InvalidOptionError(`There is no setting '${name}'; choose from ${names.join(', ')}.`);
  }
}
