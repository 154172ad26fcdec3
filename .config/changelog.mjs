// Prints CHANGELOG.md: the changelogs of the published packages, which changesets writes, on one page. All packages
// share one version, so a reader wants one page; changesets keeps one for each package only.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = process.argv[2] ?? '.';
const opening = `# Changelog

All packages have the same version. This page is made by \`npm run changelog\` from the changelogs of the packages, which
[changesets](https://github.com/changesets/changesets) writes; do not edit it. What is not released yet stands in
[.changeset](.changeset), a file for each change.
`;
const closing = `## 0.1.0

The first version. What changed before it was not recorded here: see the commits.
`;

process.stdout.write([opening, ...releases().map(format), closing].join('\n'));

/** Newest first: version -> kind of change -> text of the change -> the packages that it concerns. */
function releases() {
  const found = new Map();
  for (const { name, version, kind, text } of readdirSync(join(root, 'packages')).sort().flatMap(changesOf)) {
    const kinds = upsert(found, version, new Map());
    upsert(upsert(kinds, kind, new Map()), text, []).push(name);
  }
  return [...found].sort(([a], [b]) => b.localeCompare(a, 'en', { numeric: true }));
}

function changesOf(name) {
  const file = join(root, 'packages', name, 'CHANGELOG.md');
  if (!existsSync(file)) return [];
  return sections(readFileSync(file, 'utf8'), '## ').flatMap(([version, release]) =>
    sections(release, '### ').flatMap(([kind, changes]) =>
      sections(changes, '- ')
        .map(([first, rest]) => `${first}\n${rest}`.trim())
        // Siblings always move together; that they did is no news.
        .filter((text) => !text.startsWith('Updated dependencies'))
        .map((text) => ({ name, version, kind, text: text.replace(/^[0-9a-f]{7,40}: /, '') })),
    ),
  );
}

/** What follows each line that begins with `mark`: its rest, and the lines up to the next one. */
function sections(text, mark) {
  return `\n${text}`
    .split(`\n${mark}`)
    .slice(1)
    .map((section) => {
      const [first, ...rest] = section.split('\n');
      return [first, rest.join('\n')];
    });
}

function upsert(map, key, initial) {
  if (!map.has(key)) map.set(key, initial);
  return map.get(key);
}

function format([version, kinds]) {
  const lines = [...kinds].flatMap(([kind, changes]) => [
    `### ${kind}\n`,
    ...[...changes].map(([text, names]) => `- **${names.join(', ')}**: ${text}`),
    '',
  ]);
  return [`## ${version}\n`, ...lines].join('\n');
}
