// The properties of the paper's Figure 3, and what a crash may not undo.
import type { Run, Step } from '../../exercises/08-kill-the-mutants/types.js';

export function check({ steps }: Run): string | null {
  const before = new Map<string, Step>();
  const leaders = new Map<number, string>();
  const votes = new Map<string, string>();
  const committed: { term: number; inTerm: number }[] = [];
  for (const step of steps) {
    const last = before.get(step.node);
    before.set(step.node, step);
    const { node, currentTerm, role, heard } = step;
    if (last !== undefined && currentTerm < last.currentTerm && !step.isRestart)
      return `${node} went back a term`;
    if (heard !== null && heard.message.term > currentTerm)
      return `${node} is in an earlier term than what it heard`;
    const isOld = heard?.message.type === 'append' && heard.message.term < currentTerm;
    for (const { to, message } of step.sent) {
      if (isOld && message.type === 'append-reply' && message.stored > 0)
        return `${node} follows an old leader`;
      if (message.type !== 'vote-reply' || !message.granted) continue;
      const voted = votes.get(`${node} ${message.term}`) ?? to;
      if (voted !== to) return `${node} voted twice in term ${message.term}`;
      votes.set(`${node} ${message.term}`, to);
    }
    if (role === 'candidate') {
      const voted = votes.get(`${node} ${currentTerm}`) ?? node;
      if (voted !== node) return `${node} voted for itself, too, in term ${currentTerm}`;
      votes.set(`${node} ${currentTerm}`, node);
    }
    if (role !== 'leader') continue;
    const leader = leaders.get(currentTerm) ?? node;
    if (leader !== node) return `${leader} and ${node} led in term ${currentTerm}`;
    leaders.set(currentTerm, leader);
    for (const [index, entry] of committed.entries()) {
      if (entry.inTerm < currentTerm && step.log[index] !== entry.term)
        return `${node} lacks entry ${index + 1}`;
    }
    for (let index = committed.length; index < step.commitIndex; index += 1) {
      committed.push({ term: step.log[index]!, inTerm: currentTerm });
    }
  }
  return null;
}
