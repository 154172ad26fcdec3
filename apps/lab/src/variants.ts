import { canBefall, variantsOf } from '@hustings/catalogue';
import { UsageError } from '@hustings/command';

/** Throws `UsageError` for a variant that the algorithm does not have. */
export function checkVariant(algorithm: string, variant: string): void {
  const variants = variantsOf(algorithm);
  if (variants.includes(variant)) return;
  throw new UsageError(`${algorithm} has no variant '${variant}'; choose from ${variants.join(', ')}.`);
}

/** Throws `UsageError` where a search has nothing to break, too. */
export function checkSearchable(algorithm: string, variant: string): void {
  checkVariant(algorithm, variant);
  if (canBefall(algorithm, variant, 'isolate')) return;
  throw new UsageError(
    `The processes of ${algorithm}/${variant} are on one machine, with no network between them to break; see what pauses and crashes do to it with 'npm run bench -- --algorithms ${algorithm} --variants'.`,
  );
}
