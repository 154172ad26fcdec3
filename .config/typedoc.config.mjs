// The API reference of what is published: `npm run docs:api` writes it to docs/api, as pages of the site, which git ignores.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const isPublished = (directory) =>
  existsSync(`${directory}/package.json`) &&
  !JSON.parse(readFileSync(`${directory}/package.json`, 'utf8')).private;

// Types that are not exported are no part of the reference.
const validation = { notExported: false };

export default {
  name: 'API reference',
  plugin: ['typedoc-plugin-markdown', 'typedoc-vitepress-theme', './typedoc-main-modules.mjs'],
  entryPointStrategy: 'packages',
  // The front door first.
  entryPoints: ['hustings', ...readdirSync(`${root}packages`).filter((name) => name !== 'hustings')]
    .map((name) => `${root}packages/${name}`)
    .filter(isPublished),
  sortEntryPoints: false,
  packageOptions: {
    readme: 'none',
    disableSources: true,
    excludeExternals: true,
    // Each elector exports lead once more.
    excludeReferences: true,
    // The build, which comes first, has checked all of it.
    skipErrorChecking: true,
    validation,
  },
  readme: 'none',
  out: `${root}docs/api`,
  docsRoot: `${root}docs`,
  // A page for each import.
  outputFileStrategy: 'modules',
  entryFileName: 'index',
  excludeScopesInPaths: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  // Typedoc and VitePress number equal headings differently.
  useHTMLAnchors: true,
  hidePageHeader: true,
  hideBreadcrumbs: true,
  excludeReferences: true,
  // To Vue, an angle bracket in a comment would begin an element.
  sanitizeComments: true,
  disableSources: true,
  validation,
  logLevel: 'Warn',
};
