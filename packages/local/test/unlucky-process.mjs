/** Asks three times who has the lease, then says what is left in `directory`. Started where nothing can be written. */

import { readdir } from 'node:fs/promises';
import { localStore } from '@hustings/local';

const [directory] = process.argv.slice(2);
const store = localStore({ directory });
const ask = () => store.read('billing').catch(({ message }) => message);
const refusals = [await ask(), await ask(), await ask()];
console.log(JSON.stringify({ refusals, left: await readdir(directory) }));
