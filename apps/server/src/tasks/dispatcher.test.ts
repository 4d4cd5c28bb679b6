import { failed } from '@hes/contract/core/outcome.ts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { claimedItem, dispatcherBench } from '../../test/dispatcher-bench.ts';
import { errorIn } from '../../test/recorded-log.ts';

let bench: ReturnType<typeof dispatcherBench>;
beforeEach(() => {
  vi.useFakeTimers();
  bench = dispatcherBench();
});
afterEach(async () => {
  await bench.stop();
  vi.useRealTimers();
});

const wake = async () => {
  bench.dispatcher.wake();
  await bench.settle();
};
const priorities = () => bench.queue.valuesOf('claim').map(([dcuId, from, to]) => [dcuId, from, to]);

test.each([
  [1, 1, [['5', 1, 4]]],
  [5, 9, [['5', 5, 9]]],
  [4, 5, [['5', 1, 4], ['5', 5, 9]]], // prettier-ignore
])('items with priorities from %i to %i are claimed by the lanes of these', async (first, last, expected) => {
  bench.setBusy(first, last);
  await bench.start();
  expect(priorities()).toEqual(expected);
});

test('work of devices that other nodes serve is left to them', async () => {
  bench.setBusy(3, 3, '8');
  bench.state.mayServe = false;
  await bench.start();
  expect(bench.queue.valuesOf('busy')[0]).toEqual([['8', '9']]);
  expect(bench.node.mayServe).toHaveBeenCalledWith('5', '8');
  expect(priorities()).toEqual([]);
});

test('a DCU that cannot be reached is tried again after a while, after new work, and after it connects', async () => {
  Object.assign(bench.state, { isOnline: false, isReachable: false });
  bench.queue.answers.failOffline = () => ({ rows: [{ id: '7', taskId: '1' }] });
  bench.setBusy();
  await bench.start();
  const { connect } = bench.reach;
  expect([connect.mock.calls, bench.queue.valuesOf('failOffline')]).toEqual([[['5']], [['5', 5]]]);
  expect(bench.queue.valuesOf('noteTries')).toContainEqual([['7']]);
  await vi.advanceTimersByTimeAsync(4_900);
  expect(connect).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1_100);
  expect(connect).toHaveBeenCalledTimes(2);
  bench.queue.clients[0]?.emit('notification');
  await bench.settle();
  expect(connect).toHaveBeenCalledTimes(3);
  for (const listener of bench.listeners.reachable) listener('other');
  await bench.settle();
  expect(connect).toHaveBeenCalledTimes(3);
  for (const listener of bench.listeners.reachable) listener('5');
  await bench.settle();
  expect(connect).toHaveBeenCalledTimes(4);
});

test('a DCU that is reachable is tried at every scan, also after it was not', async () => {
  bench.setBusy();
  await bench.start();
  const { connect } = bench.reach;
  expect(connect).toHaveBeenCalledTimes(1);
  await bench.awaitScan();
  expect(connect).toHaveBeenCalledTimes(2);
});

test('calls during a scan cause one more scan after it', async () => {
  await bench.start();
  await bench.awaitScan();
  const before = bench.queue.countOf('busy');
  const { promise, resolve } = Promise.withResolvers<object>();
  bench.queue.answers.suspended = () => promise;
  for (let times = 0; times < 3; times++) await wake();
  expect(bench.queue.countOf('busy')).toBe(before);
  resolve({});
  delete bench.queue.answers.suspended;
  await bench.settle();
  expect(bench.queue.countOf('busy')).toBe(before + 2);
  await wake();
  expect(bench.queue.countOf('busy')).toBe(before + 3);
});

test('new work is claimed by a lane that runs, and the queue is scanned again after the lane', async () => {
  bench.state.slots = 2;
  bench.setBusy();
  bench.queueBatches([claimedItem('1')], [], [claimedItem('2')]);
  await bench.start();
  expect([bench.started, bench.dispatcher.isBusy('5'), bench.dispatcher.isBusy('6')]).toEqual([['1'], true, false]);
  await bench.awaitScan();
  await bench.awaitScan();
  expect([bench.started, bench.dispatcher.inFlight, bench.reach.connect.mock.calls.length]).toEqual([['1', '2'], 2, 1]);
  await bench.end('1');
  expect(bench.reach.connect).toHaveBeenCalledTimes(1);
  await bench.end('2');
  expect(bench.reach.connect).toHaveBeenCalledTimes(2);
  // That lane found nothing, and no scan fell into it.
  expect([bench.dispatcher.isBusy('5'), bench.dispatcher.inFlight]).toEqual([false, 0]);
});

