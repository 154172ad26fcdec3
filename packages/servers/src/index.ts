/**
 * Real servers on the loopback interface, and a proxy to stand before them.
 *
 * @packageDocumentation
 */
export { type ConsulServer, findConsul, startConsul } from './consul.js';
export { type Command, compileCuratorCandidate } from './curator.js';
export { type DynamoEmulator, startDynamoEmulator } from './dynamo.js';
export { type EtcdCluster, type EtcdClusterOptions, type EtcdTls, startEtcdCluster } from './etcd-cluster.js';
export { type KubernetesServer, startKubernetes, type WallClock, wallClock } from './kubernetes.js';
export {
  type LoopbackProxy,
  type LoopbackProxyOptions,
  loopbackProxy,
  type WireCount,
  type WireCounts,
  type WireDirection,
} from './loopback-proxy.js';
export { freePorts } from './ports.js';
export { type PostgresOptions, type PostgresServer, startPostgres } from './postgres.js';
export { monotonicMs, type ProcessEvents, Processes, type StartedProcess } from './processes.js';
export { type RedisOptions, type RedisServers, startRedis } from './redis.js';
export { type SupervisedProcess, supervise } from './supervised.js';
export {
  startZooKeeperEnsemble,
  type ZooKeeperEnsemble,
  type ZooKeeperEnsembleOptions,
  type ZooKeeperTls,
} from './zookeeper-ensemble.js';
