import { InvalidOptionError, type NodeId } from '@hustings/elector';
import type { DelayRangeMs } from '@hustings/elector/protocol';

/** Which messages a rule is about. An end that is left out matches every node. */
export interface LinkPattern {
  readonly from?: NodeId;
  readonly to?: NodeId;
  /** The opposite direction too. */
  readonly both?: boolean;
}

export type FaultRule = LinkPattern & Fault;

type Fault =
  /** Loses every message. The link stays up, as when a cable is pulled and nobody has noticed. */
  | { readonly type: 'cut' }
  | { readonly type: 'loss'; readonly probability: number }
  | { readonly type: 'duplicate'; readonly probability: number }
  /** Holds each message for a time drawn from the range, and keeps their order. */
  | { readonly type: 'delay'; readonly delayMs: DelayRangeMs }
  /** Holds some messages back, so that later ones overtake them. */
  | { readonly type: 'reorder'; readonly probability: number; readonly delayMs: DelayRangeMs };

/** What becomes of one message: one entry for each copy that is delivered, none when it is lost. */
export type Fate = readonly { readonly delayMs: number; readonly overtakable: boolean }[];

export function decideFate(
  rules: readonly FaultRule[],
  from: NodeId,
  to: NodeId,
  random: () => number,
): Fate {
  let copies = 1;
  let delayMs = 0;
  let overtakable = false;
  for (const rule of rules) {
    if (!matches(rule, from, to)) continue;
    switch (rule.type) {
      case 'cut':
        return [];
      case 'loss':
        if (random() < rule.probability) return [];
        break;
      case 'duplicate':
        if (random() < rule.probability) copies += 1;
        break;
      case 'delay':
        delayMs += draw(rule.delayMs, random);
        break;
      case 'reorder':
        if (random() < rule.probability) {
          overtakable = true;
          delayMs += draw(rule.delayMs, random);
        }
        break;
    }
  }
  return Array.from({ length: copies }, () => ({ delayMs, overtakable }));
}

/** Throws `InvalidOptionError` when a rule cannot mean anything. */
export function checkRule(rule: FaultRule): void {
  if ('probability' in rule && !(rule.probability >= 0 && rule.probability <= 1)) {
    throw new InvalidOptionError(`The probability of a ${rule.type} rule must be from 0 to 1.`);
  }
  if ('delayMs' in rule) {
    const [minMs, maxMs] = rule.delayMs;
    if (!(minMs >= 0 && maxMs >= minMs && Number.isFinite(maxMs))) {
      throw new InvalidOptionError(
        `The delayMs of a ${rule.type} rule must be [minMs, maxMs] with 0 <= minMs <= maxMs.`,
      );
    }
  }
}

function matches(rule: LinkPattern, from: NodeId, to: NodeId): boolean {
  return isAbout(rule, from, to) || (rule.both === true && isAbout(rule, to, from));
}

function isAbout(rule: LinkPattern, from: NodeId, to: NodeId): boolean {
  return (rule.from === undefined || rule.from === from) && (rule.to === undefined || rule.to === to);
}

function draw([minMs, maxMs]: DelayRangeMs, random: () => number): number {
  return minMs + random() * (maxMs - minMs);
}
