/** The testkit's suite for electors, asked of a protocol that somebody has just written: in virtual time. */

import type { NodeId } from '@hustings/elector';
import { createElector, memoryStorage, type RunningMachine, runMachine } from '@hustings/runtime';
import { type AnyProtocol, Random, type TraceEvent } from '@hustings/simulator';
import type { Check } from '@hustings/testkit/check';
import {
  type ElectorCluster,
  type ElectorSubject,
  electorCheckGroups,
} from '@hustings/testkit/elector-checks';
import { MemoryNetwork } from '@hustings/transport/memory';
import { SlipInRun } from '../guard.js';
import { Slip } from '../slips.js';
import type { Draw, Finding } from './check.js';
import type { Candidate } from './runs.js';
import { tellEvents } from './story.js';
import { TurningClock } from './turning-clock.js';

/** What is not asked for within this time will not come. */
const patienceMs = 10_000;
/** No check waits for more than a few things. */
const mostMs = 4 * patienceMs;
const unanswered = (): Error =>
  new Error(`After ${mostMs / 1000} s something is still waited for: is 'resign-requested' answered?`);
/** Hundreds of times what a check takes: only a storm of messages needs more. */
const maxSteps = 60_000;

export type Part = keyof typeof electorCheckGroups;

/** Asks one part of the suite, up to the first check that fails. */
export async function askPart<State>(
  part: Part,
  candidate: Candidate<State>,
  { tells }: Draw,
): Promise<Finding | null> {
  for (const check of electorCheckGroups[part]) {
    const finding = await ask(check, candidate, tells);
    if (finding !== null) return finding;
  }
  return null;
}

async function ask<State>(
  check: Check<ElectorSubject>,
  candidate: Candidate<State>,
  tells: boolean,
): Promise<Finding | null> {
  const stage = new Stage(candidate);
  try {
    await stage.clock.during(() => check.run(stage.subject), mostMs, unanswered);
    return null;
  } catch (error) {
    if (error instanceof Slip) throw error;
    if (stage.slip !== null) throw stage.slip;
    const why = stage.failure ?? (error as Error);
    const [sentence = ''] = why.message.split('\n');
    return {
      detail: `The suite asks that ${check.name}. ${sentence}`,
      ...(tells && { story: tellEvents(stage.events, candidate.protocol.periodicMessages) }),
    };
  }
}

/** Everything that one check needs: time, a network, disks, a store, and somebody who writes down what happens. */
class Stage<State> {
  readonly clock = new TurningClock();
  readonly events: TraceEvent[] = [];
  /** What a node's protocol did that no protocol may do: its driver has stopped it. */
  slip: SlipInRun | null = null;
  failure: Error | null = null;
  readonly #candidate: Candidate<State>;
  /** The suite is the same for every student, and so are its lots. */
  readonly #random = new Random(1);

  constructor(candidate: Candidate<State>) {
    this.#candidate = candidate;
  }

  get subject(): ElectorSubject {
    const { guarantees, algorithm } = this.#candidate.protocol;
    return { name: algorithm, guarantees, patienceMs, clock: this.clock, open: (ids) => this.#open(ids) };
  }

  async #open(ids: readonly NodeId[]): Promise<ElectorCluster> {
    const { services = [] } = this.#candidate;
    const { clock } = this;
    const random = (): number => this.#random.fraction();
    const network = new MemoryNetwork<{ readonly type: string }>();
    const servers: RunningMachine<unknown>[] = [];
    for (const { id, machine } of services) {
      const transport = network.transport(id, ids);
      servers.push(await runMachine({ machine, transport, storage: memoryStorage(), clock, random }));
    }
    const disks = new Map(ids.map((id) => [id, memoryStorage<unknown>()]));
    const serviceIds = services.map(({ id }) => id);
    return {
      create: (id) => {
        const others = ids.filter((other) => other !== id);
        return createElector({
          protocol: this.#watched(id),
          transport: network.transport(id, [...others, ...serviceIds]),
          peers: others,
          storage: disks.get(id)!,
          clock,
          random,
          onDiagnostic: (diagnostic) => {
            if (diagnostic.type === 'protocol-failed') this.#failed(diagnostic.error);
          },
        });
      },
      async close() {
        for (const server of servers) await server.stop();
      },
    };
  }

  #failed(error: Error): void {
    if (error instanceof SlipInRun) this.slip ??= error;
    else this.failure ??= error;
  }

  #watched(node: NodeId): AnyProtocol<State> {
    const { protocol } = this.#candidate;
    return {
      ...protocol,
      step: (before, input, nowMs) => {
        const [after, effects] = protocol.step(before, input, nowMs);
        const changed = after !== before;
        const sequence = this.events.length;
        if (sequence > maxSteps) throw new Error('Messages answer messages without end.');
        this.events.push({ type: 'step', sequence, atMs: nowMs, node, input, effects, changed, clock: {} });
        return [after, effects];
      },
    };
  }
}
