import { type ApiServer, kubernetesStore, readKubeconfig } from '@hustings/kubernetes';
import { type KubernetesServer, startKubernetes } from '@hustings/servers';
import { describeLeaseStore } from '@hustings/testkit';
import { afterAll, beforeAll } from 'vitest';
import { describeFacts } from '../facts.js';

/** The user's own, or null. */
const cluster = process.env['KUBECONFIG'] ? readKubeconfig() : null;
let own: KubernetesServer;

beforeAll(async () => {
  if (cluster === null) own = await startKubernetes();
});
afterAll(() => own?.stop());

const server = (): ApiServer => cluster ?? { url: own.url, ca: own.ca, token: () => own.token };

describeFacts('(real)', server);

describeLeaseStore({
  name: 'kubernetes, on a real API server',
  connect: () => kubernetesStore({ server: server() }),
  patienceMs: 60_000,
  ...(cluster === null
    ? {
        server: {
          restart: () => own.restart(),
          pause: async () => {
            own.pause();
            return async () => own.resume();
          },
        },
      }
    : {}),
});
