// The module 'hustings:guests': nobody, or the student's file that the page is to show.

const name = 'hustings:guests';
const resolved = `\0${name}`;

/** Where `serve.mjs` says whom to show: a file, and the facts of the exercise that it answers. */
export const guestVariable = 'HUSTINGS_GUEST';

export function guests() {
  const guest = JSON.parse(process.env[guestVariable] ?? 'null');
  return {
    name,
    enforce: 'pre',
    resolveId: (id) => (id === name ? resolved : null),
    load: (id) => (id === resolved ? (guest === null ? 'export default [];' : moduleOf(guest)) : null),
  };
}

const moduleOf = ({ file, facts }) => `
import * as answer from ${JSON.stringify(file)};
import { guestOf } from '@hustings/classroom/guest';
export default [guestOf(${JSON.stringify(facts)}, answer)];
`;
