import type { Belief, Guarantees, NodeId } from '@hustings/elector';
import type { Effect, Input, Protocol } from '@hustings/elector/protocol';
import type { Transport, TransportHandlers } from '@hustings/transport';
import {
  createElector,
  type Diagnostic,
  type ElectorOptions,
  memoryStorage,
  type Storage,
} from '../src/index.js';
import { ManualClock, settled } from './manual-clock.js';

export interface Note {
  readonly type: string;
}
export interface Kept {
  readonly term: number;
}
export type ScriptedTimer = 'tick' | 'tock';
export interface ScriptedTypes {
  readonly state: number;
  readonly message: Note;
  readonly durable: Kept;
  readonly timer: ScriptedTimer;
  readonly request: string;
  readonly announcement: string;
}
export type ScriptedInput = Input<ScriptedTypes>;
export type ScriptedEffect = Effect<ScriptedTypes>;

/** What the protocol answers to each input: the test is the algorithm. */
export type Script = (input: ScriptedInput, nowMs: number) => readonly ScriptedEffect[];

const guarantees: Guarantees = {
  atMostOneLeader: true,
  monotonicTokens: true,
  toleratesPartition: true,
  orderedSuccession: false,
  targetedTransfer: true,
  leased: true,
  assumptions: [],
};

/** Answers as a well-behaved protocol would that wins every election at once, without a lease. */
export function obliging(input: ScriptedInput): readonly ScriptedEffect[] {
  if (input.type === 'campaign-requested') return [{ type: 'campaign' }, { type: 'lead', token: 1n }];
  if (input.type === 'resign-requested') return [{ type: 'step-down', reason: 'resigned' }];
  if (input.type === 'lease-expired') return [{ type: 'step-down', reason: 'lease-expired' }];
  return [];
}

export function scriptedProtocol(
  script: Script,
  inputs: ScriptedInput[],
  overrides: Partial<Guarantees>,
): Protocol<ScriptedTypes> {
  return {
    algorithm: 'scripted',
    variant: 'default',
    guarantees: { ...guarantees, ...overrides },
    periodicMessages: new Set(),
    initialState: () => 0,
    step(state, input, nowMs) {
      inputs.push(input);
      return [state + 1, script(input, nowMs)];
    },
    decodeMessage: (value) => value as Note,
    decodeDurable: (value) => value as Kept,
  };
}

/** A network card on a desk: what is sent is written down, and the test plays the other nodes. */
export class DeskTransport implements Transport<Note> {
  readonly id: NodeId;
  readonly incarnation = 'desk';
  readonly sent: string[] = [];
  /** To which process each of them went; null for whoever is there. */
  readonly addressees: (string | null)[] = [];
  onSend: (type: string) => void = () => {};
  handlers: TransportHandlers<Note> | null = null;
  stops = 0;

  constructor(id: NodeId) {
    this.id = id;
  }

  async start(handlers: TransportHandlers<Note>): Promise<void> {
    this.handlers = handlers;
  }

  send(_to: NodeId, message: Note, incarnation?: string): void {
    this.onSend(message.type);
    this.sent.push(message.type);
    this.addressees.push(incarnation ?? null);
  }

  async stop(): Promise<void> {
    this.stops += 1;
  }

  async receive(type: string, incarnation = 'b1'): Promise<void> {
    this.handlers?.received('b', { type }, incarnation);
    await settled();
  }
}

export interface SceneOptions extends Partial<Omit<ElectorOptions<ScriptedTypes>, 'protocol' | 'clock'>> {
  readonly guarantees?: Partial<Guarantees>;
  readonly storage?: Storage<Kept>;
}

/** One node `a` with peers `b` and `c`, its protocol scripted, its clock in the test's hand. */
export function scene(script: Script, options: SceneOptions = {}) {
  const clock = new ManualClock();
  const transport = new DeskTransport('a');
  const inputs: ScriptedInput[] = [];
  const diagnostics: Diagnostic[] = [];
  const { guarantees: overrides = {}, ...rest } = options;
  const elector = createElector({
    protocol: scriptedProtocol(script, inputs, overrides),
    transport,
    peers: ['b', 'c'],
    storage: memoryStorage<Kept>(),
    clock,
    random: () => 0.5,
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    ...rest,
  });
  const heard = () => inputs.map((input) => input.type);
  return { clock, transport, elector, inputs, heard, diagnostics };
}

export async function startedScene(script: Script, options: SceneOptions = {}) {
  const stage = scene(script, options);
  await stage.elector.start();
  await settled();
  return stage;
}

export async function collect(beliefs: AsyncIterable<Belief>, into: Belief[]): Promise<void> {
  for await (const belief of beliefs) into.push(belief);
}

/** How a promise stands right now. */
export async function outcomeOf(promise: Promise<unknown>): Promise<unknown> {
  const pending = new Promise((resolve) => setImmediate(resolve, 'pending'));
  return Promise.race([
    promise.then(
      () => 'fulfilled',
      (error: unknown) => error,
    ),
    pending,
  ]);
}
