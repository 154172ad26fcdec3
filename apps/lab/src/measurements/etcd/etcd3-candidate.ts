/**
 * The `etcd3` package's own election, in the manner of its documentation: work from `elected` until `error`, and then
 * stand again. Prints `leads`, `lost` and `resigns` with the time. Parameters as for the other.
 */

import { type Campaign, Etcd3 } from 'etcd3';

const againAfterMs = 100;
const [name = '', ttlSeconds = '', ...hosts] = process.argv.slice(2);
const election = new Etcd3({ hosts }).election(name, Number(ttlSeconds));
// Linux has one monotonic clock for all processes.
const say = (word: string, at = process.hrtime.bigint()): boolean => process.stdout.write(`${word} ${at}\n`);
// It leaves promises unattended that reject when its server is out of reach.
process.on('unhandledRejection', () => {});

let campaign = stand();
process.on('SIGINT', () => {
  const resignedAt = process.hrtime.bigint();
  void campaign.resign().then(() => say('resigns', resignedAt));
});

function stand(): Campaign {
  const mine = election.campaign(`node-${process.pid}`);
  mine.on('elected', () => say('leads'));
  mine.on('error', () => {
    say('lost');
    setTimeout(() => {
      campaign = stand();
    }, againAfterMs);
  });
  return mine;
}
