import { sql } from 'kysely';
import { seesWholeNetwork, visible, visibleDevice } from '#db/scope.ts';
import type { Db, User } from '#db/context.ts';

/** DCUs and direct meters in the user's area, as endpoints. */
export async function findVisibleEndpoints(db: Db, user: User): Promise<string[]> {
  const rows = await db.selectFrom('endpoint').where(visible('endpoint.transformerId', user)).select('endpoint.id').execute();
  return rows.map((row) => row.id);
}

export interface MetersElsewhere {
  /** Meters with a DCU in the area and a transformer outside. */
  foreign: string[];
  /** Meters with a transformer in the area and a DCU outside. */
  own: string[];
}

/** Serial numbers of the few meters that are in the user's area without their DCU, or vice versa. */
export async function findMetersElsewhere(db: Db, user: User): Promise<MetersElsewhere> {
  const { rows } = await sql<MetersElsewhere>`select
    array(select meter.sn from dcu join meter on meter.dcu_id = dcu.id
      where ${visible('dcu.transformerId', user)} and not ${visibleDevice(user)}) as foreign,
    array(select meter.sn from meter join dcu on dcu.id = meter.dcu_id
      where ${visible('meter.transformerId', user)} and not ${visible('dcu.transformerId', user)}) as own`.execute(db);
  return rows[0] ?? { foreign: [], own: [] };
}

/** Users of the whole network see all tasks, others only those they ordered. */
export async function canSeeTask(db: Db, user: User, taskId: string): Promise<boolean> {
  const task = await db.selectFrom('task').where('id', '=', taskId).select('createdBy').executeTakeFirst();
  return task !== undefined && (seesWholeNetwork(user) || task.createdBy === user.id);
}
