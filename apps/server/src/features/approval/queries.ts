import type { ApprovalRow } from '@hes/contract/action/approval.ts';
import type { ApprovalState, RelayOperation } from '@hes/contract/action/relay-rules.ts';
import { sql } from 'kysely';
import { countUpTo, iso, isoOrNull, type PageQuery } from '#db/paging.ts';
import { seesWholeNetwork, visible } from '#db/scope.ts';
import type { Db, Tx, User } from '#db/context.ts';
import { TASK_CHANNEL } from '#tasks/store.ts';

/** A pending request expires at its time or when its task ends. */
const state = sql<ApprovalState>`case when a.state <> 'pending' then a.state when task.state = 'waiting_approval' and a.expires_at > now() then 'pending'
  when task.state = 'cancelled' then 'cancelled' else 'expired' end`;

/** A user of a part of the network sees an order only if all of its meters lie in that part. */
const allWithin = (user: User) =>
  seesWholeNetwork(user)
    ? sql<boolean>`true`
    : sql<boolean>`not exists (select from relay_command c join meter on meter.id = c.meter_id
        where c.task_id = a.task_id and not ${visible('meter.transformerId', user)})`;

const approvals = (db: Db, user: User) =>
  db
    .selectFrom('approval as a')
    .innerJoin('relayOrder as o', 'o.taskId', 'a.taskId')
    .innerJoin('task', 'task.id', 'a.taskId')
    .leftJoin('appUser as asked', 'asked.id', 'a.requestedBy')
    .leftJoin('appUser as decider', 'decider.id', 'a.approverId')
    .where(allWithin(user));

const withColumns = (rows: ReturnType<typeof approvals>) =>
  rows.select([
    'a.id',
    'a.taskId',
    sql<RelayOperation>`o.operation`.as('operation'),
    'o.meters',
    'o.powerW',
    sql<number>`(select count(*)::int from relay_command c join meter m on m.id = c.meter_id where c.task_id = a.task_id and m.protected_supply)`.as(
      'protected',
    ),
    sql<
      string[]
    >`array(select m.sn from relay_command c join meter m on m.id = c.meter_id where c.task_id = a.task_id order by m.sn limit 12)`.as(
      'examples',
    ),
    'o.reason',
    'o.workOrder',
    'a.requestedBy',
    'asked.name as requestedByName',
    'a.createdAt',
    'a.expiresAt',
    state.as('state'),
    'decider.name as decidedByName',
    'a.decidedAt',
    'a.comment',
  ]);

type Selected = Awaited<ReturnType<ReturnType<typeof withColumns>['execute']>>[number];

const toRow = ({ powerW, ...row }: Selected): ApprovalRow => ({
  ...row,
  kw: Number(powerW) / 1000,
  createdAt: iso(row.createdAt),
  expiresAt: iso(row.expiresAt),
  decidedAt: isoOrNull(row.decidedAt),
});

export async function listApprovals(db: Db, user: User, query: PageQuery & { state?: readonly ApprovalState[] | undefined }) {
  let rows = approvals(db, user);
  if (query.state !== undefined) rows = rows.where(sql<boolean>`${state} = any(${[...query.state]}::text[])`);
  const [items, counted] = await Promise.all([
    withColumns(rows)
      .orderBy('a.id', 'desc')
      .limit(query.size)
      .offset((query.page - 1) * query.size)
      .execute(),
    countUpTo(db, rows.select('a.id')),
  ]);
  return { items: items.map(toRow), ...counted, page: query.page, size: query.size };
}

export async function findApproval(db: Db, user: User, id: string): Promise<ApprovalRow | undefined> {
  const row = await withColumns(approvals(db, user)).where('a.id', '=', id).executeTakeFirst();
  return row && toRow(row);
}

interface Decided {
  state: 'approved' | 'rejected';
  approverId: string;
  comment: string | null;
  decidedAt: Date;
  seal: Buffer;
}

/** Stores the decision if the request is still pending. Returns whether it was. */
export async function decideApproval(tx: Tx, id: string, decided: Decided): Promise<boolean> {
  const row = await tx
    .updateTable('approval')
    .set(decided)
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .where(
      sql<boolean>`expires_at > now() and exists (select from task where task.id = approval.task_id and task.state = 'waiting_approval')`,
    )
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Puts an approved task into the queue; its items expire at `expiresAt`. */
export async function queueApprovedTask(tx: Tx, taskId: string, expiresAt: Date): Promise<void> {
  await tx.updateTable('task').set({ state: 'waiting', expiresAt }).where('id', '=', taskId).execute();
}

/** Makes the items of an approved task claimable from now on. */
export async function releaseItems(tx: Tx, taskId: string): Promise<void> {
  await sql`update task_item set not_before = now() where task_id = ${taskId}`.execute(tx);
}

export async function wakeTasks(tx: Tx): Promise<void> {
  await sql`select pg_notify(${TASK_CHANNEL}, '')`.execute(tx);
}
