// The API reference of what is published: `npm run docs:api` writes it to docs/public/api, which git ignores and the site serves.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const isPublished = (directory) =>
  existsSync(`${directory}/package.json`) &&
  !JSON.parse(readFileSync(`${directory}/package.json`, 'utf8')).private;

// Links from a README to a folder are right on GitHub, and types that are not exported are no part of the reference.
const validation = { invalidPath: false, notExported: false };

export default {
  name: 'Hustings',
  entryPointStrategy: 'packages',
  entryPoints: readdirSync(`${root}packages`)
    .map((name) => `${root}packages/${name}`)
    .filter(isPublished),
  packageOptions: { includeVersion: true, validation },
  readme: `${root}README.md`,
  out: `${root}docs/public/api`,
  validation,
  logLevel: 'Warn',
};
