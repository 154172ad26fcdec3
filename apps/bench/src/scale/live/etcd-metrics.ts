/** What an etcd has counted itself, by its own `/metrics`. */

export interface EtcdMetrics {
  /** Each renewal is a stream of its own. */
  readonly renewals: number;
  /** What only reads is a transaction, too. */
  readonly transactions: number;
  readonly writes: number;
  readonly watches: number;
  readonly cpuSeconds: number;
}

export async function metricsOf(endpoint: string): Promise<EtcdMetrics> {
  const text = await (await fetch(new URL('/metrics', endpoint))).text();
  const sum = (name: string, label = ''): number =>
    text
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
      .filter((line) => line.includes(label))
      .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  return {
    renewals: sum('grpc_server_started_total', 'grpc_method="LeaseKeepAlive"'),
    transactions: sum('grpc_server_started_total', 'grpc_method="Txn"'),
    writes: sum('etcd_mvcc_put_total') + sum('etcd_mvcc_delete_total'),
    watches: sum('etcd_debugging_mvcc_watcher_total'),
    cpuSeconds: sum('process_cpu_seconds_total'),
  };
}
