import type { DiscoveredRow, discovery } from '@hes/contract/asset/discovery.ts';
import type { ParsedBody } from '@hes/contract/core/route.ts';
import { commitChanges, devicesChanged } from '#db/changes.ts';
import { refuseDuplicate } from '#db/unique.ts';
import { bindInside, isBusy, unbindInside } from '#features/archive/port.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Tx, Who } from '#db/context.ts';
import { dayNumberOf, Zone } from '@hes/contract/schedule/zone.ts';
import { placeOrder } from '#tasks/place-order.ts';
import { findBindings, findVisibleFound, hasMeterType, ignoreFound, insertMeters } from './list-queries.ts';
import { audit, type Adopted } from './service.ts';

type Decision = ParsedBody<typeof discovery.adopt>;
type Of<A extends Decision['action']> = Extract<Decision, { action: A }>;

const SN = { en: 'SN', zh: '表号' };
const DAY_MS = 86_400_000;
/** Duration of `ignored` without an end date: ten years. */
const FOR_GOOD_MS = 3650 * DAY_MS;
const SNS_KEPT = 50;

const modeOf = (row: DiscoveredRow): 'plc' | 'rf' => (row.communicationMode === 'rf' ? 'rf' : 'plc');
const idsOf = (rows: readonly DiscoveredRow[]): string[] => rows.flatMap((row) => (row.meterId === null ? [] : [row.meterId]));

/** Binds discovered meters to the DCUs that found them. */
async function bindHere(tx: Tx, who: Who, meters: readonly { dcuId: string; meterId: string }[], now: Date): Promise<void> {
  for (const [dcuId, some] of Map.groupBy(meters, (meter) => meter.dcuId))
    await bindInside(tx, who, { dcuId, meterIds: some.map((meter) => meter.meterId) }, now);
}

/** Creates unknown meters as assets and binds them. */
async function addAndBind(tx: Tx, who: Who, rows: readonly DiscoveredRow[], { meterTypeId }: Of<'add_bind'>, now: Date): Promise<string[]> {
  if (meterTypeId !== undefined && !(await hasMeterType(tx, meterTypeId))) throw new ApiError('UNKNOWN_REFERENCE', {}, 'meterTypeId');
  if (rows.some((row) => row.meterId !== null && row.match !== 'in_warehouse')) throw new ApiError('ALREADY_BOUND');
  const unknown = rows.filter((row) => row.meterId === null);
  const fresh = unknown.map((row) => {
    const type = meterTypeId ?? row.suggestedTypeId;
    if (type === null) throw new ApiError('UNKNOWN_REFERENCE', {}, 'meterTypeId');
    return { sn: row.sn, meterTypeId: type, communicationMode: modeOf(row), recordedPhase: row.phase, address: row.address };
  });
  const sns = new Set(fresh.map((meter) => meter.sn));
  // When two DCUs found the same meter, the operator must choose one.
  if (sns.size < fresh.length) throw new ApiError('DUPLICATE', { field: SN, value: fresh[0]?.sn ?? '' });
  const created =
    fresh.length === 0 ? [] : await refuseDuplicate({ field: 'ids', label: SN, value: fresh[0]?.sn ?? '' }, insertMeters(tx, fresh, now));
  const known = rows.flatMap((row) => (row.meterId === null ? [] : [{ dcuId: row.dcuId, meterId: row.meterId }]));
  const added = created.map((meterId, i) => ({ dcuId: unknown[i]?.dcuId ?? '', meterId }));
  await bindHere(tx, who, [...known, ...added], now);
  return [...created, ...idsOf(rows)];
}

async function bindFound(tx: Tx, who: Who, rows: readonly DiscoveredRow[], now: Date): Promise<string[]> {
  if (rows.some((row) => row.match === 'bound_here' || row.match === 'bound_elsewhere' || row.match === 'duplicate'))
    throw new ApiError('ALREADY_BOUND');
  const meters = rows.map((row) => {
    if (row.meterId === null) throw new ApiError('NOTHING_TO_DO');
    return { dcuId: row.dcuId, meterId: row.meterId };
  });
  await bindHere(tx, who, meters, now);
  return idsOf(rows);
}

/** Moves meters from their present DCU. Throws if the signal there is known and not weaker than here. */
async function moveHere(tx: Tx, who: Who, rows: readonly DiscoveredRow[], now: Date): Promise<string[]> {
  for (const row of rows) {
    if (row.match !== 'bound_elsewhere') throw new ApiError('NOT_BOUND');
    if (row.otherSignalValue !== null && (row.signalValue === null || row.signalValue <= row.otherSignalValue))
      throw new ApiError('WEAKER_HERE', { sn: row.sn });
  }
  const bindings = (await findBindings(tx, idsOf(rows))).flatMap(({ id, sn, dcuId }) => (dcuId === null ? [] : [{ id, sn, dcuId }]));
  for (const dcuId of new Set(bindings.map((binding) => binding.dcuId)))
    if (await isBusy(tx, dcuId, ['archive_dispatch'])) throw new ApiError('BUSY', { sn: rows[0]?.otherDcuSns[0] ?? '' });
  await unbindInside(tx, who, bindings, now);
  return bindFound(
    tx,
    who,
    rows.map((row) => ({ ...row, match: 'in_warehouse' })),
    now,
  );
}

async function orderIdentification(ctx: Context, tx: Tx, who: Who, rows: readonly DiscoveredRow[]): Promise<string> {
  const dcuIds = [...new Set(rows.map((row) => row.dcuId))];
  const { taskId } = await placeOrder(tx, ctx, who, 'discovery_identify', {
    params: { ids: rows.map((row) => row.id) },
    items: dcuIds.map((dcuId) => ({ deviceKind: 'dcu', dcuId, meterId: null })),
  });
  return taskId;
}

/** Applies an operator's decision to discovered meters: to all of them or, on an error, to none. */
export async function adoptMeters(ctx: Context, who: Who, decision: Decision): Promise<Adopted> {
  const ids = [...new Set(decision.ids)];
  const now = new Date(ctx.clock.now());
  const done = await commitChanges(
    ctx,
    async (tx) => {
      const rows = await findVisibleFound(tx, who.user, ids);
      if (rows.length < ids.length) throw new ApiError('NOT_FOUND');
      let taskId: string | null = null;
      let meterIds: string[] = [];
      if (decision.action === 'add_bind') meterIds = await addAndBind(tx, who, rows, decision, now);
      else if (decision.action === 'bind') meterIds = await bindFound(tx, who, rows, now);
      else if (decision.action === 'move') meterIds = await moveHere(tx, who, rows, now);
      else if (decision.action === 'identify') taskId = await orderIdentification(ctx, tx, who, rows);
      else await ignoreFound(tx, ids, decision.reason, endOf(decision.until, now, ctx.settings.timeZone));
      const detail = { decision: decision.action, meters: rows.length, sns: rows.slice(0, SNS_KEPT).map((row) => row.sn) };
      await audit(tx, who, { action: 'discovery_decided', entityId: taskId, detail }, now.getTime());
      return { taskId, meterIds };
    },
    (done) => [devicesChanged('meter', done.meterIds)],
  );
  return { taskId: done.taskId, items: await findVisibleFound(ctx.db, who.user, ids) };
}

/** The end of a local day; without a day the maximum duration. */
const endOf = (until: string | undefined, now: Date, timeZone: string): Date =>
  new Date(until === undefined ? now.getTime() + FOR_GOOD_MS : new Zone(timeZone).startOf(dayNumberOf(until) + 1));
