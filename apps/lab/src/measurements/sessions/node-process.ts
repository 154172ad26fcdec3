/**
 * A process with many elections over one session to a real etcd, kept even by `balance`. It says as JSON, a line each,
 * when it began and ended to lead what.
 */

import { monotonicMs } from '@hustings/servers';
import { balance } from 'hustings/balance';
import { etcdSession, type Leadership } from 'hustings/etcd';
import { electionNames, type Said } from './lines.js';

const [, , id = '', prefix = '', elections = '0', ttlSeconds = '5', ...hosts] = process.argv;
const say = (said: Said): void => void process.stdout.write(`${JSON.stringify(said)}\n`);

const names = electionNames(Number(elections));
const timings = { ttlSeconds: Number(ttlSeconds) };
const session = etcdSession({ id, prefix, hosts, timings, logger: false });
const electors = names.map((name) => session.elector(name));

/** What it leads, and when it last found that it does. A process that does not run leads nothing. */
const led = new Map<string, { readonly leadership: Leadership; validMs: number }>();
setInterval(() => {
  const nowMs = monotonicMs();
  for (const each of led.values()) if (each.leadership.remainingMs > 0) each.validMs = nowMs;
}, 10);

const spread = balance({
  names,
  seats: 4,
  elector: (name) => session.elector(name),
  async work(name, leadership) {
    const { token, signal } = leadership;
    const beganMs = monotonicMs();
    led.set(name, { leadership, validMs: beganMs });
    say({ type: 'began', election: name, token: `${token}`, atMs: beganMs });
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    say({ type: 'ended', election: name, token: `${token}`, atMs: led.get(name)?.validMs ?? beganMs });
    led.delete(name);
  },
  onError: (name, error) => say({ type: 'failed', election: name, detail: `${error}`, atMs: monotonicMs() }),
});

/** Every election of which somebody leads, as this process knows it. */
const known = (): number => electors.filter((elector) => elector.belief().leaderId !== null).length;

setInterval(() => {
  const { user, system } = process.cpuUsage();
  say({
    type: 'state',
    known: known(),
    led: spread.led().length,
    cpuMs: (user + system) / 1000,
    atMs: monotonicMs(),
  });
}, 200);

process.once('SIGTERM', () => {
  void spread
    .stop()
    .then(() => session.stop())
    .then(() => process.exit(0));
});
