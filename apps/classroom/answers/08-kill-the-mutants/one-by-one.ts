// A rule for each way to be wrong, each of which goes through the run by itself.
import type { Run, Step } from '../../exercises/08-kill-the-mutants/types.js';

type Rule = (run: Run) => string | null;

const noSecondVote: Rule = ({ steps }) => {
  const votes = new Set<string>();
  const voters = new Map<string, string>();
  for (const { node, role, currentTerm, sent } of steps) {
    if (role === 'candidate') votes.add(`${node} in ${currentTerm} for ${node}`);
    for (const { to, message } of sent) {
      if (message.type === 'vote-reply' && message.granted) votes.add(`${node} in ${message.term} for ${to}`);
    }
  }
  for (const vote of votes) {
    const [voter = '', candidate = ''] = vote.split(' for ');
    if (voters.has(voter)) return `${voter}: votes for ${candidate} and ${voters.get(voter)}`;
    voters.set(voter, candidate);
  }
  return null;
};

const noSecondLeader: Rule = ({ steps }) => {
  const leaderOf: Record<number, string> = {};
  for (const { node, role, currentTerm } of steps) {
    if (role !== 'leader') continue;
    leaderOf[currentTerm] ??= node;
    if (leaderOf[currentTerm] !== node) return `two leaders in term ${currentTerm}`;
  }
  return null;
};

const termsGrow: Rule = ({ nodes, steps }) => {
  for (const node of nodes) {
    let term = 0;
    for (const step of steps.filter((candidate) => candidate.node === node)) {
      // What was heard in the last moment before a crash need not be on disk.
      const heard = step.heard?.message.term ?? 0;
      if (heard > step.currentTerm) return `${node} does not heed term ${heard}`;
      if (step.currentTerm < term && !step.isRestart) return `${node} goes back`;
      if (step.isRestart && step.currentTerm === 0 && step.log.length > 0)
        return `${node} has forgotten its term`;
      term = step.currentTerm;
    }
  }
  return null;
};

const logsStay: Rule = ({ steps }) => {
  const committed: Step[] = [];
  for (const step of steps) {
    if (step.role !== 'leader') continue;
    const lost = committed.find(
      (earlier) =>
        earlier.currentTerm < step.currentTerm &&
        String(earlier.log.slice(0, earlier.commitIndex)) !== String(step.log.slice(0, earlier.commitIndex)),
    );
    if (lost !== undefined) return `${step.node} lacks what ${lost.node} has committed`;
    if (step.commitIndex > (committed.at(-1)?.commitIndex ?? 0)) committed.push(step);
  }
  return null;
};

const oldLeadersAreRefused: Rule = ({ steps }) => {
  for (const { heard, node, currentTerm, log, role } of steps) {
    if (heard?.message.type !== 'append' || role === 'leader') continue;
    const { term, log: theirs } = heard.message;
    if (term < currentTerm && theirs.length > 0 && String(theirs) === String(log) && theirs.at(-1) === term) {
      const isNew = steps.every(
        (step) =>
          step.node !== node || String(step.log) !== String(log) || step.heard?.message === heard.message,
      );
      if (isNew) return `${node} took the log of an old leader`;
    }
  }
  return null;
};

export const check = (run: Run): string | null =>
  noSecondVote(run) ?? noSecondLeader(run) ?? termsGrow(run) ?? logsStay(run) ?? oldLeadersAreRefused(run);
