import { describe, expect, it } from 'vitest';
import {
  causalPast,
  drawDiagram,
  drawText,
  findWitnesses,
  formatShiviz,
  happenedBefore,
  judge,
  parseSchedule,
  playScenario,
  shivizParser,
  type TraceEvent,
  writeReport,
  writeScenario,
} from '../src/index.js';
import { hastySubject } from './hasty-protocol.js';

const subject = hastySubject();
const { protocol } = subject;
const { periodicMessages } = protocol;
const splitBrain = parseSchedule(
  'nodes n1 n2 n3\ndecisions 0\nlatency 1\nrun 100\nat 50 isolate n3 until 100',
);
const broken = judge(subject, splitBrain, { trace: true });
const witnesses = findWitnesses(broken.violation!, broken.trace);
const quiet = parseSchedule(
  'nodes n1 n2 n3\ndecisions 0\nlatency 1\nrun 300\nat 90 crash n3 until 95\nat 120 pause n1 until 130',
);

describe('the witnesses of a violation', () => {
  it('are, of two leaders, the steps with which they began to lead', () => {
    expect(witnesses).toHaveLength(2);
    for (const witness of witnesses) {
      expect(witness.type === 'step' && witness.effects.map(({ type }) => type)).toContain('lead');
    }
    expect(witnesses.map((event) => 'node' in event && event.node).sort()).toEqual(['n1', 'n3']);
  });

  it('are, of two that disagree, the steps by which they came to believe what they do', () => {
    const sulking = hastySubject({ sulking: true });
    const lost = parseSchedule('nodes n1 n2\ndecisions 0\nlatency 1\nrun 400\nat 60 restart n2');
    const { violation, trace } = judge(sulking, lost, { trace: true });
    expect(violation).toMatchObject({ node: null, detail: 'n1 leads, but n2 believes in nobody' });
    expect(findWitnesses(violation!, trace)).toMatchObject([
      { type: 'crashed', node: 'n2' },
      { type: 'step', node: 'n1', input: { type: 'timer-fired' } },
    ]);
  });

  it('are, of one node that broke a rule, its last two events', () => {
    const strict = { ...subject, invariants: { ofOneState: { 'nobody leads': leads } } };
    const { violation, trace } = judge(strict, quiet, { trace: true });
    const [before, breaking] = findWitnesses(violation!, trace);
    expect(breaking).toBe(trace.at(-1));
    expect(before!.sequence).toBeLessThan(breaking!.sequence);
    expect(before).toMatchObject({ node: violation!.node });
  });

  it('have a past of all that led to them, and of nothing else', () => {
    const past = causalPast(witnesses, broken.trace);
    for (const event of broken.trace) {
      const known = witnesses.some(
        (witness) => event === witness || (event.clock && happenedBefore(event.clock, witness.clock!)),
      );
      expect(past.has(event)).toBe(known === true);
    }
  });
});

function leads({ id, leaderId }: { readonly id: string; readonly leaderId: string | null }): string | null {
  return id === leaderId ? `${id} leads` : null;
}

describe('the report', () => {
  const report = writeReport(subject, splitBrain, { command: 'npm run replay -- TOKEN' });

  it('says what was violated, with both witnesses, the schedule and the command', () => {
    expect(report).toContain('VIOLATED by hasty (default): at most one leader at a time');
    expect(report).toMatch(/^ {2}1 {2}.*LEADS/m);
    expect(report).toMatch(/^ {2}2 {2}.*LEADS/m);
    expect(report).toContain('  at 50 isolate n3 until 100\n');
    expect(report).toContain('npm run replay -- TOKEN');
  });

  it('says of a run that broke nothing that it did not', () => {
    expect(writeReport(subject, quiet, { command: '' })).toContain('kept every promise');
  });
});

describe('the space-time trace for terminals', () => {
  const text = drawText(judge(subject, quiet, { trace: true }).trace, {
    nodes: quiet.nodes,
    periodicMessages,
  });

  it('has a column for each node', () => {
    expect(text.split('\n')[0]).toMatch(/^ +n1 +n2 +n3$/);
  });

  it('shows who leads, who is paused and who is gone', () => {
    expect(text).toContain('▲');
    expect(text).toContain('┃');
    expect(text).toContain('✗');
    expect(text).toContain('┊');
  });

  it('fits 100 columns with five nodes', () => {
    const five = parseSchedule(
      'nodes n1 n2 n3 n4 n5\nseed 3\nlatency 1 9\nrun 400\nat 100 crash leader until 150',
    );
    const { trace } = judge(subject, five, { trace: true });
    const lines = drawText(trace, { nodes: five.nodes, periodicMessages }).split('\n');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(100);
  });
});

describe('the diagram', () => {
  const svg = drawDiagram(broken.trace, {
    nodes: splitBrain.nodes,
    periodicMessages,
    witnesses,
    title: 'Two leaders <at once>',
    description: 'n3 & n2 both lead',
  });

  it('has its title and its description as text, with nothing that could break the file', () => {
    expect(svg).toContain('<title id="title">Two leaders &lt;at once&gt;</title>');
    expect(svg).toContain('<desc id="description">n3 &amp; n2 both lead</desc>');
  });

  it('closes every element that it opens', () => {
    const opened = svg.match(/<[a-z]+(?: [^>]*[^/])?>/g)!.length;
    expect(svg.match(/<\/[a-z]+>/g)).toHaveLength(opened);
  });

  it('marks both witnesses, and leadership as a thick line', () => {
    expect(svg.match(/class="witness"/g)).toHaveLength(2);
    expect(svg).toContain('<line class="leads"');
  });

  it('is pale where the witnesses could not know', () => {
    expect(svg).toContain('class="pale"');
  });
});

describe('the export for ShiViz', () => {
  const log = formatShiviz(broken.trace);
  const read = [...log.matchAll(new RegExp(shivizParser, 'g'))].map(([, , host, clock]) => ({
    host: host!,
    clock: JSON.parse(clock!) as Record<string, number>,
  }));

  it('can be read with the expression that comes with it', () => {
    const withClock = broken.trace.filter((event: TraceEvent) => event.clock !== undefined);
    expect(read).toHaveLength(withClock.length);
  });

  it("counts each host's own events from 1, as ShiViz demands", () => {
    const counts = new Map<string, number>();
    for (const { host, clock } of read) {
      counts.set(host, (counts.get(host) ?? 0) + 1);
      expect(clock[host]).toBe(counts.get(host));
    }
  });
});

describe('the scenario', () => {
  it('replays to itself, so that it can be committed as a test', () => {
    const scenario = writeScenario(subject, splitBrain, 'Two sides,\ntwo leaders.');
    expect(scenario).toMatch(/^# Two sides,\n# two leaders\.\nnodes n1 n2 n3\n/);
    expect(playScenario(protocol, scenario)).toBe(scenario);
  });
});
