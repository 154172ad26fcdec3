#!/usr/bin/env node
/** `npx hustings run|sidecar|observe|resign|ttl`. */

const stop = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stop.abort());

// Whoever reads the log may go, and a leader leads on; to observe is of no use when nobody reads.
process.stderr.on('error', () => {});
process.stdout.on('error', () => stop.abort());

// Only now: it takes a while to load, and a signal that comes meanwhile must be heard.
const { commandLine } = await import('./command-line.js');
const code = await commandLine(process.argv.slice(2), stop.signal);

// A client may keep a connection open that nobody needs any longer.
process.exit(code);

export {};
