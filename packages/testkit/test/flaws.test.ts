import type { Guarantees } from '@hustings/elector';
import type { Transport } from '@hustings/transport';
import { describe, expect, it } from 'vitest';
import {
  electorChecks,
  memoryNetwork,
  type Network,
  type Parcel,
  protocolSubject,
  type TransportSubject,
  transportChecks,
} from '../src/index.js';
import { type Flaw, rollCall } from './roll-call.js';

const patienceMs = 500;

describe('given a protocol with a flaw', () => {
  const flaws: readonly [Flaw, Partial<Guarantees>, string][] = [
    ['token-repeats', {}, 'tokens grow from leader to leader'],
    ['never-tells', {}, 'one leader emerges, and everyone comes to believe in it'],
    ['goes-silently', {}, 'observe gives the present belief, then every change, no leader included'],
    [
      'ignores-successor',
      { targetedTransfer: true },
      'leadership goes to a chosen node, where that is declared, and is refused where not',
    ],
    [
      'never-renews',
      { leased: true },
      'a Leadership is bounded and renewed where a lease is declared, and unbounded where not',
    ],
  ];

  it.each(flaws)('%s: the suite catches it', async (flaw, guarantees, name) => {
    const check = electorChecks.find((candidate) => candidate.name === name)!;
    const sound = protocolSubject({ protocol: () => rollCall({ guarantees }) }, memoryNetwork);
    await check.run(sound);
    const broken = protocolSubject(
      { protocol: () => rollCall({ guarantees, flaw }), patienceMs },
      memoryNetwork,
    );
    await expect(check.run(broken)).rejects.toThrow();
  });
});

describe('given a transport with a flaw', () => {
  type Change = (transport: Transport<Parcel>) => Transport<Parcel>;

  const broken = (change: Change): TransportSubject => ({
    name: 'broken',
    patienceMs,
    open(ids): Network<Parcel> {
      const network = memoryNetwork.open<Parcel>(ids, (value) => value as Parcel);
      return { transport: (id) => change(network.transport(id)) };
    },
  });

  /** Everything as it was, except for what is given. */
  const altered = (transport: Transport<Parcel>, change: Partial<Transport<Parcel>>): Transport<Parcel> => ({
    id: transport.id,
    incarnation: transport.incarnation,
    start: (handlers) => transport.start(handlers),
    send: (to, parcel, incarnation) => transport.send(to, parcel, incarnation),
    stop: () => transport.stop(),
    ...change,
  });

  const flaws: readonly [string, string, Change][] = [
    [
      'repeats messages',
      'keeps the order of messages to one peer, and repeats none',
      (transport) =>
        altered(transport, {
          send(to, parcel) {
            transport.send(to, parcel);
            transport.send(to, parcel);
          },
        }),
    ],
    [
      'copies a message too late',
      'delivers a copy, made when the message was sent',
      (transport) =>
        altered(transport, { send: (to, parcel) => queueMicrotask(() => transport.send(to, parcel)) }),
    ],
    [
      'hides that a link is down',
      'reports a link down when the peer stops, and no other link',
      (transport) =>
        altered(transport, { start: (handlers) => transport.start({ ...handlers, linkDown: () => {} }) }),
    ],
    [
      'reaches whoever is there, whoever was meant',
      'delivers nothing to a process that was meant for an earlier one',
      (transport) => altered(transport, { send: (to, parcel) => transport.send(to, parcel) }),
    ],
    [
      'holds messages for longer than their sender lives',
      'delivers nothing of an earlier process once a later one is linked',
      (transport) =>
        altered(transport, {
          start: (handlers) =>
            transport.start({
              ...handlers,
              received: (...parcel) => setTimeout(() => handlers.received(...parcel), 50),
            }),
        }),
    ],
    [
      'names a process as its node',
      'names the process that a message or a link comes from',
      (transport) =>
        altered(transport, {
          start: (handlers) =>
            transport.start({
              ...handlers,
              linkUp: (peer) => handlers.linkUp(peer, peer),
              received: (from, parcel) => handlers.received(from, parcel, from),
            }),
        }),
    ],
    [
      'throws when the peer is unknown',
      'loses messages to a peer that is unknown or gone, without throwing',
      (transport) =>
        altered(transport, {
          send(to, parcel) {
            if (to === 'nobody') throw new Error('Who?');
            transport.send(to, parcel);
          },
        }),
    ],
  ];

  it.each(flaws)('%s: the suite catches it', async (_flaw, name, change) => {
    const check = transportChecks.find((candidate) => candidate.name === name)!;
    await check.run(broken((transport) => transport));
    await expect(check.run(broken(change))).rejects.toThrow();
  });
});
