import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import type { ItemResult } from '@hes/contract/orders/results.ts';
import { expect, test } from 'vitest';
import type { EndedTrace } from '#storage/trace-writer.ts';
import type { WorkItem } from '#tasks/operation.ts';
import type { MeterDevice } from '../devices.ts';
import type { LinkUse } from '../link.ts';
import type { OperationTools } from './operation-tools.ts';
import { withMeter, type MeterWork } from './with-meter.ts';

const NOW = Date.UTC(2026, 0, 1);
const UNTIL = NOW + 60_000;
const [OPERATOR, COLLECTION] = [3, 5];
const ITEM = { id: '1', taskId: '9', kind: 'collect', source: 'plan', dcuId: '5', meterId: '7', priority: COLLECTION } as WorkItem; // as: nothing else is read

interface Bench {
  item?: Partial<WorkItem>;
  /** Undefined: deleted. */
  device?: Partial<MeterDevice> | undefined;
  hasSession?: boolean;
  isPaused?: boolean;
  hasFrames?: boolean;
}
/** Runs an operation with this outcome. Returns its report, and what was done besides. */
async function run(
  outcome: Outcome<ItemResult>,
  { item = {}, hasSession = true, isPaused = false, hasFrames = true, ...bench }: Bench = {},
) {
  const device = 'device' in bench && bench.device === undefined ? undefined : deviceWith(bench.device);
  const calls: unknown[] = [];
  const traces: EndedTrace[] = [];
  let use: LinkUse | undefined;
  let reached: MeterWork | undefined;
  const links = {
    withLink: (_: MeterDevice, used: LinkUse, work: (link: unknown) => Promise<Outcome<ItemResult>>) => {
      use = used;
      if (hasFrames) used.trace.add('down', Uint8Array.of(1), undefined);
      return work('link');
    },
  };
  const tools = {
    ctx: { clock: { now: () => NOW } },
    devices: { loadMeter: () => Promise.resolve(device) },
    sessions: { get: (id: string) => (hasSession && id === ITEM.dcuId ? { rowId: '11', links } : undefined) },
    deviceState: { recordMeterRead: (id: string, at: number) => calls.push(['read', id, at]) },
    traces: { storeTrace: (trace: EndedTrace) => traces.push(trace) },
    setAside: {
      isPaused: () => isPaused,
      startPause: (_: unknown, why: string, origin: object) => Promise.resolve(calls.push(['pause', why, origin])),
      endPause: (_: unknown, origin: object) => Promise.resolve(calls.push(['end', origin])),
    },
  } as unknown as OperationTools; // as: nothing else is called
  const report = await withMeter(tools, { ...ITEM, ...item } as WorkItem, (meter) => {
    // as: a spread loses the kind
    reached = meter;
    return Promise.resolve(outcome);
  });
  await report.stored;
  return { report, calls, traces, use, reached };
}
const deviceWith = (device: Partial<MeterDevice> = {}) =>
  ({ kind: 'meter', id: '7', address: Uint8Array.of(1), setAside: { until: 0, times: 0 }, ...device }) as MeterDevice; // as: nothing else is read

test('an item runs over the link of its DCU, and a success is recorded as a read at the time it began', async () => {
  const { report, calls, traces, reached } = await run(ok({}));
  expect(report).toMatchObject({ outcome: { ok: true }, traceId: traces[0]?.id });
  expect(reached).toMatchObject({ link: 'link', device: { id: '7' }, dcuId: '5', epoch: '11', taskId: '9', now: NOW, urgent: false });
  expect(traces).toMatchObject([{ dcuId: '5', meterId: '7', sessionId: '11', taskId: '9', begunAt: NOW }]);
  expect(calls).toEqual([['read', '7', NOW]]);
  expect((await run(failed('METER_TIMEOUT'))).calls).toEqual([]);
});

test('an item of a meter without connection fails as that of its DCU, or of the direct meter', async () => {
  expect((await run(ok({}), { hasSession: false })).report).toEqual({ outcome: failed('DCU_OFFLINE'), traceId: undefined });
  const direct = await run(ok({}), { hasSession: false, device: { address: undefined } });
  expect(direct.report).toEqual({ outcome: failed('METER_OFFLINE'), traceId: undefined });
});

test('an item without meter fails', async () => {
  for (const bench of [{ device: undefined }, { item: { meterId: null } }])
    expect((await run(ok({}), bench)).report.outcome).toMatchObject({ ok: false, reason: 'INTERNAL' });
});

test('a pause stops collection and no order of an operator, which does not end it', async () => {
  const paused = { isPaused: true, device: { setAside: { until: UNTIL, times: 1 } } };
  const collection = await run(ok({}), paused);
  expect(collection.report).toEqual({ outcome: failed('SET_ASIDE', `Until ${new Date(UNTIL).toISOString()}`), traceId: undefined });
  expect(collection.reached).toBeUndefined();
  const order = await run(ok({}), { ...paused, item: { priority: OPERATOR } });
  expect([order.report.outcome.ok, order.calls]).toEqual([true, [['read', '7', NOW]]]);
});

test('a response without end starts a pause, and the first success after a pause ends it', async () => {
  const endless = await run(failed('ANSWER_TOO_LONG', '5 MiB'));
  expect(endless.calls).toEqual([['pause', '5 MiB', { dcuId: '5', traceId: endless.report.traceId }]]);
  const after = { device: { setAside: { until: NOW - 1, times: 2 } } };
  const success = await run(ok({}), after);
  expect(success.calls).toEqual([
    ['read', '7', NOW],
    ['end', { dcuId: '5', traceId: success.report.traceId }],
  ]);
  expect((await run(failed('METER_TIMEOUT'), after)).calls).toEqual([]);
});

test('operators are served first, and their results are urgent', async () => {
  const order = await run(ok({}), { item: { priority: OPERATOR, source: 'user' } });
  expect([order.use?.priority, order.reached?.urgent]).toEqual(['operator', true]);
  expect((await run(ok({}))).use?.priority).toBe('bulk');
});

test.each<[string, boolean, Outcome<ItemResult>, Partial<WorkItem>]>([
  ['collection by a plan', true, ok({}), {}],
  ['collection by the head-end itself', true, ok({}), { source: 'system' }],
  ['failed collection', false, failed('METER_TIMEOUT'), {}],
  ['collection that a user ordered', false, ok({}), { source: 'user' }],
  ['a refill, which may end a gap for good', false, ok({}), { kind: 'refill' }],
  ['an order that changes the meter', false, ok({}), { kind: 'relay_connect' }],
])('the trace of %s is routine: %s', async (_, isRoutine, outcome, item) => {
  expect((await run(outcome, { item })).traces).toMatchObject([{ isRoutine }]);
});

test('an item that sent nothing has no trace', async () => {
  const { report, traces } = await run(ok({}), { hasFrames: false });
  expect([report.traceId, traces]).toEqual([undefined, []]);
});
