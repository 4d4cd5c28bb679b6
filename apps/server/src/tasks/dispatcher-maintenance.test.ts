import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ADVISORY_LOCKS } from '#db/advisory-locks.ts';
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

const line = (message: string, fields: object = {}) => ({ level: 'warn', message, part: 'dispatcher', ...fields });
/** Number of scans that an action causes, between two periodic ones. */
async function scansBy(action: () => unknown): Promise<number> {
  await bench.awaitScan();
  const before = bench.queue.countOf('busy');
  await action();
  await bench.settle();
  return bench.queue.countOf('busy') - before;
}

test('at the start the owner shows that it lives, listens, and takes back what it does not execute', async () => {
  await bench.start();
  expect(bench.queue.asked.slice(0, 4).map(([kind]) => kind)).toEqual(['other', 'liveness', 'listen', 'releaseOrphans']);
  expect(bench.queue.valuesOf('liveness')).toEqual([[ADVISORY_LOCKS.owner.number, 'me']]);
  expect(bench.queue.valuesOf('releaseOrphans')).toEqual([['me', []]]);
  expect(bench.reach.onDatabaseBack).toHaveBeenCalledTimes(1);
  expect(bench.lines).toEqual([]);
});

test('a connection that ends is closed and replaced after two seconds, and what a crash has undone is executed again', async () => {
  bench.setBusy();
  bench.queueBatches([claimedItem('1')]);
  await bench.start();
  const [first] = bench.queue.clients;
  first?.emit('error', new Error('terminating connection'));
  expect(first?.closed).toEqual([true]);
  await vi.advanceTimersByTimeAsync(1_999);
  expect(bench.queue.clients).toHaveLength(1);
  bench.queue.answers.releaseOrphans = () => ({ rowCount: 1 });
  await vi.advanceTimersByTimeAsync(1);
  expect(bench.queue.clients).toHaveLength(2);
  expect(bench.queue.valuesOf('releaseOrphans').at(-1)).toEqual(['me', ['1']]);
  expect(bench.reach.onDatabaseBack).toHaveBeenCalledTimes(2);
  await bench.end('1');
});

test.each([
  [0, 0],
  [1, 1],
])('after %i undone results the queue is scanned %i times at once', async (rowCount, scans) => {
  await bench.start();
  bench.queue.answers.releaseOrphans = () => ({ rowCount });
  await bench.awaitScan();
  await vi.advanceTimersByTimeAsync(500);
  bench.queue.clients[0]?.emit('error', new Error('gone'));
  await vi.advanceTimersByTimeAsync(1_999);
  const before = bench.queue.countOf('busy');
  await vi.advanceTimersByTimeAsync(1);
  expect([bench.queue.clients.length, bench.queue.countOf('busy') - before]).toEqual([2, scans]);
});

