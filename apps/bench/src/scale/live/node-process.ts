/** A process that stands for all elections of its service, in one of the three ways. */

import { type Elector, type Leadership, lead } from '@hustings/elector';
import { monotonicMs } from '@hustings/servers';
import { balance } from 'hustings/balance';
import { etcdElector, etcdSession } from 'hustings/etcd';
import { aggregatorStore, leaseSession } from 'hustings/lease';
import { electionNames, processesPerService, ttlSeconds } from '../plan.js';
import { cpuMs, type NodeOrder, say } from './lines.js';

const order = JSON.parse(process.argv[2] ?? '{}') as NodeOrder;
const names = electionNames(order.elections);
const open = opener(order);
const electors = new Map(names.map((name) => [name, open(name)]));

/** What gives an elector for a name, each alone or all over one session. */
function opener({ id, way, prefix, urls, secret }: NodeOrder): (name: string) => Elector {
  const common = { id, logger: false as const };
  const timings = { ttlSeconds };
  if (way === 'alone') {
    return (name) => etcdElector({ ...common, election: `${prefix}/${name}`, hosts: [...urls], timings });
  }
  const session =
    way === 'session'
      ? etcdSession({ ...common, prefix, hosts: [...urls], timings })
      : leaseSession({
          ...{ ...common, prefix, ttlMs: 1000 * ttlSeconds },
          store: aggregatorStore({ urls, secret }),
        });
  return (name) => session.elector(name);
}

// ---- Leading -------------------------------------------------------------------------------------------

/** What it leads, and when it last found that it does. A process that does not run leads nothing. */
const led = new Map<string, { readonly leadership: Leadership; validMs: number }>();
setInterval(() => {
  const nowMs = monotonicMs();
  for (const each of led.values()) if (each.leadership.remainingMs > 0) each.validMs = nowMs;
}, 10);

async function work(name: string, leadership: Leadership): Promise<void> {
  const { token, signal } = leadership;
  const beganMs = monotonicMs();
  led.set(name, { leadership, validMs: beganMs });
  say({ type: 'began', election: name, token: `${token}`, atMs: beganMs });
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  say({ type: 'ended', election: name, token: `${token}`, atMs: led.get(name)?.validMs ?? beganMs });
  led.delete(name);
}

const onError = (name: string, error: unknown): void =>
  say({ type: 'failed', election: name, detail: `${error}`, atMs: monotonicMs() });

// ---- Standing ------------------------------------------------------------------------------------------

let standing = 0;

/** Of hundreds that start at once some may not reach their server in time: they try again. */
function again(name: string, attempt: () => Promise<void>): void {
  attempt().catch((error) => {
    onError(name, error);
    setTimeout(() => again(name, attempt), 1000);
  });
}

function stand(name: string): void {
  standing += 1;
  again(name, () => lead(electors.get(name)!, (leadership) => work(name, leadership)));
}

/** First for its own share of the elections, then behind whoever leads: so each process leads as many. */
function standEvenly(): void {
  const waiting = new Set<string>();
  for (const [index, name] of names.entries()) {
    if (index % processesPerService === order.place) stand(name);
    else waiting.add(name);
  }
  for (const name of waiting) again(name, () => electors.get(name)!.start());
  const looking = setInterval(() => {
    for (const name of waiting) {
      if (electors.get(name)!.belief().leaderId === null) continue;
      waiting.delete(name);
      stand(name);
    }
    if (waiting.size === 0) clearInterval(looking);
  }, 50);
}

if (order.balance) {
  balance({ names, elector: (name) => electors.get(name) ?? open(name), work, onError, seats: 4 });
  standing = names.length;
} else standEvenly();

setInterval(() => {
  const known = [...electors.values()].filter((elector) => elector.belief().leaderId !== null).length;
  say({ type: 'state', known, standing, cpuMs: cpuMs(), atMs: monotonicMs() });
}, 200);
