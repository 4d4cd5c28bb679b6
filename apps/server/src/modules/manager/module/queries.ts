import { sql } from 'kysely';
import type { Db } from '#platform/context.ts';

export interface ModuleRow {
  id: string;
  parentId: string | null;
  path: string;
  nameEn: string;
  nameZh: string;
  icon: string;
  sort: number;
  visible: boolean;
}

/** The modules of a user's roles, in the order of the menu. */
export const findModulesOf = (db: Db, userId: string): Promise<ModuleRow[]> =>
  db
    .selectFrom('module')
    .where(
      sql<boolean>`exists (select from role_module rm join user_role ur on ur.role_id = rm.role_id where rm.module_id = module.id and ur.user_id = ${userId})`,
    )
    .select(['id', 'parentId', 'path', 'nameEn', 'nameZh', 'icon', 'sort', 'visible'])
    .orderBy('sort')
    .orderBy('id')
    .execute();