test('listening that fails is in the log and repeated', async () => {
  bench.queue.answers.connect = () => Promise.reject(new Error('starting up'));
  await bench.start();
  const failure = line('Listening for new work failed: only the periodic scan finds it until the next attempt', {
    error: errorIn('starting up'),
  });
  expect(bench.lines).toEqual([failure]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(bench.lines).toEqual([failure, failure]);
  delete bench.queue.answers.connect;
  await vi.advanceTimersByTimeAsync(2_000);
  expect([bench.queue.countOf('listen'), bench.lines.length]).toEqual([1, 2]);
});

/** The clock of the database runs with the monotonic one until it is set back by `backMs`. */
const setClock = (backMs: number) =>
  void (bench.queue.answers.clock = () => ({ rows: [{ ms: String(1e12 + performance.now() - backMs) }] }));
const CORRECTED = 'The clock of the database was set back, and due times were corrected';

test('due times are corrected after the clock was set back, and the queue is scanned', async () => {
  setClock(0);
  await bench.start();
  await vi.advanceTimersByTimeAsync(15_000);
  expect([bench.lines, bench.queue.countOf('shift')]).toEqual([[], 0]);
  expect(bench.queue.countOf('clock')).toBe(3);
  setClock(3_600_400);
  bench.queue.answers.shift = () => ({ rowCount: 2 });
  bench.queue.answers.correctFuture = () => ({ rows: [{ items: 3 }] });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(bench.queue.valuesOf('shift')).toEqual([[3_600.4]]);
  expect(bench.lines).toEqual([line(CORRECTED, { seconds: 3_600, items: 5 })]);
});

test.each([
  ['a step without items that wait', 3_600_000, 0, [{ seconds: 3_600, items: 0 }], 0],
  ['items of the future without a step', 0, 1, [{ items: 1 }], 1],
  ['neither', 0, 0, [], 0],
])('%s', async (_what, backMs, items, logged, scans) => {
  setClock(0);
  await bench.start();
  await vi.advanceTimersByTimeAsync(5_000);
  setClock(backMs);
  bench.queue.answers.correctFuture = () => ({ rows: [{ items }] });
  const before = bench.queue.countOf('clock');
  let busy = 0;
  while (bench.queue.countOf('clock') === before) {
    busy = bench.queue.countOf('busy');
    await vi.advanceTimersByTimeAsync(1);
  }
  await bench.settle();
  expect(bench.lines).toEqual(logged.map((fields) => line(CORRECTED, fields)));
  expect(bench.queue.countOf('busy') - busy).toBe(scans);
});

test('a retry that is overdue by the monotonic clock is brought forward', async () => {
  setClock(0);
  bench.setBusy();
  bench.queueBatches([claimedItem('1')]);
  await bench.start();
  bench.fail('1');
  await vi.advanceTimersByTimeAsync(11_000);
  expect(bench.queue.valuesOf('bringForward')).toEqual([]);
  bench.queue.answers.bringForward = () => ({ rows: [{ id: '1', isCorrected: true }] });
  await vi.advanceTimersByTimeAsync(7_000);
  expect(bench.queue.valuesOf('bringForward')).toEqual([[['1']]]);
  expect(bench.lines).toEqual([line(CORRECTED, { items: 1 })]);
});

test('a comparison of clocks that fails is in the log', async () => {
  bench.queue.answers.clock = () => Promise.reject(new Error('gone'));
  await bench.start();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(bench.lines).toEqual([line('The clock of the database could not be compared', { error: errorIn('gone') })]);
});

test('maintenance renews the leases in flight, and frees those of dead owners', async () => {
  bench.setBusy();
  bench.queueBatches([claimedItem('1')]);
  await bench.start();
  await bench.dispatcher.runMaintenance();
  expect(bench.queue.valuesOf('renew').at(-1)).toEqual(['me', ['1']]);
  expect(bench.queue.valuesOf('releaseDead').at(-1)).toEqual(['me', ADVISORY_LOCKS.owner.number, ['1']]);
  const { runMaintenance } = bench.dispatcher;
  expect(await scansBy(() => runMaintenance.call(bench.dispatcher))).toBe(0);
  bench.queue.answers.releaseDead = () => ({ rowCount: 1 });
  expect(await scansBy(() => runMaintenance.call(bench.dispatcher))).toBe(1);
  await bench.end('1');
});

test('maintenance runs once a minute, and at once after another node has died', async () => {
  await bench.start();
  const before = bench.queue.countOf('renew');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(bench.queue.countOf('renew')).toBe(before + 1);
  for (const listener of bench.listeners.death) listener();
  await bench.settle();
  expect(bench.queue.countOf('renew')).toBe(before + 2);
});

test('a lease that this process does not know at two looks in a row is released, and the queue is scanned', async () => {
  let unknown = ['1', '2'];
  bench.queue.answers.findUnknown = () => ({ rows: unknown.map((id) => ({ id })) });
  bench.queue.answers.releaseLost = () => ({ rowCount: 1 });
  await bench.start();
  expect([bench.queue.valuesOf('findUnknown'), bench.queue.countOf('releaseLost')]).toEqual([[['me', []]], 0]);
  unknown = ['2', '3'];
  expect(await scansBy(() => bench.dispatcher.runMaintenance())).toBe(1);
  expect(bench.queue.valuesOf('releaseLost')).toEqual([['me', ['2']]]);
  expect(bench.lines).toEqual([line('Claimed items that were not executed return to the queue', { items: 1 })]);
  unknown = ['4'];
  expect(await scansBy(() => bench.dispatcher.runMaintenance())).toBe(0);
  expect(bench.queue.countOf('releaseLost')).toBe(1);
});

test('a lease whose claim arrives between the two looks is kept', async () => {
  bench.queue.answers.findUnknown = () => ({ rows: [{ id: '1' }] });
  await bench.start();
  bench.setBusy();
  bench.queueBatches([claimedItem('1')]);
  await bench.awaitScan();
  await bench.dispatcher.runMaintenance();
  expect([bench.started, bench.queue.countOf('releaseLost')]).toEqual([['1'], 0]);
  await bench.end('1');
});

test('the node that has the turn ends expired items, publishes them, and notes them as reasons of gaps', async () => {
  bench.bus.follow('task:1');
  bench.queue.answers.expire = () => ({ rows: [{ id: '4', taskId: '1' }] });
  bench.state.hasTurn = false;
  await bench.start();
  expect(bench.node.takeTurn).toHaveBeenCalledWith('queue');
  expect([bench.queue.countOf('expire'), bench.queue.countOf('deleteClaims')]).toEqual([0, 0]);
  bench.state.hasTurn = true;
  await bench.dispatcher.runMaintenance();
  await vi.advanceTimersByTimeAsync(250);
  expect([bench.queue.countOf('expire'), bench.queue.countOf('deleteClaims')]).toEqual([1, 1]);
  expect([bench.queue.valuesOf('noteTries'), bench.queue.valuesOf('itemRows')]).toEqual([[[['4']]], [[['4']]]]);
});

test('maintenance and reasons of gaps that fail are in the log', async () => {
  bench.queue.answers.expire = () => ({ rows: [{ id: '4', taskId: '1' }] });
  bench.queue.answers.noteTries = () => Promise.reject(new Error('no gaps'));
  await bench.start();
  bench.queue.answers.renew = () => Promise.reject(new Error('no leases'));
  await bench.dispatcher.runMaintenance();
  expect(bench.lines).toEqual([
    line('Reasons of gaps could not be written', { error: errorIn('no gaps') }),
    line('Leases and expired items could not be checked', { error: errorIn('no leases') }),
  ]);
});

test('a stop waits for running items, releases all leases, and leaves no timer, listener or connection', async () => {
  bench.setBusy();
  bench.queueBatches([claimedItem('1')]);
  await bench.start();
  let isStopped = false;
  const stopped = bench.dispatcher.stop().then(() => (isStopped = true));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(isStopped).toBe(false);
  await bench.end('1');
  await stopped;
  expect(bench.queue.countOf('finish')).toBe(1);
  expect(bench.queue.valuesOf('releaseAll')).toEqual([['me', expect.arrayContaining(['relay_disconnect'])]]);
  expect([bench.listeners.reachable.size, bench.listeners.death.size, vi.getTimerCount()]).toEqual([0, 0, 0]);
  const [client] = bench.queue.clients;
  expect(client?.closed).toEqual([true]);
  // The database may close the connection before its client does.
  client?.emit('error', new Error('gone'));
  const before = bench.queue.asked.length;
  bench.dispatcher.wake();
  await vi.advanceTimersByTimeAsync(5_000);
  expect([client?.closed, bench.queue.asked.length, bench.queue.clients.length]).toEqual([[true], before, 1]);
});

test('a stop waits two seconds at most, and tolerates a database that is away', async () => {
  bench.setBusy();
  bench.queueBatches([claimedItem('1')]);
  await bench.start();
  let isStopped = false;
  void bench.dispatcher.stop().then(() => (isStopped = true));
  bench.queue.answers.releaseAll = () => Promise.reject(new Error('gone'));
  await vi.advanceTimersByTimeAsync(1_999);
  expect(isStopped).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(isStopped).toBe(true);
  expect(bench.lines).toEqual([line('Leases could not be released', { error: errorIn('gone') })]);
});

test('all leases are released on request', async () => {
  await bench.dispatcher.releaseLeases();
  expect(bench.queue.valuesOf('releaseAll')).toEqual([['me', expect.arrayContaining(['relay_disconnect'])]]);
});
