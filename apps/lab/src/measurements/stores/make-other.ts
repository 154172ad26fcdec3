/** Candidates on stores that need no client of anybody else. */

import { consulStore } from '@hustings/consul';
import { kubernetesStore, readKubeconfig } from '@hustings/kubernetes';
import { localStore } from '@hustings/local';
import { first, onStore, type Start } from './make.js';

export const kubernetes: Start = (settings) =>
  onStore(settings, kubernetesStore({ server: readKubeconfig(first(settings)) }));

export const consul: Start = (settings) =>
  onStore(settings, consulStore({ hosts: settings.store, minTtlMs: 100 }));

export const local: Start = (settings) => onStore(settings, localStore({ directory: first(settings) }));
