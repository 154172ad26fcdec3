/**
 * Leader election by a Lease of Kubernetes, in which candidates of client-go may stand, too.
 *
 * ```ts
 * import { kubernetesElector, lead } from 'hustings/kubernetes';
 *
 * const elector = kubernetesElector({ id: hostname(), election: 'billing' });
 * await lead(elector, async ({ token, signal }) => serve({ token, signal }));
 * ```
 *
 * In a pod nothing else is needed but the right to use Leases; outside of a cluster the kubeconfig is used.
 *
 * @packageDocumentation
 */

import { group, must, required, text } from '@hustings/elector/options';
import { type ApiServer, kubernetesStore } from '@hustings/kubernetes';
import type { CommonOptions, HustingsElector } from './front.js';
import { type LeaseOptions, leaseRules } from './lease.js';
import { linkedLeaseElector, readLinkedOptions } from './linked-lease.js';
import type { LinkedOptions } from './shared-options.js';

export * from './index.js';

export interface KubernetesElectorOptions extends CommonOptions, LeaseOptions, LinkedOptions {
  /** Default: the pod's own; outside of a cluster, the context's, or `default`. */
  readonly namespace?: string | undefined;
  /** Default: of the pod's service account; outside of a cluster, of the kubeconfig. */
  readonly server?: ApiServer | undefined;
  /** How long others wait for a leader that is not heard of. Rounded up to seconds. Default 15,000, as in client-go. */
  readonly ttlMs?: number | undefined;
}

const defaultTtlMs = 15_000;

const rules = {
  ...leaseRules,
  namespace: text,
  server: group({
    url: required(text, "an address such as 'https://10.96.0.1:443'"),
    ...{ ca: text, cert: text, key: text, namespace: text },
    token: must('a function that returns the token', (value) => typeof value === 'function'),
  }),
};

/** Throws `InvalidOptionError`. Nothing happens before `start()`, or `lead()`. */
export function kubernetesElector(given: KubernetesElectorOptions): HustingsElector {
  const options = readLinkedOptions('kubernetesElector', given, rules);
  const { namespace, server, ttlMs = defaultTtlMs } = options;
  return linkedLeaseElector({ ...options, ttlMs }, kubernetesStore({ namespace, server }), 'Kubernetes');
}
