/** Where things are, from the sources as well as from what was built of them. */

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

function findRoot(from: string): string {
  return existsSync(join(from, 'turbo.json')) ? from : findRoot(dirname(from));
}

/** The repository, as it is installed. Ends with a slash. */
export const root = `${findRoot(dirname(fileURLToPath(import.meta.url)))}/`;
export const classroomFolder = `${root}apps/classroom/`;
export const exercisesFolder = `${classroomFolder}exercises/`;
/** The students' own files. Git ignores it. */
export const myFolder = `${root}my/`;
