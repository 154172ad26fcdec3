import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFile } from 'node:fs/promises';
import { metrics, trace } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import type { Diagnostic, LeadershipEvent, MessageEvent } from 'hustings';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Cluster } from './cluster.js';

const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
const provider = new MeterProvider({ readers: [reader] });
const spans = new InMemorySpanExporter();

beforeAll(() => {
  metrics.setGlobalMeterProvider(provider);
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }),
  );
});
afterAll(() => provider.shutdown());

let cluster: Cluster | undefined;
afterEach(async () => {
  await cluster?.close();
  cluster = undefined;
});

/** The latest points of a metric of node-1, by their attributes. */
async function pointsOf(name: string) {
  await reader.forceFlush();
  const found = exporter
    .getMetrics()
    .at(-1)
    ?.scopeMetrics.flatMap((scope) => scope.metrics)
    .find(({ descriptor }) => descriptor.name === name);
  const points = found?.dataPoints.filter(({ attributes }) => attributes['hustings.node'] === 'node-1') ?? [];
  return { unit: found?.descriptor.unit, points: points as { attributes: object; value: unknown }[] };
}

const measured = async (name: string, attributes: object = {}): Promise<unknown> => {
  const { points } = await pointsOf(name);
  return points.find((point) => {
    const all = Object.entries(attributes);
    return all.every(([key, value]) => (point.attributes as Record<string, unknown>)[key] === value);
  })?.value;
};

