/** Takes the lease of `directory` and `name`, says so, and keeps it until the process ends. */

import { localStore } from '@hustings/local';

const [directory, name, holder] = process.argv.slice(2);
const store = localStore({ directory });
const answer = await store.acquire({ name, holder, ttlMs: 1000 });
process.stdout.write(`${answer.type} ${answer.token}\n`);
setInterval(() => {}, 1000);
