/** Starts a program that would run for long, says its number, and waits to be killed. */

import { supervise } from '@hustings/servers';

const child = await supervise('sleep', ['600']);
console.log(child.pid);
setInterval(() => {}, 1000);
