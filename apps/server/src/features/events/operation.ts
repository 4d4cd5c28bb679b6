import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import type { EventLog } from '@hes/contract/states/event.ts';
import { FIELD_EVENT, stateLine } from '@hes/contract/states/field-event.ts';
import type { ItemResult, EventReadResult } from '@hes/contract/orders/results.ts';
import { toHex } from '@hes/dlms/codec/hex.ts';
import { dayNumberOf } from '@hes/contract/schedule/zone.ts';
import type { DeviceEvent, Judged } from '#storage/events/event-writer.ts';
import type { Operations, WorkItem, WorkReport } from '#tasks/operation.ts';
import { readEventLog, type EventWindow, type UnreadableRow } from '#field/profiles/event-log.ts';
import type { OperationTools } from '#field/operations/operation-tools.ts';
import { withDevice, type DeviceWork } from '#field/operations/with-device.ts';

const DAY_MS = 86_400_000;
const DEFAULT_LOOK_BACK_DAYS = 7;
const MAX_LOOK_BACK_DAYS = 60;
/** A device's clock may be ahead of ours: what it has logged since is not left out. */
const CLOCK_MARGIN_MS = 3_600_000;
/** The item's row keeps the newest; all of them are in the table of events. */
const ROWS_KEPT = 200;

const METER_LOGS: EventLog[] = ['standard', 'fraud', 'disconnector', 'quality'];

interface EventOrder {
  logs: EventLog[];
  /** Undefined: what is new since the last time, at most so many days back. */
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
    // The log of a DCU is no log of a meter, and the other way round.
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
  // A clock that was set back logs below the mark: a day is read again, and known events stay what they are.
  return { from: mark !== undefined ? Math.max(oldest, mark - DAY_MS) : oldest, to: now + CLOCK_MARGIN_MS };
}

/** Reads event logs of a meter or a DCU and stores what is new. A log the device does not have is said, and fails nothing. */
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
        await tellUnreadable(tools, work, { log, rows: rows.value.unreadable });
      } else if (rows.reason === 'OBJECT_UNDEFINED') absent.push(log);
      else return rows;
    }
    if (read.length === 0) return failed('OBJECT_UNDEFINED');
    return store(tools, work, { order, events, absent, read });
  });
}

/** Of one log so many are told of at a time; all of them are in the trace. */
const MOST_UNREADABLE = 20;

/** Rows that are no events are told of by events of their own, with their octets. */
async function tellUnreadable(
  tools: OperationTools,
  { device, dcuId, traceId, now }: DeviceWork,
  { log, rows }: { log: EventLog; rows: readonly UnreadableRow[] },
): Promise<void> {
  for (const { near, raw } of rows.slice(0, MOST_UNREADABLE)) {
    const lines = [stateLine('row', log, toHex(raw))];
    await tools.fieldEvents.raise({ device, dcuId, traceId, code: FIELD_EVENT.unreadableRow, lines, raw, occurAt: near ?? now });
  }
}

/** Events of the standard log after which a meter may count and capture otherwise: new firmware, new parameters, a profile that was cleared. */
const CHANGING: ReadonlySet<number> = new Set([18, 47, 254]);

async function store(
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
  // After the commit: what was read and not stored is read again.
  if (order.window === undefined && meter !== undefined) for (const log of read) tools.devices.setWatermark(meter, markOf(log), now);
  return ok({ events: resultOf(events, judged, absent) });
}

function resultOf(events: readonly DeviceEvent[], judged: readonly Judged[], absent: EventLog[]): EventReadResult {
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
