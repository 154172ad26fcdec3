/** `hustings sidecar`: stands for election on behalf of a process beside it, which asks `/leader` whether to act. */

import { aborted } from '../aborted.js';
import type { Candidate } from './candidate.js';
import type { Endpoint } from './endpoint.js';

/** The exit code. */
export async function sidecar(candidate: Candidate, endpoint: Endpoint, stop: AbortSignal): Promise<number> {
  await candidate.lead(stop, async ({ signal }, leave) => {
    await aborted(AbortSignal.any([signal, leave]));
    // It was told for how long it leads: that much it is given.
    await endpoint.keepPromises();
  });
  return 0;
}
