/**
 * The end of a program that is a candidate in a process of its own, so that it can be stopped and killed: see
 * `spawnCandidate` of `describeCoordinator`.
 *
 * @packageDocumentation
 */

import type { Elector } from '@hustings/elector';

/**
 * Campaigns and prints `leads <token>`; then, every few milliseconds, `write <token>`, or `refused` once its Leadership
 * says no.
 */
export async function writeWhileLeading(elector: Elector): Promise<void> {
  await elector.start();
  const leadership = await elector.campaign();
  console.log(`leads ${leadership.token}`);
  const writing = setInterval(() => {
    try {
      leadership.assertValid();
      console.log(`write ${leadership.token}`);
    } catch {
      console.log('refused');
      clearInterval(writing);
    }
  }, 5);
}