test('a result is written for its owner, published, and noted as the reason of gaps if the item failed', async () => {
  bench.bus.follow('task:1');
  bench.setBusy();
  bench.queueBatches([claimedItem('1'), claimedItem('2')]);
  bench.queue.answers.finish = ([, ids]) => ({
    rows:
      String(ids)
        .match(/\d+/g)
        ?.map((id) => ({ id, taskId: '1' })) ?? [],
  });
  await bench.start();
  await bench.end('1');
  await bench.end('2', failed('KEYS_MISSING'));
  expect(bench.queue.valuesOf('finish').map(([owner, ids, states]) => [owner, ids, states])).toEqual([
    ['me', '{1}', '{read_success}'],
    ['me', '{2}', '{read_fail}'],
  ]);
  expect(bench.queue.valuesOf('noteTries')).toContainEqual([['2']]);
  await vi.advanceTimersByTimeAsync(250);
  expect(bench.queue.valuesOf('itemRows')).toEqual([[['1', '2']]]);
});

const PAUSED = { id: '1', isStopped: false };
const STOPPED = { id: '1', isStopped: true };
const RELAY = { kind: 'relay_disconnect', params: {} };
test.each([
  ['a paused task is released', PAUSED, { attempts: 2 }, false],
  ['a stopped task is released', STOPPED, { attempts: 2 }, false],
  ['a paused task is released although it may have been executed', PAUSED, { ...RELAY, attempts: 2 }, false],
  ['a stopped task is released when it was never executed', STOPPED, { ...RELAY, attempts: 1 }, false],
  ['a stopped task is read back when it may have been executed', STOPPED, { ...RELAY, attempts: 2 }, true],
  ['another task is executed', { id: '2', isStopped: false }, {}, true],
])('a claimed item of %s', async (_what, suspended, values, isExecuted) => {
  bench.setBusy();
  bench.queueBatches([claimedItem('1', { taskId: '3' }), claimedItem('2', values)]);
  await bench.start();
  expect(bench.started).toEqual(['1']);
  bench.queue.answers.suspended = () => ({ rows: [suspended] });
  await wake();
  await bench.end('1');
  expect(bench.started).toEqual(isExecuted ? ['1', '2'] : ['1']);
  expect(bench.queue.valuesOf('releaseStopped')).toEqual(isExecuted ? [] : [['me', ['2']]]);
  expect(bench.queue.countOf('endStopped')).toBe(suspended.isStopped ? bench.queue.countOf('busy') - 1 : 0);
  bench.queueBatches();
  await bench.end('2');
});

test('items of stopped tasks that are cancelled are published', async () => {
  bench.bus.follow('task:1');
  bench.queue.answers.suspended = () => ({ rows: [{ id: '9', isStopped: false }, STOPPED] });
  bench.queue.answers.endStopped = () => ({ rows: [{ id: '4', taskId: '1' }] });
  await bench.start();
  await vi.advanceTimersByTimeAsync(250);
  expect(bench.queue.valuesOf('itemRows')).toEqual([[['4']]]);
});

test('a node that drains claims nothing until it resumes, and its items continue', async () => {
  bench.setBusy();
  bench.queueBatches([claimedItem('1'), claimedItem('2')], [claimedItem('3')]);
  await bench.start();
  bench.dispatcher.drain();
  await wake();
  await bench.end('1');
  // The claimed item that was not started is released.
  expect([bench.started, bench.queue.valuesOf('releaseStopped')]).toEqual([['1'], [['me', ['2']]]]);
  await bench.awaitScan();
  expect(bench.reach.connect).toHaveBeenCalledTimes(1);
  bench.dispatcher.resume();
  await bench.settle();
  expect(bench.started).toEqual(['1', '3']);
  await bench.end('3');
});

test('a scan that fails is in the log, and the next one follows', async () => {
  await bench.start();
  bench.queue.answers.busy = () => Promise.reject(new Error('gone'));
  await bench.awaitScan();
  expect(bench.lines).toEqual([{ level: 'warn', message: 'The queue could not be read', part: 'dispatcher', error: errorIn('gone') }]);
  bench.setBusy();
  await bench.awaitScan();
  expect(priorities()).toHaveLength(1);
});
