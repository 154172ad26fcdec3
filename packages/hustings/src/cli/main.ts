#!/usr/bin/env node
/** `npx hustings run|sidecar|observe|resign`. */

import { commandLine } from './command-line.js';

const stop = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stop.abort());

// A client may keep a connection open that nobody needs any longer.
process.exit(await commandLine(process.argv.slice(2), stop.signal));
