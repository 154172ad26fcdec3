/** What is said to an operator: what happened, and what to do about it. */

import type { StepDownReason } from '@hustings/elector';
import type { Diagnostic as RuntimeDiagnostic } from '@hustings/runtime';
import type { Report } from './diagnostics.js';
import type { Endurance } from './timings.js';

const round = (ms: number): number => Math.round(ms);

export function ended(reason: StepDownReason, { slackMs, advice }: Endurance): Report {
  if (reason === 'resigned' || reason === 'stopped') {
    return { type: 'lost-leadership', level: 'info', message: `leads no more (${reason}).`, reason };
  }
  const why: Record<typeof reason, string> = {
    deposed: 'another node was elected.',
    'lease-expired': `its lease was not renewed within the ${round(slackMs)} ms that these timings leave; if that happens again, ${advice}.`,
    'quorum-lost': 'a majority of the nodes did not answer in time.',
    'session-lost': 'the server has given up its session.',
    unhealthy: 'it was told that it is not healthy.',
    'storage-failed': 'it could not write what it must not forget.',
  };
  const message = `leads no more (${reason}): ${why[reason]}`;
  return { type: 'lost-leadership', level: 'warn', message, reason };
}

export function noLeader(forMs: number, advice: string): Report {
  const message = `stands, and has known of no leader for ${round(forMs)} ms: ${advice}.`;
  return { type: 'no-leader', level: 'warn', message };
}

export function tooSlow(renewalMs: number, { slackMs, advice }: Endurance): Report {
  const message = `a renewal takes ${round(renewalMs)} ms, and leadership is lost at ${round(slackMs)} ms: ${advice}.`;
  return { type: 'slow-round-trips', level: 'warn', message };
}

export function ofRuntime(diagnostic: RuntimeDiagnostic, endurance: Endurance): Report {
  const { type } = diagnostic;
  switch (type) {
    case 'stalled':
      return { type, level: 'warn', message: stalled(diagnostic.forMs, endurance) };
    case 'lease-lapsed':
      return {
        type,
        level: 'warn',
        message: `the lease of token ${diagnostic.token} ended ${round(diagnostic.lateMs)} ms ago, and was not renewed.`,
      };
    case 'stop-timed-out':
      return {
        type,
        level: 'warn',
        message: `stopped after ${diagnostic.afterMs} ms without an acknowledgement; if this node led, the others wait until its lease ends.`,
      };
    default: {
      const { error } = diagnostic;
      return { type, level: 'error', message: `has left the election (${type}): ${error.message}`, error };
    }
  }
}

function stalled(forMs: number, { slackMs, advice }: Endurance): string {
  const happened = `the event loop stood still for ${round(forMs)} ms`;
  return forMs > slackMs
    ? `${happened}, and these timings bear ${round(slackMs)} ms: find what blocks it, or ${advice}.`
    : `${happened}; leadership is lost at ${round(slackMs)} ms.`;
}
