import type { Context, User, Who } from '#db/context.ts';
import { requireContents, requireWholeNetwork } from '#features/deliveries/port.ts';
import { ApiError } from '#platform/api-error.ts';
import { acknowledgeAlarm } from './alarm-queries.ts';
import { readLink } from './link.ts';
import { findAlarmRows, findRuleName, type AlarmSearch } from './log-queries.ts';
import { auditAlarms } from './rights.ts';

export async function listAlarms(ctx: Pick<Context, 'db'>, user: User, query: AlarmSearch) {
  requireWholeNetwork(user);
  requireContents(user, ['events']);
  return findAlarmRows(ctx.db, query);
}

/** Ends the escalation of an alarm. Its events stay to be acknowledged on their page. */
async function acknowledge(ctx: Context, who: Who, id: string): Promise<string> {
  return ctx.db.transaction().execute(async (tx) => {
    const rule = await findRuleName(tx, id);
    if (rule === undefined) throw new ApiError('NOT_FOUND');
    if (!(await acknowledgeAlarm(tx, id, who.user.id, new Date(ctx.clock.now())))) throw new ApiError('NOTHING_TO_DO');
    await auditAlarms(tx, ctx, who, 'alarm_acknowledged', { entity: 'alarm', id, detail: { name: rule } });
    return rule;
  });
}

export async function acknowledgeById(ctx: Context, who: Who, id: string): Promise<void> {
  if ((await findRuleName(ctx.db, id)) === undefined) throw new ApiError('NOT_FOUND');
  requireWholeNetwork(who.user);
  await acknowledge(ctx, who, id);
}

/** Acknowledges by the link of a message, which its recipient has by that message: the area of the user does not matter. */
export async function acknowledgeByLink(ctx: Context, who: Who, link: string): Promise<{ ruleName: string }> {
  const id = readLink(ctx.secrets, link);
  if (id === undefined) throw new ApiError('NOT_FOUND');
  return { ruleName: await acknowledge(ctx, who, id) };
}
