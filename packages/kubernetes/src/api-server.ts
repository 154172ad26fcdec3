/** Where the API server is and how to prove who one is: from the pod's service account, or from a kubeconfig. */

import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { InvalidOptionError } from '@hustings/elector';
import { parse } from 'yaml';

export interface ApiServer {
  /** Such as `https://10.96.0.1:443`. */
  readonly url: string;
  /** In PEM: whom to trust. */
  readonly ca?: string | undefined;
  /** In PEM: a client certificate and its key. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** Asked for each request: the tokens of service accounts change. */
  readonly token?: (() => string) | undefined;
  /** Where Leases are if nothing else is said. */
  readonly namespace?: string | undefined;
}

const accountDirectory = '/var/run/secrets/kubernetes.io/serviceaccount';

/** As every pod has it. Null outside of a cluster. */
export function inCluster(directory = accountDirectory, env = process.env): ApiServer | null {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  const file = (name: string): string => readFileSync(join(directory, name), 'utf8').trim();
  if (!host || !port || !existsSync(join(directory, 'token'))) return null;
  return {
    url: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    ca: file('ca.crt'),
    token: () => file('token'),
    namespace: file('namespace'),
  };
}

/** The current context of a kubeconfig, or the one that is named. */
export function readKubeconfig(path: string = defaultKubeconfig(), contextName?: string): ApiServer {
  const config = parseConfig(path);
  const context = find(config.contexts, contextName ?? config['current-context'], 'contexts', path).context;
  const { cluster } = find(config.clusters, context.cluster, 'clusters', path);
  const { user } = find(config.users, context.user, 'users', path);
  if (user.exec !== undefined || user['auth-provider'] !== undefined) {
    throw new InvalidOptionError(
      `The user ${context.user} of ${path} logs in by another program, which is not supported. Use a token or a certificate, such as those of a service account.`,
    );
  }
  const folder = dirname(path);
  const read = (file: string): string => readFileSync(resolve(folder, file), 'utf8').trim();
  const { token, tokenFile } = user;
  return {
    url: cluster.server,
    ca: material(cluster['certificate-authority-data'], cluster['certificate-authority'], read),
    cert: material(user['client-certificate-data'], user['client-certificate'], read),
    key: material(user['client-key-data'], user['client-key'], read),
    ...(tokenFile === undefined ? {} : { token: () => read(tokenFile) }),
    ...(token === undefined ? {} : { token: () => token }),
    namespace: context.namespace,
  };
}

const defaultKubeconfig = (): string => process.env['KUBECONFIG'] || join(homedir(), '.kube', 'config');

/** What is used of a kubeconfig. */
interface Kubeconfig {
  readonly 'current-context'?: string;
  readonly contexts?: readonly (Named & { readonly context: Context })[];
  readonly clusters?: readonly (Named & { readonly cluster: Cluster })[];
  readonly users?: readonly (Named & { readonly user: User })[];
}

interface Named {
  readonly name: string;
}

interface Context {
  readonly cluster: string;
  readonly user: string;
  readonly namespace?: string;
}

interface Cluster {
  readonly server: string;
  readonly 'certificate-authority'?: string;
  readonly 'certificate-authority-data'?: string;
}

interface User {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
  readonly exec?: unknown;
  readonly 'auth-provider'?: unknown;
}

function parseConfig(path: string): Kubeconfig {
  try {
    return parse(readFileSync(path, 'utf8')) ?? {};
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : `${cause}`;
    throw new InvalidOptionError(
      `There is no service account of a pod, and no kubeconfig: ${reason}. Give 'server', or set KUBECONFIG.`,
      { cause },
    );
  }
}

function find<Entry extends Named>(
  entries: readonly Entry[] | undefined,
  name: string | undefined,
  list: string,
  path: string,
): Entry {
  const found = entries?.find((entry) => entry.name === name);
  if (found !== undefined) return found;
  throw new InvalidOptionError(`${path} has no entry '${name}' among its ${list}.`);
}

/** In the kubeconfig itself in base64, or in a file beside it. */
function material(
  data: string | undefined,
  file: string | undefined,
  read: (file: string) => string,
): string | undefined {
  if (data !== undefined) return Buffer.from(data, 'base64').toString('utf8');
  return file === undefined ? undefined : read(file);
}
