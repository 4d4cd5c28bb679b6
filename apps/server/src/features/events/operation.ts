import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import type { EventLog } from '@hes/contract/states/event.ts';
import { FIELD_EVENT, stateLine } from '@hes/contract/states/field-event.ts';
import type { ItemResult, EventReadResult } from '@hes/contract/orders/results.ts';
import { toHex } from '@hes/dlms/codec/hex.ts';
import { dayNumberOf } from '@hes/contract/schedule/zone.ts';
import type { DeviceEvent, EventClass } from '#storage/events/event-writer.ts';
import type { Operations, WorkItem, WorkReport } from '#tasks/operation.ts';
import { readEventLog, type EventWindow, type UnreadableRow } from '#field/profiles/event-log.ts';
import type { OperationTools } from '#field/operations/operation-tools.ts';
import { withDevice, type DeviceWork } from '#field/operations/with-device.ts';

const DAY_MS = 86_400_000;
const DEFAULT_LOOK_BACK_DAYS = 7;
const MAX_LOOK_BACK_DAYS = 60;
/** Tolerance for a device clock that is ahead of the HES. */
const CLOCK_MARGIN_MS = 3_600_000;
/** The task item stores the newest rows; the event table holds all of them. */
const ROWS_KEPT = 200;

const METER_LOGS: EventLog[] = ['standard', 'fraud', 'disconnector', 'quality'];

interface EventOrder {
  logs: EventLog[];
  /** Undefined: from the watermark on, at most `lookBackDays`. */
  window: EventWindow | undefined;
  lookBackDays: number;
  source: 'push' | 'pull';
}

function orderOf(tools: OperationTools, item: WorkItem<'events'>, now: number): EventOrder {
  const { logs, from, to, last, lookBackDays, source } = item.params;
  const window =
    last !== undefined
      ? { last }
      : from !== undefined && to !== undefined
        ? {
            from: tools.zone.startOf(dayNumberOf(from)),
            to: Math.min(now + CLOCK_MARGIN_MS, tools.zone.startOf(dayNumberOf(to) + 1) - 1000),
          }
        : undefined;
  return {
    // DCU logs exist only at DCUs, and meter logs only at meters.
    logs: item.deviceKind === 'dcu' ? ['dcu'] : (logs ?? METER_LOGS).filter((log) => log !== 'dcu'),
    window,
    lookBackDays: Math.min(MAX_LOOK_BACK_DAYS, Math.max(1, lookBackDays ?? DEFAULT_LOOK_BACK_DAYS)),
    source: source === 'push' ? 'push' : 'pull',
  };
}

const markOf = (log: EventLog): string => `through:event:${log}`;

function windowOf(order: EventOrder, { meter, now }: DeviceWork, log: EventLog): EventWindow {
  if (order.window !== undefined) return order.window;
  const oldest = now - order.lookBackDays * DAY_MS;
  const mark = meter?.watermarks[markOf(log)];
  // A clock that was set back logs events before the watermark: one day is read again, and duplicates are ignored.
  return { from: mark !== undefined ? Math.max(oldest, mark - DAY_MS) : oldest, to: now + CLOCK_MARGIN_MS };
}

/** Reads event logs of a meter or a DCU and stores new events. A log that the device lacks is reported without failing the item. */
function readEvents(tools: OperationTools, item: WorkItem<'events'>): Promise<WorkReport> {
  return withDevice(tools, item, async (work) => {
    const order = orderOf(tools, item, work.now);
    const absent: EventLog[] = [];
    const events: DeviceEvent[] = [];
    const read: EventLog[] = [];
    for (const log of order.logs) {
      const window = windowOf(order, work, log);
      const rows = await readEventLog(work.link, { log, window, deviationMinutes: tools.zone.deviationMinutes(work.now) });
      if (rows.ok) {
        events.push(...rows.value.events);
        read.push(log);
        await reportUnreadable(tools, work, { log, rows: rows.value.unreadable });
      } else if (rows.reason === 'OBJECT_UNDEFINED') absent.push(log);
      else return rows;
    }
    if (read.length === 0) return failed('OBJECT_UNDEFINED');
    return storeLogs(tools, work, { order, events, absent, read });
  });
}

/** Maximum number of reported rows per log; the trace contains all of them. */
const MOST_UNREADABLE = 20;

/** Reports each row that cannot be decoded as an event with its octets. */
async function reportUnreadable(
  tools: OperationTools,
  { device, dcuId, traceId, now }: DeviceWork,
  { log, rows }: { log: EventLog; rows: readonly UnreadableRow[] },
): Promise<void> {
  for (const { near, raw } of rows.slice(0, MOST_UNREADABLE)) {
    const lines = [stateLine('row', log, toHex(raw))];
    await tools.fieldEvents.raise({ device, dcuId, traceId, code: FIELD_EVENT.unreadableRow, lines, raw, occurAt: near ?? now });
  }
}

/** Events of the standard log after which cached metadata of a meter may be wrong: new firmware, new parameters, a cleared profile. */
const CHANGING: ReadonlySet<number> = new Set([18, 47, 254]);

async function storeLogs(
  tools: OperationTools,
  { device, meter, dcuId, traceId, now }: DeviceWork,
  { order, events, absent, read }: { order: EventOrder; events: DeviceEvent[]; absent: EventLog[]; read: EventLog[] },
): Promise<Outcome<ItemResult>> {
  const judged = await tools.events.store({
    deviceKind: device.kind,
    meterId: meter?.id ?? null,
    dcuId,
    source: order.source,
    traceId,
    events,
  });
  const isChanged = events.some(({ log, code }, index) => log === 'standard' && CHANGING.has(code) && judged[index]?.isFresh === true);
  if (isChanged && meter !== undefined) tools.devices.requireRecheck(meter);
  // The watermark moves after the commit, so that a failed commit is followed by another reading.
  if (order.window === undefined && meter !== undefined) for (const log of read) tools.devices.setWatermark(meter, markOf(log), now);
  return ok({ events: resultOf(events, judged, absent) });
}

function resultOf(events: readonly DeviceEvent[], judged: readonly EventClass[], absent: EventLog[]): EventReadResult {
  const rows = events.map((event, index) => ({
    log: event.log,
    code: event.code,
    occurAt: new Date(event.occurAt).toISOString(),
    direction: judged[index]?.direction ?? ('occur' as const),
    message: event.message,
    abnormalLevel: judged[index]?.abnormalLevel ?? null,
    isKnown: judged[index]?.isFresh !== true,
  }));
  return {
    found: rows.length,
    fresh: rows.filter((row) => !row.isKnown).length,
    absent,
    rows: rows.toSorted((a, b) => b.occurAt.localeCompare(a.occurAt)).slice(0, ROWS_KEPT),
  };
}

export const eventOperations = (tools: OperationTools): Pick<Operations, 'events'> => ({ events: (item) => readEvents(tools, item) });
