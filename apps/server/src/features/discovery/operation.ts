import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import type { ItemResult } from '@hes/contract/orders/results.ts';
import type { Operation, Operations, WorkItem, WorkReport } from '#tasks/operation.ts';
import { lacks, type DiscoveryPart } from '#southbound/dcu-parts.ts';
import { partsOfDcu } from '#southbound/parts-of-dcu.ts';
import { findRunOfTask, storeFound, publishFound, updateRun } from './store.ts';
import type { OperationTools } from '#field/operations/operation-tools.ts';
import { withDevice, type DeviceWork } from '#field/operations/with-device.ts';

type Run = NonNullable<Awaited<ReturnType<typeof findRunOfTask>>>;

/** Delay after a failed poll; the DCU continues its search meanwhile. */
const ASK_AGAIN_MS = 5_000;

/** Reads the meters that the DCU has discovered so far, and filters them by the medium of the search. */
async function pollFound(tools: OperationTools, discovery: DiscoveryPart, work: DeviceWork, run: Run): Promise<Outcome<number>> {
  const read = await discovery.found();
  if (!read.ok) return read;
  const found = read.value.filter((meter) => run.mode === 'both' || meter.communicationMode === run.mode);
  const fresh = await storeFound(tools.ctx, run, found);
  await updateRun(tools.ctx, run.id, { found: found.length, polled: true });
  await publishFound(tools.ctx, work.dcuId, run.id, fresh);
  return ok(found.length);
}

async function runTurn(tools: OperationTools, work: DeviceWork, run: Run): Promise<Outcome<'again' | number>> {
  const { discovery } = await partsOfDcu(tools, work);
  if (discovery === undefined) return lacks('discovery');
  if (run.state === 'starting') {
    const started = await discovery.start();
    if (!started.ok) return started;
    await updateRun(tools.ctx, run.id, { state: 'searching' });
    await publishFound(tools.ctx, work.dcuId, run.id, []);
    return ok('again');
  }
  const isOver = run.state === 'stopping' || run.endsAt.getTime() <= tools.ctx.clock.now();
  if (isOver) {
    const stopped = await discovery.stop();
    if (!stopped.ok) return stopped;
  }
  const polled = await pollFound(tools, discovery, work, run);
  return !polled.ok || isOver ? polled : ok('again');
}

/**
 * Runs one turn of a search: starts it, polls its results or ends it. Between turns it holds neither the DCU nor a worker. A failed
 * turn is retried until the end of the search, because the DCU continues it meanwhile.
 */
async function runSearch(tools: OperationTools, item: WorkItem): Promise<WorkReport> {
  const run = await findRunOfTask(tools.ctx, item.taskId, item.dcuId);
  if (run === undefined) return { outcome: failed('INTERNAL', 'There is no such search'), traceId: undefined };
  let next: Outcome<'again' | number> = failed('DCU_OFFLINE');
  const report = await withDevice(tools, item, async (work): Promise<Outcome<ItemResult>> => {
    next = await runTurn(tools, work, run);
    if (!next.ok) return next;
    return ok({ counts: { found: next.value === 'again' ? run.found : next.value } });
  });
  // When the link could not be opened, only the report contains the failure.
  if (!report.outcome.ok) return endFailed(tools, item, run, report);
  // as: the compiler does not see the assignment in the closure
  const done = next as Outcome<'again' | number>;
  if (done.ok && done.value === 'again') return { ...report, againInMs: run.state === 'starting' ? 1000 : run.pollSeconds * 1000 };
  await updateRun(tools.ctx, run.id, { state: 'finished', ...(done.ok && done.value !== 'again' ? { found: done.value } : {}) });
  await publishFound(tools.ctx, item.dcuId, run.id, []);
  return report;
}

async function endFailed(tools: OperationTools, item: WorkItem, run: Run, report: WorkReport): Promise<WorkReport> {
  if (report.outcome.ok) return report;
  const isLost = run.endsAt.getTime() + 60_000 <= tools.ctx.clock.now();
  const mayTryAgain =
    !isLost && !['OBJECT_UNDEFINED', 'ACCESS_DENIED', 'KEYS_MISSING', 'AUTH_FAILED', 'INTERNAL'].includes(report.outcome.reason);
  if (mayTryAgain) return { outcome: ok({ counts: { found: run.found } }), traceId: report.traceId, againInMs: ASK_AGAIN_MS };
  await updateRun(tools.ctx, run.id, { state: 'failed', reasonCode: report.outcome.reason });
  await publishFound(tools.ctx, item.dcuId, run.id, []);
  return report;
}

/** Clears the DCU's list of discovered meters. */
const clearFound: (tools: OperationTools) => Operation<'discovery_clear'> = (tools) => (item) =>
  withDevice(tools, item, async (work) => {
    const { discovery } = await partsOfDcu(tools, work);
    if (discovery === undefined) return lacks('discovery');
    const cleared = await discovery.clear();
    return cleared.ok ? ok({}) : cleared;
  });

/** Operations of the search for meters. */
export const discoveryOperations = (tools: OperationTools): Pick<Operations, 'discovery' | 'discovery_clear'> => ({
  discovery: (item) => runSearch(tools, item),
  discovery_clear: clearFound(tools),
});
