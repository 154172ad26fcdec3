/** What is tried, and how its nodes are connected. */

const known = {
  raft: { coordinator: null, links: 'through proxies', hasHeirs: false },
  etcd: { coordinator: 'etcd', links: 'none', hasHeirs: false },
  zookeeper: { coordinator: 'zookeeper', links: 'none', hasHeirs: false },
  'etcd-heirs': { coordinator: 'etcd', links: 'through proxies', hasHeirs: true },
  'raft-certificates': { coordinator: null, links: 'direct', hasHeirs: false },
  'etcd-certificates': { coordinator: 'etcd', links: 'direct', hasHeirs: true },
  'zookeeper-certificates': { coordinator: 'zookeeper', links: 'direct', hasHeirs: false },
} as const satisfies Record<string, Layout>;

export type Algorithm = keyof typeof known;

export interface Layout {
  readonly coordinator: 'etcd' | 'zookeeper' | null;
  /**
   * How nodes reach each other. A link through a proxy can be cut and stalled. Only a direct one has death certificates:
   * whoever answers behind a proxy does not listen at the address that was dialled.
   */
  readonly links: 'none' | 'through proxies' | 'direct';
  readonly hasHeirs: boolean;
}

export const layouts: Readonly<Record<Algorithm, Layout>> = known;

export const algorithms = Object.keys(known) as readonly Algorithm[];

/** Those that wait for a lease; the others are tried by name. */
export const usualAlgorithms: readonly Algorithm[] = ['raft', 'etcd', 'zookeeper'];

/** Whether there is a link that a proxy can cut. */
export const canBeCut = ({ coordinator, links }: Layout): boolean =>
  coordinator !== null || links === 'through proxies';
