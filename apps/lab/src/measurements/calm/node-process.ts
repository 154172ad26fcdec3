/** A node of the front door with the timings that it is given, standing from its start. It tells what it hears. */

import { type Diagnostic, lead, raftElector } from 'hustings/raft';

export interface NodeSettings {
  readonly id: string;
  readonly listen: string;
  readonly peers: Readonly<Record<string, string>>;
  readonly directory: string;
  readonly timings: 'lan' | 'wan' | 'fast';
}

export type FromNode = Pick<Diagnostic, 'type' | 'message' | 'id'>;

const tell = ({ type, message, id }: Diagnostic): void => void process.send?.({ type, message, id });

process.once('message', (settings: NodeSettings) => {
  const secret = 'no secret, for nobody else is here';
  const elector = raftElector({ ...settings, secret, logger: false, onDiagnostic: tell });
  const untilLost = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
  void lead(elector, ({ signal }) => untilLost(signal));
});
