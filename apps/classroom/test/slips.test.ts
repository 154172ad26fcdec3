/** The slips that everybody makes once: what a student reads, word for word. */

import { describe, expect, it } from 'vitest';
import { findExercise } from '../src/course.js';
import { defaultLimits, gradeFile } from '../src/runner/run.js';

const bully = findExercise('05');
const vote = findExercise('09');

/** A sketch whose node does this when its timer fires. */
const sketched = (body: string, head = ''): string => `import { sketch } from '@hustings/classroom';
${head}
export default sketch({
  state: { leader: null, list: [] },
  start(me) { me.wait('leader', [200, 300]); },
  message(me, from, message) {},
  timer(me, timer) {
    ${body}
  },
});
`;

/** A rule of Raft that does this when it is asked for a vote. */
const ruled = (body: string): string => `export function onVoteRequest(state, from, request) {
  ${body}
}
`;

async function firstSlip(facts: typeof bully, text: string, checkMs = defaultLimits.checkMs) {
  const limits = { memoryMb: 64, checkMs };
  const { outcomes, earned } = await gradeFile(facts, text, { student: 'x', tells: true, limits });
  expect(earned).toBe(0);
  const { slip, detail, line } = outcomes[0]!;
  return { slip, detail, line };
}

const bodyLine = 8;

