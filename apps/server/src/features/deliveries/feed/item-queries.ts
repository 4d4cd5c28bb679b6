import { ASSET_KINDS, type AssetItem, type AssetKind, type CommandItem, type EventItem } from '@hes/contract/delivery/feed.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { HEAD_END_NAME } from '@hes/contract/states/event.ts';
import { sql, type RawBuilder } from 'kysely';
import type { Db, User } from '#db/context.ts';
import { isoOrNull } from '#db/paging.ts';
import { holderOf, levelWithin, seesWholeNetwork, transformerWithin, visible, visibleDevice } from '#db/scope.ts';
import type { Entry } from './outbox-queries.ts';

const idsOf = (entries: readonly Entry[]) => sql`${entries.map(({ subjectId }) => subjectId)}::bigint[]`;

const headOf = ({ id, at }: Entry) => ({ id, at: at.toISOString() });
/** Of items that change after they were announced. */
const revisedHeadOf = (entry: Entry) => ({ ...headOf(entry), revision: entry.revision });

/** Pairs entries with their items by id, in the order of the entries; entries without an item are left out. */
function pair<Item, Head>(entries: readonly Entry[], found: ReadonlyMap<string, Item>, head: (entry: Entry) => Head): (Head & Item)[] {
  return entries.flatMap((entry) => {
    const item = found.get(entry.subjectId);
    return item === undefined ? [] : [{ ...head(entry), ...item }];
  });
}

type EventColumns = Omit<EventItem, 'id' | 'at' | 'occurAt' | 'receivedAt'> & { occurAt: Date; receivedAt: Date };

/** Events within the area of the user. */
export async function findEvents(db: Db, user: User, entries: readonly Entry[]): Promise<EventItem[]> {
  const { rows } = await sql<EventColumns>`
    select e.id as event_id, e.device_kind, e.meter_id, meter.sn as meter_sn, e.dcu_id,
      coalesce(dcu.sn, case e.device_kind when 'head_end' then ${HEAD_END_NAME} end) as dcu_sn, e.log, e.code, c.name_en, c.name_zh, e.occur_at, e.received_at,
      e.direction, e.abnormal_level, e.message, encode(e.raw, 'hex') as raw, e.source, e.trace_id
    from event e left join dcu on dcu.id = e.dcu_id left join meter on meter.id = e.meter_id
    left join event_code c on c.log = e.log and c.code = e.code
    where e.id = any(${idsOf(entries)}) and ${visibleDevice(user)}`.execute(db);
  const times = (row: EventColumns) => ({ occurAt: row.occurAt.toISOString(), receivedAt: row.receivedAt.toISOString() });
  return pair(entries, new Map(rows.map((row) => [row.eventId, { ...row, ...times(row) }])), headOf);
}

/** Id of the audience of a sender, which is no account and sees the orders of all. */
export const AUDIENCE_ID = '0';

type CommandColumns = Omit<CommandItem, 'id' | 'at' | 'revision' | 'startedAt' | 'finishedAt'> & {
  startedAt: Date | null;
  finishedAt: Date | null;
};

/** Ended items of tasks that the user may see: those of all users for the whole network and for senders, otherwise the user's own ones. */
export async function findCommands(db: Db, user: User, entries: readonly Entry[]): Promise<CommandItem[]> {
  const isSeen = seesWholeNetwork(user) || user.id === AUDIENCE_ID ? sql`true` : sql`task.created_by = ${user.id}`;
  const { rows } = await sql<CommandColumns>`
    select i.id as item_id, i.task_id, i.kind, task.created_by as ordered_by_id, i.device_kind, case dcu.kind when 'dcu' then dcu.sn end as dcu_sn,
      i.meter_id, meter.sn as meter_sn, i.state, i.reason_code, i.started_at, i.finished_at, i.result, i.trace_id
    from task_item i join task on task.id = i.task_id join endpoint as dcu on dcu.id = i.dcu_id left join meter on meter.id = i.meter_id
    where i.id = any(${idsOf(entries)}) and ${isSeen} and ${visibleDevice(user)}`.execute(db);
  const times = (row: CommandColumns) => ({ startedAt: isoOrNull(row.startedAt), finishedAt: isoOrNull(row.finishedAt) });
  return pair(entries, new Map(rows.map((row) => [row.itemId, { ...row, ...times(row) }])), revisedHeadOf);
}

type AssetColumns = Omit<AssetItem, 'id' | 'at' | 'revision' | 'isRemoved'> & { isWithin: boolean };

const NONE = sql`null::text`;
/** Ratios and position of a meter or transformer. */
const measuredOf = (table: string) =>
  sql.join(
    ['ct_ratio', 'pt_ratio', 'longitude', 'latitude'].map((column) => sql`${sql.ref(`${table}.${column}`)}::float8 as ${sql.ref(column)}`),
  );
const NOT_MEASURED = sql`null::float8 as ct_ratio, null::float8 as pt_ratio, null::float8 as longitude, null::float8 as latitude`;
const NO_GENERATOR = sql`null::boolean as is_generator`;
const NO_CAPACITY = sql`null::float8 as capacity_kva`;
/** The page whose right permits to see the objects of a kind. */
export const ASSET_PAGES: Record<AssetKind, string> = {
  meter: PAGE_PATH.meterAssets,
  dcu: PAGE_PATH.dcus,
  transformer: PAGE_PATH.transformers,
  level: PAGE_PATH.network,
};

