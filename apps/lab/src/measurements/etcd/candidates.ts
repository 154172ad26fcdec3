/** Candidates of several makes, each in a process of its own, which are told apart only by how they are started. */

import { fileURLToPath } from 'node:url';
import { type EtcdCluster, type SupervisedProcess, supervise } from '@hustings/servers';

export interface Candidate {
  /** When it said that it leads, by the clock of this process; null until then. */
  readonly leadsSinceMs: number | null;
  /** The time that it gave with a word, in ms by the machine's monotonic clock; null if it gave none. */
  saidAtMs(word: string): number | null;
  /** Asks it to resign. */
  resign(): void;
  kill(): void;
  stop(): Promise<void>;
}

export interface Make {
  readonly name: string;
  start(cluster: EtcdCluster, election: string, ttlSeconds: number): Promise<Candidate>;
}

/** Resigns on SIGINT. `isLeading` recognizes the line that it prints when it leads. */
function present(process: Promise<SupervisedProcess>, clock: Clock): Promise<Candidate> {
  return process.then((started) => ({
    get leadsSinceMs() {
      return clock.leadsSinceMs;
    },
    saidAtMs(word) {
      const nanoseconds = started.lines.find((line) => line.startsWith(`${word} `))?.split(' ')[1];
      return nanoseconds === undefined ? null : Number(nanoseconds) / 1e6;
    },
    resign: () => started.signal('SIGINT'),
    kill: () => started.signal('SIGKILL'),
    stop: () => started.stop(),
  }));
}

interface Clock {
  leadsSinceMs: number | null;
}

function watchFor(isLeading: (line: string) => boolean): { clock: Clock; onLine: (line: string) => void } {
  const clock: Clock = { leadsSinceMs: null };
  return {
    clock,
    onLine(line) {
      if (clock.leadsSinceMs === null && isLeading(line)) clock.leadsSinceMs = performance.now();
    },
  };
}

function nodeScript(name: string, file: string): Make {
  const script = fileURLToPath(new URL(file, import.meta.url));
  return {
    name,
    start(cluster, election, ttlSeconds) {
      const { clock, onLine } = watchFor((line) => line.startsWith('leads'));
      const parameters = [script, election, `${ttlSeconds}`, ...cluster.endpoints];
      return present(supervise(process.execPath, parameters, { onLine }), clock);
    },
  };
}

export const hustings = nodeScript('hustings', './hustings-candidate.js');
export const etcd3Election = nodeScript('etcd3 election', './etcd3-candidate.js');

/** Its lease is fixed at 60 s: for hand-overs only. */
export const etcdctlElect: Make = {
  name: 'etcdctl elect',
  start(cluster, election) {
    const { clock, onLine } = watchFor((line) => line === 'proposal');
    return present(cluster.spawnEtcdctl(['elect', election, 'proposal'], { onLine }), clock);
  },
};

export const etcdctlLock: Make = {
  name: 'etcdctl lock',
  start(cluster, election, ttlSeconds) {
    const { clock, onLine } = watchFor((line) => line.startsWith(election));
    return present(cluster.spawnEtcdctl(['lock', `--ttl=${ttlSeconds}`, election], { onLine }), clock);
  },
};
