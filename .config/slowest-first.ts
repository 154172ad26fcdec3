import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const slowest: readonly string[] = JSON.parse(
  readFileSync(new URL('./slowest-tests.json', import.meta.url), 'utf8'),
);

/**
 * The longest files begin first: one that begins last runs alone, while the other processors have nothing to do.
 * Vitest remembers how long each took, but in node_modules; where that is new, it goes by the size of a file.
 */
export default class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const places = new Map(slowest.map((path, place) => [join(this.ctx.config.root, path), place]));
    const placeOf = ({ moduleId }: TestSpecification): number => places.get(moduleId) ?? slowest.length;
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
