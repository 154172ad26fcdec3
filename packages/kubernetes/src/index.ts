/**
 * A lease store that is a Lease of Kubernetes.
 *
 * @packageDocumentation
 */
export { type ApiServer, inCluster, readKubeconfig } from './api-server.js';
export { type KubernetesStoreOptions, kubernetesStore } from './store.js';
