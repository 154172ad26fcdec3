// Puts beside the pages what was built elsewhere: the playground, for the figures, and the API reference.

import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));
const playground = pathOf('../apps/playground/dist');

if (!existsSync(playground)) {
  console.error('There is no playground yet: run npm run build first, or npm run docs, which does.');
  process.exit(1);
}
mkdirSync(pathOf('public'), { recursive: true });
rmSync(pathOf('public/playground'), { recursive: true, force: true });
cpSync(playground, pathOf('public/playground'), { recursive: true });
