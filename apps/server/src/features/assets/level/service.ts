import { MAX_LEVEL_DEPTH, type LevelRow, type LevelType } from '@hes/contract/asset/level.ts';
import { lockInTransaction } from '#db/advisory-locks.ts';
import { seesWholeNetwork } from '#db/scope.ts';
import { auditRecord, namesOf, lockRecord, type MasterData } from '#db/master-data.ts';
import { refuseDuplicates } from '#db/unique.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Tx, User, Who } from '#db/context.ts';
import { changedFields } from '#db/audit.ts';
import {
  countUsers,
  deleteLevel,
  findLevel,
  hangBelow,
  heightOf,
  insertLevel,
  lockLevel,
  nextSort,
  pathOf,
  sortBefore,
  updateLevel,
} from './queries.ts';

export interface LevelFields {
  parentId?: string | null;
  name: string;
  code: string;
  type: LevelType;
  sort?: number | undefined;
  longitude: number | null;
  latitude: number | null;
  note: string | null;
}

const NAME = { en: 'Name', zh: '名称' };
const CODE = { en: 'Code', zh: '编码' };

/** Path of a parent in the user's area. Only users who see the whole network may add or move a level to the top. */
async function parentPath(tx: Tx, user: User, parentId: string | null): Promise<string[]> {
  if (parentId === null) {
    if (!seesWholeNetwork(user)) throw new ApiError('BEYOND_OWN_RIGHTS');
    return [];
  }
  if ((await findLevel(tx, user, parentId)) === undefined) throw new ApiError('UNKNOWN_REFERENCE', {}, 'parentId');
  return pathOf(tx, parentId);
}

export const LEVELS: MasterData<LevelRow, LevelFields> = {
  entity: 'network_level',
  find: findLevel,
  async lock(tx, id) {
    await lockInTransaction(tx, 'levelTree');
    await lockLevel(tx, id);
  },
  async insert(tx, { user }, { parentId = null, sort, ...fields }, now) {
    await lockInTransaction(tx, 'levelTree');
    const above = await parentPath(tx, user, parentId);
    if (above.length >= MAX_LEVEL_DEPTH) throw new ApiError('LEVEL_DEPTH', { max: MAX_LEVEL_DEPTH });
    return insertLevel(tx, { ...fields, parentId, sort: sort ?? (await nextSort(tx, parentId)) }, above, now);
  },
  update: (tx, _who, id, { parentId: _, sort, ...fields }, now) =>
    updateLevel(tx, id, { ...fields, ...(sort === undefined ? {} : { sort }) }, now),
  remove: deleteLevel,
  unique: ({ code, name }) => ({
    network_level_code_key: { field: 'code', label: CODE, value: code },
    network_level_name: { field: 'name', label: NAME, value: name },
  }),
  async usedBy(tx, { id }) {
    const { levels, transformers, roles, senders, rules } = await countUsers(tx, id);
    return namesOf([
      { count: levels, en: 'levels', zh: '个下级' },
      { count: transformers, en: 'transformers', zh: '台变压器' },
      // Deleting the level would silently remove a part of the network from these roles.
      { count: roles, en: 'roles limited to it', zh: '个角色限定于此' },
      // Without the level these would find nothing, and say so nowhere.
      { count: senders, en: 'senders limited to it', zh: '条数据推送限定于此' },
      { count: rules, en: 'alarm rules limited to it', zh: '条告警规则限定于此' },
    ]);
  },
};

export interface LevelMove {
  id: string;
  parentId: string | null;
  beforeId: string | null;
  version: number;
}

/** Moves a level with its subtree. */
export async function moveLevel(ctx: Context, who: Who, { id, version, parentId, beforeId }: LevelMove): Promise<LevelRow> {
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    const before = await lockRecord(LEVELS, tx, who.user, { id, version });
    if (parentId !== before.parentId) {
      const above = await parentPath(tx, who.user, parentId);
      if (above.includes(id)) throw new ApiError('LEVEL_CYCLE');
      if (above.length + 1 + (await heightOf(tx, id)) > MAX_LEVEL_DEPTH) throw new ApiError('LEVEL_DEPTH', { max: MAX_LEVEL_DEPTH });
      await refuseDuplicates(LEVELS.unique(before), hangBelow(tx, id, parentId, above, new Date(now)));
    }
    await sortBefore(tx, id, parentId, beforeId);
    const after = await lockRecord(LEVELS, tx, who.user, { id });
    const detail = changedFields({ ...before }, { parentId: after.parentId, sort: after.sort });
    await auditRecord(
      tx,
      who,
      { action: 'network_level_moved', entity: 'network_level', id, detail: { code: before.code, ...detail } },
      now,
    );
    return after;
  });
}
