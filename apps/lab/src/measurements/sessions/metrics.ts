/** What an etcd has counted itself, by its own `/metrics`. */

export interface EtcdMetrics {
  /** Each renewal is a stream of its own. */
  readonly renewals: number;
  readonly transactions: number;
  readonly watches: number;
  readonly watchStreams: number;
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
    watches: sum('etcd_debugging_mvcc_watcher_total'),
    watchStreams: sum('etcd_debugging_mvcc_watch_stream_total'),
    cpuSeconds: sum('process_cpu_seconds_total'),
  };
}