describe('OpenTelemetry, where the application has it,', () => {
  it('counts elections, changes by reason and messages, and knows who leads', async () => {
    cluster = await Cluster.open('node-1', 'node-2', 'node-3');
    const nodes = cluster.nodes({ election: 'billing' });
    await Promise.all(nodes.map((node) => node.start()));
    expect(await measured('hustings.leader')).toBe(0);
    await nodes[0]!.campaign();
    expect(await measured('hustings.leader')).toBe(1);
    expect(await measured('hustings.lease.remaining')).toBeGreaterThan(0);
    await nodes[0]!.resign();
    expect(await measured('hustings.leader')).toBe(0);
    expect(await measured('hustings.elections')).toBe(1);
    expect(await measured('hustings.leadership.changes', { 'hustings.reason': 'elected' })).toBe(1);
    expect(await measured('hustings.leadership.changes', { 'hustings.reason': 'resigned' })).toBe(1);
    const sent = { 'hustings.message.direction': 'sent', 'hustings.message.type': 'vote-request' };
    expect(await measured('hustings.messages', sent)).toBeGreaterThan(0);
    const { points } = await pointsOf('hustings.elections');
    expect(points[0]!.attributes).toEqual({
      'hustings.node': 'node-1',
      'hustings.election': 'billing',
      'hustings.algorithm': 'raft',
    });
  });

  it('has the round trips of renewals in seconds', async () => {
    cluster = await Cluster.open('node-1', 'node-2', 'node-3');
    const nodes = cluster.nodes();
    await Promise.all(nodes.map((node) => node.start()));
    await nodes[0]!.campaign();
    await vi.waitFor(
      async () => {
        const { unit, points } = await pointsOf('hustings.renewal.duration');
        expect(unit).toBe('s');
        expect(points[0]?.value).toMatchObject({ min: expect.closeTo(0, 0) });
      },
      { timeout: 30_000 },
    );
  });

  it('has a span for a campaign, and for one that failed its reason', async () => {
    cluster = await Cluster.open('node-1');
    const node = cluster.node('node-1');
    await node.start();
    spans.reset();
    await node.campaign();
    await node.resign();
    await expect(node.campaign({ signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
    const seen = spans
      .getFinishedSpans()
      .map(({ name, status, events }) => [name, status.code, events.length]);
    expect(seen).toEqual([
      ['hustings.campaign', 0, 0],
      ['hustings.resign', 0, 0],
      ['hustings.campaign', 2, 1],
    ]);
  });

  it('knows that an elector leads no more which has stopped', async () => {
    cluster = await Cluster.open('node-1');
    const election = { 'hustings.election': 'alone' };
    const node = cluster.node('node-1', { election: 'alone' });
    await node.start();
    await node.campaign();
    expect(await measured('hustings.leader', election)).toBe(1);
    await node.stop();
    expect(await measured('hustings.leader', election)).toBe(0);
  });

  it('is asked to call back once, however many electors of one name follow each other', async () => {
    const register = vi.spyOn(provider.getMeter('hustings'), 'addBatchObservableCallback');
    onTestFinished(() => register.mockRestore());
    cluster = await Cluster.open('node-1');
    const election = { 'hustings.election': 'often' };
    for (let count = 0; count < 3; count += 1) {
      const node = cluster.node('node-1', { election: 'often' });
      await node.start();
      await node.campaign();
      expect(await measured('hustings.leader', election)).toBe(1);
      await node.stop();
      expect(await measured('hustings.leader', election)).toBe(0);
    }
    expect(register).toHaveBeenCalledTimes(1);
  });
});

describe('the channels of node:diagnostics_channel', () => {
  it('tell of leaderships, messages and diagnostics', async () => {
    const heard: string[] = [];
    const onLeadership = (event: unknown) => {
      const { id, type, leadership } = event as LeadershipEvent;
      heard.push(`${id} ${type} ${leadership.token}`);
    };
    const onDiagnostic = (event: unknown) => heard.push((event as Diagnostic).type);
    const types = new Set<string>();
    const onMessage = (event: unknown) => types.add((event as MessageEvent).type);
    subscribe('hustings:leadership', onLeadership);
    subscribe('hustings:diagnostic', onDiagnostic);
    subscribe('hustings:message', onMessage);
    try {
      cluster = await Cluster.open('node-1', 'node-2', 'node-3');
      const nodes = cluster.nodes();
      await Promise.all(nodes.map((node) => node.start()));
      heard.length = 0;
      const { token } = await nodes[0]!.campaign();
      await nodes[0]!.resign();
      // Links come and go, and a busy machine stalls: neither is what was asked for.
      const own = heard.filter((each) => !each.startsWith('peer-') && each !== 'stalled');
      expect(own).toEqual([`node-1 began ${token}`, 'leads', `node-1 ended ${token}`, 'lost-leadership']);
      expect(types).toContain('vote-request');
    } finally {
      unsubscribe('hustings:leadership', onLeadership);
      unsubscribe('hustings:diagnostic', onDiagnostic);
      unsubscribe('hustings:message', onMessage);
    }
  });
});

describe('the pages that the README leads to', () => {
  it('list every metric and channel, and every type of diagnostic', async () => {
    const read = (path: string) => readFile(new URL(path, import.meta.url), 'utf8');
    const readme = await read('../README.md');
    const [metrics, diagnostics] = await Promise.all(
      ['docs/operating/alerts.md', 'docs/errors/index.md'].map((page) => {
        expect(readme).toContain(`https://github.com/hustings/hustings/blob/main/${page}`);
        return read(`../../../${page}`);
      }),
    );
    const telemetry = await read('../src/telemetry.ts');
    const names = [...telemetry.matchAll(/'(hustings[.:][a-z.]+)'/g)].map((match) => match[1]!);
    expect(names.length).toBeGreaterThan(8);
    for (const name of names) expect(metrics).toContain(`\`${name}\``);
    const [, union = ''] =
      /type DiagnosticType =([\s\S]*?)\n\n/.exec(await read('../src/diagnostics.ts')) ?? [];
    const types = [...union.matchAll(/\| '([a-z-]+)'/g)].map((match) => match[1]!);
    expect(types.length).toBeGreaterThan(15);
    for (const type of types) expect(diagnostics).toContain(`[${type}](${type}.md)`);
  });
});
