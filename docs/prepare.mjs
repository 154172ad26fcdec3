// Looks whether everything that is made elsewhere is there, and puts the playground beside the pages, for the figures.

import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));
const playground = pathOf('../apps/playground/dist');

const needed = { [playground]: 'npm run build', [pathOf('api/index.md')]: 'npm run docs:api' };
for (const [path, command] of Object.entries(needed)) {
  if (existsSync(path)) continue;
  console.error(`There is no ${path} yet: run ${command} first.`);
  process.exit(1);
}
mkdirSync(pathOf('public'), { recursive: true });
rmSync(pathOf('public/playground'), { recursive: true, force: true });
cpSync(playground, pathOf('public/playground'), { recursive: true });