describe('a slip is told in a sentence of its own', () => {
  it('changed in place', async () => {
    expect(await firstSlip(vote, ruled('state.votedFor = from; return [state, []];'))).toEqual({
      slip: 'mutated-state',
      detail:
        "When n1 heard VOTE-REQUEST(term 4) from n2: 'votedFor' was changed in place. What your function is given may not change: return a copy, such as { ...state, votedFor: … }.",
      line: 2,
    });
  });

  it('a list changed in place', async () => {
    const { slip, detail } = await firstSlip(vote, ruled('state.log.push(1); return [state, []];'));
    expect(slip).toBe('mutated-state');
    expect(detail).toContain('A list was changed in place.');
  });

  it('a misspelt effect', async () => {
    const text = ruled("return [state, [{ type: 'sned', to: from, message: { type: 'vote-reply' } }]];");
    expect(await firstSlip(vote, text)).toEqual({
      slip: 'misspelt-effect',
      detail: "When n1 heard VOTE-REQUEST(term 4) from n2: There is no effect 'sned'; did you mean 'send'?",
      line: 2,
    });
  });

  it('a misspelt word of a sketch', async () => {
    expect(await firstSlip(bully, sketched("me.sned(me.peers, { type: 'election' });"))).toEqual({
      slip: 'misspelt-effect',
      detail: `When n1's timer 'leader' fired: me.sned does not exist; did you mean me.send?`,
      line: bodyLine,
    });
  });

  it('a delay that is no number', async () => {
    expect(await firstSlip(bully, sketched("me.wait('answer', 2 * undefined);"))).toEqual({
      slip: 'nan-delay',
      detail:
        "When n1's timer 'leader' fired: The timer 'answer' was set to NaN ms. A delay is a number above 0, or two of them, [least, most]; NaN often comes from a setting that is undefined.",
      line: bodyLine,
    });
  });

  it('a forgotten delay', async () => {
    const { slip, detail } = await firstSlip(bully, sketched("me.wait('answer');"));
    expect(slip).toBe('nan-delay');
    expect(detail).toContain("The timer 'answer' was set to undefined ms.");
  });

  it('a misspelt timer', async () => {
    expect(await firstSlip(bully, sketched("me.wait('anser', 100);"))).toEqual({
      slip: 'misspelt-effect',
      detail:
        "When n1's timer 'leader' fired: There is no timer 'anser'. There are leader, answer, coordinator, heartbeat.",
      line: bodyLine,
    });
  });

  it('a misspelt message', async () => {
    expect(await firstSlip(bully, sketched("me.send(me.peers, { type: 'elektion' });"))).toEqual({
      slip: 'misspelt-effect',
      detail:
        "When n1's timer 'leader' fired: There is no message 'elektion'. There are election, answer, coordinator, heartbeat.",
      line: bodyLine,
    });
  });

  it.each([
    [
      '07',
      "import { sketch } from '@hustings/classroom';\nexport default sketch({ services: ['store'], state: {}, start(me) { me.send('store', { type: 'aquire' }); }, message() {}, timer() {} });",
      'acquire',
    ],
    [
      '09',
      ruled("return [state, [{ type: 'send', to: from, message: { type: 'vote-replay' } }]];"),
      'vote-reply',
    ],
    [
      '11',
      "export const step = (state) => [state, [{ type: 'send', to: state.next, message: { type: 'elect' } }]];\nexport const fewestMessages = () => 0, mostMessages = () => 0;",
      'election',
    ],
    [
      '12',
      "export const step = (state) => [state, [{ type: 'send', to: 'queue', message: { type: 'joining' } }]];",
      'join',
    ],
  ])('a misspelt message in exercise %s', async (number, text, meant) => {
    const { slip, detail } = await firstSlip(findExercise(number), text);
    expect(slip).toBe('misspelt-effect');
    expect(detail).toMatch(new RegExp(`There is no message '.*'\\. There are .*\\b${meant}\\b`));
  });

  it('a time to lead that is no number', async () => {
    const { slip, detail } = await firstSlip(bully, sketched('me.lead(1n, 2 * undefined);'));
    expect([slip, detail]).toEqual([
      'nan-delay',
      expect.stringContaining('me.lead was given NaN ms to lead.'),
    ]);
  });

  describe.each([
    ['06', 'begin()', 'export const begin = (BODY), payInterest = begin;'],
    ['08', 'check()', 'export const check = (BODY);'],
  ])('in exercise %s', (number, name, text) => {
    const slipOf = (body: string) => firstSlip(findExercise(number), text.replace('BODY', body));

    it('a missing return', async () => {
      const { slip, detail } = await slipOf('() => {}');
      expect([slip, detail]).toEqual([
        'missing-return',
        expect.stringContaining(`${name} returned undefined`),
      ]);
    });

    it('an async function', async () => {
      const { slip, detail } = await slipOf('async () => true');
      expect([slip, detail]).toEqual(['async-step', expect.stringContaining(`${name} returned a promise.`)]);
    });
  });

  it('a missing return in a rule whose callers are ours', async () => {
    const text =
      'export const onElectionTimeout = () => {}, onPreVoteRequest = () => {}, onPreVoteReply = () => {};';
    const { slip, detail } = await firstSlip(findExercise('10'), text);
    expect(slip).toBe('missing-return');
    expect(detail).toContain('Your function returned undefined: a return is missing.');
  });

  it('a store that is called without end', async () => {
    const text = 'export const begin = () => true, payInterest = (_, store) => { for (;;) store.read(); };';
    const { slip, detail } = await firstSlip(findExercise('06'), text);
    expect(slip).toBe('infinite-loop');
    expect(detail).toContain('calls the store without end');
  });

  it('a number for a token', async () => {
    expect(await firstSlip(bully, sketched('me.lead(1);'))).toEqual({
      slip: 'number-token',
      detail: `When n1's timer 'leader' fired: A token is a bigint, and 1 is a number: write BigInt(…), or 1n.`,
      line: bodyLine,
    });
  });

  it('an unknown peer', async () => {
    expect(await firstSlip(bully, sketched("me.send('n9', { type: 'election' });"))).toEqual({
      slip: 'unknown-peer',
      detail: `When n1's timer 'leader' fired: There is no node 'n9'. The peers of n1 are n2.`,
      line: bodyLine,
    });
  });

  it('a node that sends to itself', async () => {
    const { slip, detail } = await firstSlip(bully, sketched("me.send(me.id, { type: 'election' });"));
    expect(slip).toBe('unknown-peer');
    expect(detail).toContain('n1 addressed itself.');
  });

  it('a missing return', async () => {
    expect(await firstSlip(vote, ruled('if (request.term < 0) return [state, []];'))).toEqual({
      slip: 'missing-return',
      detail:
        'When n1 heard VOTE-REQUEST(term 4) from n2: Your function returned undefined: a return is missing. Every way through it ends with return [state, effects]; where nothing happens, return [state, []].',
      line: null,
    });
  });

  it('effects that are not in a list', async () => {
    const { slip, detail } = await firstSlip(vote, ruled("return [state, { type: 'send', to: from }];"));
    expect(slip).toBe('missing-return');
    expect(detail).toContain('then a list of effects, even of one, as in [state, [effect]].');
  });

  it('Math.random', async () => {
    expect(await firstSlip(bully, sketched("me.wait('answer', 100 * Math.random());"))).toEqual({
      slip: 'math-random',
      detail:
        "When n1's timer 'leader' fired: Math.random() would make every run another one. Give a timer a range, [least, most]: the simulator draws from it, and can draw the same again.",
      line: bodyLine,
    });
  });

  it('Date', async () => {
    expect(await firstSlip(bully, sketched('me.state.leader = Date.now();'))).toEqual({
      slip: 'date',
      detail:
        "When n1's timer 'leader' fired: Date reads the clock of your computer, but the nodes live in virtual time. Wait with a timer, or use the time that you are given.",
      line: bodyLine,
    });
  });

  it('setTimeout', async () => {
    expect(await firstSlip(bully, sketched('setTimeout(() => me.lead(1n), 100);'))).toEqual({
      slip: 'set-timeout',
      detail:
        "When n1's timer 'leader' fired: setTimeout() is not there: your code decides, the driver waits. Set a timer (me.wait, or the effect set-timer), and you are called when it fires.",
      line: bodyLine,
    });
  });

  it('an async handler', async () => {
    const text = sketched('').replace('timer(me, timer)', 'async timer(me, timer)');
    expect(await firstSlip(bully, text)).toEqual({
      slip: 'async-step',
      detail:
        "When n1's timer 'leader' fired: timer() returned a promise. It must not be async: it decides at once, and the driver does the waiting.",
      line: null,
    });
  });

  it('an async step', async () => {
    const { slip, detail } = await firstSlip(
      vote,
      ruled('return [state, []];').replace('function', 'async function'),
    );
    expect(slip).toBe('async-step');
    expect(detail).toContain('Your function returned a promise.');
  });

  it('a timer of 0 ms', async () => {
    expect(await firstSlip(bully, sketched("me.wait('leader', 0);"))).toEqual({
      slip: 'zero-timer',
      detail:
        "When n1's timer 'leader' fired: The timer 'leader' was set to 0 ms. It would fire at the same moment, and time would never pass: do it at once, or wait for at least 1 ms.",
      line: bodyLine,
    });
  });

  it('an infinite loop', async () => {
    expect(await firstSlip(bully, sketched('while (me.state.leader === null);'), 2500)).toEqual({
      slip: 'infinite-loop',
      detail:
        "Your code did not return when n1's timer 'leader' fired. Look for a loop whose condition never becomes false.",
      line: null,
    });
  });

  it('exhausted memory', async () => {
    const text = sketched("const all = []; for (;;) all.push('x'.repeat(99) + all.length);");
    expect(await firstSlip(bully, text)).toEqual({
      slip: 'out-of-memory',
      detail:
        "Your code used up its memory when n1's timer 'leader' fired. Look for a list that grows with every message or every loop.",
      line: null,
    });
  });

  it('an import that is not allowed', async () => {
    expect(
      await firstSlip(bully, sketched('', "import { readFileSync } from 'node:fs';\nvoid readFileSync;")),
    ).toEqual({
      slip: 'forbidden-import',
      detail:
        "'node:fs' cannot be imported here. You can import @hustings/classroom, and types from anywhere.",
      line: 2,
    });
  });

  it('what is not TypeScript', async () => {
    const { slip, detail } = await firstSlip(bully, 'export default sketch({\n  state: {,\n});\n');
    expect(slip).toBe('syntax');
    expect(detail).toMatch(/^Line 2: this is not TypeScript\. [\w `]+/);
  });

  it('a state that is not plain data', async () => {
    const { slip, detail, line } = await firstSlip(bully, sketched('me.state.list = new Map();'));
    expect(slip).toBe('not-plain-data');
    expect(detail).toContain('me.state.list is a Map.');
    expect(line).toBeNull();
  });

  it('endless recursion', async () => {
    const { slip, detail, line } = await firstSlip(bully, sketched('const f = () => f() + 1; f();'));
    expect(slip).toBe('infinite-loop');
    expect(detail).toContain('calls itself without end');
    expect(line).toBe(bodyLine);
  });

  it('anything else is told as it is, with its line', async () => {
    expect(await firstSlip(bully, sketched('me.state.nobody.leads = 1;'))).toEqual({
      slip: 'threw',
      detail:
        "When n1's timer 'leader' fired: Your code threw: Cannot set properties of undefined (setting 'leads')",
      line: bodyLine,
    });
  });
});

describe('a student cannot reach', () => {
  it.each(['process', 'require', 'fetch', 'globalThis.process'])('%s', async (name) => {
    const { slip } = await firstSlip(bully, sketched(`${name}.env.HOME;`));
    expect(slip).toBe('threw');
  });

  it('the constructor of functions', async () => {
    const { detail } = await firstSlip(bully, sketched("me.send.constructor('return process')();"));
    expect(detail).toContain('Code generation from strings disallowed');
  });

  it('more time than the grader gives', () => {
    expect(defaultLimits.checkMs).toBeLessThanOrEqual(10_000);
  });
});
