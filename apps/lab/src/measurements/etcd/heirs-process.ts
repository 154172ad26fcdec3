/** A candidate with heirs that always stands, and tells when it leads, has an heir, and has stopped. */

import type { Leadership } from '@hustings/elector';
import { etcd } from '@hustings/etcd';
import { etcdGateway } from '@hustings/etcd/gateway';
import { createElector, memoryStorage } from '@hustings/runtime';
import { monotonicMs } from '@hustings/servers';
import { joinTransports, metered } from '@hustings/transport';
import { webSocketTransport } from '@hustings/transport/websocket';

export interface CandidateSettings {
  readonly id: string;
  readonly election: string;
  readonly host: string;
  readonly port: number;
  readonly peers: Readonly<Record<string, string>>;
  readonly heirWaitMs: number;
}

export type FromCandidate =
  | { readonly type: 'waits' }
  | { readonly type: 'leads'; readonly token: bigint; readonly atMs: number }
  | { readonly type: 'has-heir'; readonly token: bigint }
  /** `validUntilMs`: when it last found that it could act. */
  | { readonly type: 'ended'; readonly token: bigint; readonly validUntilMs: number };

const tell = (message: FromCandidate): void => void process.send?.(message);

process.once('message', async (settings: CandidateSettings) => {
  const { id, election: name, host, port, peers, heirWaitMs } = settings;
  const protocol = etcd({ name, heirWaitMs });
  const { decodeMessage } = protocol;
  const secret = 'no secret, for nobody else is here';
  const links = metered(
    webSocketTransport({ id, listen: { host: '127.0.0.1', port }, peers, secret, decodeMessage }),
  );
  const transport = joinTransports({ coordinator: etcdGateway({ id, hosts: host }), peers: links });
  const elector = createElector({
    protocol,
    transport,
    peers: Object.keys(peers),
    storage: memoryStorage(),
  });
  const promises = (): number => links.counts().received.byType['promise'] ?? 0;
  await elector.start();
  for (;;) {
    tell({ type: 'waits' });
    const leadership = await elector.campaign();
    tell({ type: 'leads', token: leadership.token, atMs: monotonicMs() });
    await act(leadership, promises);
  }
});

/** Acts as often as it can: whoever acts asks first whether it still leads. */
async function act({ token, signal, assertValid }: Leadership, promises: () => number): Promise<void> {
  const before = promises();
  let validUntilMs = monotonicMs();
  let hasHeir = false;
  while (!signal.aborted) {
    try {
      assertValid();
      validUntilMs = monotonicMs();
    } catch {
      break;
    }
    if (!hasHeir && promises() > before) {
      hasHeir = true;
      tell({ type: 'has-heir', token });
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  tell({ type: 'ended', token, validUntilMs });
}
