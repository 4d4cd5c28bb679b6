import type { TransformerRow } from '@hes/contract/asset/transformer.ts';
import { auditRecord, getRecord, namesOf, lockRecord, type MasterData } from '#db/master-data.ts';
import { refuseDuplicates } from '#db/unique.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Tx, User, Who } from '#db/context.ts';
import {
  countRolesOf,
  deleteTransformer,
  findLevelOf,
  findLevelWithin,
  findMeterOf,
  findTransformer,
  insertTransformer,
  lockTransformer,
  nextCode,
  placeDcus,
  setMasterMeter,
  takeDcus,
  updateTransformer,
} from './queries.ts';

export interface TransformerFields {
  name: string;
  code?: string | undefined;
  address: string | null;
  longitude: number | null;
  latitude: number | null;
  levelId: string;
  capacityKva: number | null;
  ctRatio: number;
  ptRatio: number;
  publicOrPrivate: 'public' | 'private';
  note: string | null;
}

const NAME = { en: 'Name', zh: '名称' };
const CODE = { en: 'Code', zh: '编码' };

async function requireLevel(tx: Tx, user: User, levelId: string): Promise<void> {
  if ((await findLevelWithin(tx, user, levelId)) === undefined) throw new ApiError('UNKNOWN_REFERENCE', {}, 'levelId');
}

const columnsOf = ({ publicOrPrivate, code: _, ...fields }: TransformerFields) => ({ ...fields, publicPrivate: publicOrPrivate });

export const TRANSFORMERS: MasterData<TransformerRow, TransformerFields> = {
  entity: 'transformer',
  find: findTransformer,
  lock: lockTransformer,
  async insert(tx, { user }, fields, now) {
    await requireLevel(tx, user, fields.levelId);
    return insertTransformer(tx, { ...columnsOf(fields), code: fields.code ?? (await nextCode(tx)) }, now);
  },
  async update(tx, { user }, id, fields, now) {
    // An area may contain the transformer but not its level: the user may then change the transformer but not move it.
    if ((await findLevelOf(tx, id)) !== fields.levelId) await requireLevel(tx, user, fields.levelId);
    await updateTransformer(tx, id, { ...columnsOf(fields), ...(fields.code === undefined ? {} : { code: fields.code }) }, now);
  },
  remove: deleteTransformer,
  unique: ({ code, name }) => ({
    transformer_code_key: { field: 'code', label: CODE, value: code ?? '' },
    transformer_name: { field: 'name', label: NAME, value: name },
  }),
  usedBy: async (tx, { id, dcus, meters }) =>
    namesOf([
      { count: dcus, en: 'DCUs', zh: '台集中器' },
      { count: meters, en: 'meters', zh: '块电表' },
      { count: await countRolesOf(tx, id), en: 'roles limited to it', zh: '个角色限定于此' },
    ]),
};

const audit = (tx: Tx, who: Who, entry: Omit<Parameters<typeof auditRecord>[2], 'entity'>, now: number) =>
  auditRecord(tx, who, { ...entry, entity: 'transformer' }, now);

/** Binds DCUs without a transformer. Throws if one of them has a transformer already. */
export async function bindDcus(ctx: Context, who: Who, id: string, dcuIds: readonly string[]): Promise<TransformerRow> {
  const now = ctx.clock.now();
  const wanted = [...new Set(dcuIds)];
  return ctx.db.transaction().execute(async (tx) => {
    const { name } = await lockRecord(TRANSFORMERS, tx, who.user, { id });
    const dcus = await takeDcus(tx, who.user, wanted);
    const missing = wanted.find((dcuId) => !dcus.some((dcu) => dcu.id === dcuId));
    if (missing !== undefined) throw new ApiError('DCU_NOT_FOUND', { id: missing });
    if (dcus.some((dcu) => dcu.transformerId !== null)) throw new ApiError('ALREADY_BOUND');
    await placeDcus(tx, wanted, id, new Date(now));
    await audit(tx, who, { action: 'transformer_dcu_bound', id, detail: { name, dcus: dcus.map((dcu) => dcu.sn) } }, now);
    return getRecord(TRANSFORMERS, tx, who.user, id);
  });
}

export async function unbindDcu(ctx: Context, who: Who, { id, dcuId }: { id: string; dcuId: string }): Promise<void> {
  const now = ctx.clock.now();
  await ctx.db.transaction().execute(async (tx) => {
    const { name } = await lockRecord(TRANSFORMERS, tx, who.user, { id });
    const [dcu] = await takeDcus(tx, who.user, [dcuId]);
    if (dcu === undefined) throw new ApiError('DCU_NOT_FOUND', { id: dcuId });
    if (dcu.transformerId !== id) throw new ApiError('NOT_BOUND');
    await placeDcus(tx, [dcuId], null, new Date(now));
    await audit(tx, who, { action: 'transformer_dcu_unbound', id, detail: { name, dcus: [dcu.sn] } }, now);
  });
}

/** Sets or removes the master meter, which measures the supply of the transformer and must be connected to it. */
export async function changeMaster(
  ctx: Context,
  who: Who,
  { id, meterId }: { id: string; meterId: string | null },
): Promise<TransformerRow> {
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    const before = await lockRecord(TRANSFORMERS, tx, who.user, { id });
    const meter = meterId === null ? undefined : await findMeterOf(tx, who.user, meterId);
    if (meterId !== null && meter === undefined) throw new ApiError('METER_NOT_FOUND', { id: meterId });
    if (meter !== undefined && meter.transformerId !== id) throw new ApiError('NOT_AT_TRANSFORMER', {}, 'meterId');
    await setMasterMeter(tx, id, meterId, new Date(now));
    const detail = { name: before.name, before: { masterMeter: before.masterMeterSn }, after: { masterMeter: meter?.sn ?? null } };
    await audit(tx, who, { action: 'transformer_master_changed', id, detail }, now);
    return getRecord(TRANSFORMERS, tx, who.user, id);
  });
}

/** Moves transformers to another level: all of them or none. */
export async function moveTransformers(
  ctx: Context,
  who: Who,
  { ids, levelId }: { ids: readonly string[]; levelId: string },
): Promise<{ moved: number }> {
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    const level = await findLevelWithin(tx, who.user, levelId);
    if (level === undefined) throw new ApiError('UNKNOWN_REFERENCE', {}, 'levelId');
    let moved = 0;
    // Locks rows in the order of ids to avoid a deadlock with a concurrent move.
    for (const id of [...new Set(ids)].toSorted((a, b) => Number(a) - Number(b))) {
      const before = await lockRecord(TRANSFORMERS, tx, who.user, { id });
      if (before.levelId === levelId) continue;
      await refuseDuplicates(TRANSFORMERS.unique(before), updateTransformer(tx, id, { levelId }, new Date(now)));
      const detail = { name: before.name, before: { level: before.levelName }, after: { level: level.name } };
      await audit(tx, who, { action: 'transformer_moved', id, detail }, now);
      moved += 1;
    }
    return { moved };
  });
}