/** Statement for the objects of one kind, by their ids. */
const ASSETS: Record<AssetKind, (ids: RawBuilder<unknown>, user: User) => RawBuilder<AssetColumns>> = {
  meter: (ids, user) => sql`
      select 'meter' as kind, meter.id as asset_id, meter.sn as number, ${NONE} as name, t.code as parent_number, dcu.sn as dcu_sn, meter.inventory_state,
        meter.customer_no, meter.address, mt.code as type_code, ${measuredOf('meter')}, meter.is_generator, ${NO_CAPACITY},
        ${visible('meter.transformerId', user)} as is_within
      from meter join meter_type mt on mt.id = meter.meter_type_id left join transformer t on t.id = meter.transformer_id left join dcu on dcu.id = meter.dcu_id where meter.id = any(${ids})`,
  dcu: (ids, user) => sql`
      select 'dcu' as kind, dcu.id as asset_id, dcu.sn as number, dcu.name, t.code as parent_number, ${NONE} as dcu_sn, ${NONE} as inventory_state,
        ${NONE} as customer_no, ${NONE} as address, dt.code as type_code, ${NOT_MEASURED}, ${NO_GENERATOR}, ${NO_CAPACITY},
        ${visible('dcu.transformerId', user)} as is_within
      from dcu left join dcu_type dt on dt.id = dcu.dcu_type_id left join transformer t on t.id = dcu.transformer_id where dcu.id = any(${ids})`,
  transformer: (ids, user) => sql`
      select 'transformer' as kind, t.id as asset_id, t.code as number, t.name, l.code as parent_number, ${NONE} as dcu_sn, ${NONE} as inventory_state,
        ${NONE} as customer_no, t.address, ${NONE} as type_code, ${measuredOf('t')}, ${NO_GENERATOR}, t.capacity_kva::float8 as capacity_kva,
        ${transformerWithin(sql`t.id`, user.scope)} as is_within
      from transformer t join network_level l on l.id = t.level_id where t.id = any(${ids})`,
  level: (ids, user) => sql`
      select 'level' as kind, l.id as asset_id, l.code as number, l.name, above.code as parent_number, ${NONE} as dcu_sn, ${NONE} as inventory_state,
        ${NONE} as customer_no, ${NONE} as address, ${NONE} as type_code, ${NOT_MEASURED}, ${NO_GENERATOR}, ${NO_CAPACITY},
        ${levelWithin(sql`l.path`, user)} as is_within
      from network_level l left join network_level above on above.id = l.parent_id where l.id = any(${ids})`,
};

const REMOVED = {
  number: null,
  name: null,
  parentNumber: null,
  dcuSn: null,
  inventoryState: null,
  customerNo: null,
  address: null,
  typeCode: null,
  ctRatio: null,
  ptRatio: null,
  longitude: null,
  latitude: null,
  isGenerator: null,
  capacityKva: null,
};

/** Of the transformers that devices left, those in the area of the user. */
async function findLefts(db: Db, user: User, entries: readonly Entry[]): Promise<ReadonlySet<string>> {
  const lefts = entries.flatMap(({ left }) => left ?? []);
  if (lefts.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    select t.id from transformer t where t.id = any(${lefts}::bigint[]) and ${transformerWithin(sql`t.id`, user.scope)}`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** Objects of one kind as they are now; removed ones for users of the whole network, and those that left the area of the user by their number. */
async function findKind(db: Db, user: User, kind: AssetKind, entries: readonly Entry[]): Promise<AssetItem[]> {
  const holder = holderOf(user, ASSET_PAGES[kind], 'view');
  if (holder === undefined || entries.length === 0) return [];
  const { rows } = await ASSETS[kind](idsOf(entries), holder).execute(db);
  const byId = new Map(rows.map((row) => [row.assetId, row]));
  const lefts = await findLefts(db, holder, entries);
  return entries.flatMap((entry): AssetItem[] => {
    const head = revisedHeadOf(entry);
    const removed = { ...head, kind, assetId: entry.subjectId, isRemoved: true, ...REMOVED };
    const row = byId.get(entry.subjectId);
    if (row === undefined) return seesWholeNetwork(holder) ? [removed] : [];
    const { isWithin, ...asset } = row;
    if (isWithin) return [{ ...head, isRemoved: false, ...asset }];
    return entry.left !== null && lefts.has(entry.left) ? [{ ...removed, number: asset.number }] : [];
  });
}

/** Changed objects of all kinds that the user may view, in the order of the entries. */
export async function findAssets(db: Db, user: User, entries: readonly Entry[]): Promise<AssetItem[]> {
  const found = new Map<string, AssetItem>();
  for (const kind of ASSET_KINDS) {
    const ofKind = entries.filter(({ subject }) => subject === kind);
    for (const item of await findKind(db, user, kind, ofKind)) found.set(item.id, item);
  }
  return entries.flatMap(({ id }) => found.get(id) ?? []);
}
