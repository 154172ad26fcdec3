/** The `etcd3` package's own election, in the manner of its documentation. Parameters as for the other. */

import { Etcd3 } from 'etcd3';

const [name = '', ttlSeconds = '', ...hosts] = process.argv.slice(2);
const client = new Etcd3({ hosts });
const campaign = client.election(name, Number(ttlSeconds)).campaign(`node-${process.pid}`);
process.on('SIGINT', () => void campaign.resign());
campaign.on('elected', () => process.stdout.write('leads\n'));
campaign.on('error', () => {});
