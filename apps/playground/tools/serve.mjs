// Serves the playground; with '--with my/05-bully/bully.ts', a student's answer is one of its electors.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createServer, searchForWorkspaceRoot } from 'vite';
import { guestVariable } from './guests.mjs';

const folder = fileURLToPath(new URL('..', import.meta.url));
const exercises = fileURLToPath(new URL('../../classroom/exercises/', import.meta.url));

const { with: path, port } = readOptions();
const guest = path === undefined ? null : { file: resolve(path), facts: factsFor(resolve(path)) };

if (guest !== null) process.env[guestVariable] = JSON.stringify(guest);
if (port !== undefined && !(/^\d+$/.test(port) && Number(port) <= 65_535))
  end(`--port takes a whole number from 0 to 65535, not '${port}'.`);
const allow = [searchForWorkspaceRoot(folder), ...(guest === null ? [] : [dirname(guest.file)])];
const server = await createServer({
  root: folder,
  server: { fs: { allow }, ...(port && { port: Number(port) }) },
});
await server.listen();
server.printUrls();
if (guest !== null) process.stdout.write(`  Your elector is 'Yours': ${path}\n`);

function readOptions() {
  try {
    return parseArgs({ options: { with: { type: 'string' }, port: { type: 'string' } } }).values;
  } catch (error) {
    end(`${error.message}. There are two options: --with FILE, your answer to an exercise, and --port N.`);
  }
}

/** The exercise that this file answers, by its folder or by its name. */
function factsFor(file) {
  if (!existsSync(file)) end(`There is no file ${path}; begin an exercise with 'npm run exercise -- 05'.`);
  const course = readdirSync(exercises).map((id) =>
    JSON.parse(readFileSync(`${exercises}${id}/exercise.json`, 'utf8')),
  );
  const facts =
    course.find(({ id }) => id === basename(dirname(file))) ??
    course.find((exercise) => exercise.file === basename(file));
  return (
    facts ??
    end(`${path} answers no exercise: it should be in a folder like 05-bully, or be named like bully.ts.`)
  );
}

function end(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(2);
}
