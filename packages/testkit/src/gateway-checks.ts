import { type Check, until } from './check.js';

/** A gateway to a server that is not there, or does not answer. */
export interface GatewaySubject {
  readonly name: string;
  /** Opens one, starts it, and has it reach for its server: it tells `onDiagnostic` that nobody answers. */
  start(onDiagnostic: () => void): Promise<{ stop(): Promise<void> }>;
}

const patienceMs = 10_000;

/** What every gateway owes whoever runs it. */
export const gatewayChecks: readonly Check<GatewaySubject>[] = [
  {
    name: 'bears it that its listener throws, and goes on to tell it',
    run: (subject) =>
      goesOn(subject, () => {
        throw new Error('the log is full');
      }),
  },
  {
    // Unheard, the rejection would end the process, and fails the run of the tests.
    name: 'bears it that its listener returns a promise that is rejected, and goes on to tell it',
    run: (subject) =>
      goesOn(subject, async () => {
        throw new Error('the log is full');
      }),
  },
  {
    name: 'stops once: whoever stops it again waits for the same',
    async run({ start }) {
      const gateway = await start(() => {});
      const stopped: string[] = [];
      const first = gateway.stop().then(() => stopped.push('first'));
      const second = gateway.stop().then(() => stopped.push('second'));
      await Promise.all([first, second]);
      if (stopped[0] !== 'first') throw new Error('The second stop() resolved before the first had ended.');
    },
  },
];

async function goesOn({ start }: GatewaySubject, fail: () => void): Promise<void> {
  let told = 0;
  const gateway = await start(() => {
    told += 1;
    return fail();
  });
  await until('it has told twice that nobody answers', patienceMs, () => told >= 2);
  await gateway.stop();
}
