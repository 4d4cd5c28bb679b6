import { alarmCriteria, type AlarmRuleFields, type AlarmRuleRow } from '@hes/contract/alarm/rule.ts';
import { RULES } from '@hes/contract/core/rules.ts';
import { changedFields } from '#db/audit.ts';
import type { Context, Tx, User, Who } from '#db/context.ts';
import { isoOrNull, pageOf } from '#db/paging.ts';
import { refuseDuplicate } from '#db/unique.ts';
import { requireWholeNetwork } from '#features/deliveries/port.ts';
import { ApiError, stale } from '#platform/api-error.ts';
import type { StoredRule } from './alarm-queries.ts';
import { settleChangedRule, settlePausedRule } from './open-alarms.ts';
import { auditAlarms, NAME, requireContentsOf } from './rights.ts';
import {
  deleteRule,
  findCountedRule,
  findRules,
  insertRule,
  lacksRecipients,
  lockRule,
  nameSteps,
  referencesExist,
  setRulePaused,
  updateRule,
  type CountedRule,
} from './rule-queries.ts';

const rowOf = ({ id, name, kind, criteria, steps, isPaused, open, lastAlarmAt, createdAt, version }: CountedRule): AlarmRuleRow => ({
  ...criteria,
  id,
  name,
  kind,
  steps,
  open,
  version,
  state: isPaused ? 'paused' : 'running',
  lastAlarmAt: isoOrNull(lastAlarmAt),
  createdAt: createdAt.toISOString(),
});

const valuesOf = ({ name, kind, steps, ...fields }: AlarmRuleFields) => ({ name, kind, steps, criteria: alarmCriteria.parse(fields) });
const auditOf = async (tx: Tx, { name, kind, criteria, steps }: Pick<StoredRule, 'name' | 'kind' | 'criteria' | 'steps'>) => ({
  ...criteria,
  name,
  alarmKind: kind,
  steps: await nameSteps(tx, steps),
});

export async function listRules(ctx: Context, user: User, query: { search?: string | undefined; page: number; size: number }) {
  requireWholeNetwork(user);
  return pageOf((await findRules(ctx.db, query.search)).map(rowOf), query);
}

async function getRule(ctx: Pick<Context, 'db'>, id: string): Promise<AlarmRuleRow> {
  const found = await findCountedRule(ctx.db, id);
  if (found === undefined) throw new ApiError('NOT_FOUND');
  return rowOf(found);
}

/** Refuses references to nothing, and steps that reach no recipient. */
async function requireReferences(tx: Tx, { steps, criteria }: Pick<StoredRule, 'steps' | 'criteria'>): Promise<void> {
  if (!(await referencesExist(tx, steps, criteria.levelIds))) throw new ApiError('UNKNOWN_REFERENCE', {}, 'steps');
  if (await lacksRecipients(tx, steps)) throw new ApiError('VALIDATION', {}, [{ field: 'steps', message: RULES.namedRecipient }]);
}

export async function createRule(ctx: Context, who: Who, fields: AlarmRuleFields): Promise<AlarmRuleRow> {
  requireWholeNetwork(who.user);
  requireContentsOf(who.user, fields.kind);
  const values = valuesOf(fields);
  const id = await ctx.db.transaction().execute(async (tx) => {
    await requireReferences(tx, values);
    const write = insertRule(tx, values, new Date(ctx.clock.now()));
    const created = await refuseDuplicate({ field: 'name', label: NAME, value: values.name }, write);
    await auditAlarms(tx, ctx, who, 'alarm_rule_created', {
      entity: 'alarm_rule',
      id: created,
      detail: { after: await auditOf(tx, values) },
    });
    return created;
  });
  return getRule(ctx, id);
}

async function takeRule(tx: Tx, { user }: Who, id: string): Promise<StoredRule> {
  const found = await lockRule(tx, id);
  if (found === undefined) throw new ApiError('NOT_FOUND');
  requireWholeNetwork(user);
  return found;
}

export async function changeRule(
  ctx: Context,
  who: Who,
  { id, version, ...fields }: AlarmRuleFields & { id: string; version: number },
): Promise<AlarmRuleRow> {
  const values = valuesOf(fields);
  await ctx.db.transaction().execute(async (tx) => {
    const stored = await takeRule(tx, who, id);
    requireContentsOf(who.user, fields.kind);
    if (stored.version !== version) throw stale(await getRule({ db: tx }, id));
    await requireReferences(tx, values);
    const now = new Date(ctx.clock.now());
    await refuseDuplicate({ field: 'name', label: NAME, value: values.name }, updateRule(tx, id, values, now));
    const closedAlarms = await settleChangedRule(tx, stored, values, now);
    const changed = changedFields(await auditOf(tx, stored), await auditOf(tx, values));
    const detail = { name: stored.name, closedAlarms, ...changed };
    await auditAlarms(tx, ctx, who, 'alarm_rule_changed', { entity: 'alarm_rule', id, detail });
  });
  return getRule(ctx, id);
}

export const removeRule = (ctx: Context, who: Who, id: string): Promise<void> =>
  ctx.db.transaction().execute(async (tx) => {
    const { name } = await takeRule(tx, who, id);
    await deleteRule(tx, id);
    await auditAlarms(tx, ctx, who, 'alarm_rule_deleted', { entity: 'alarm_rule', id, detail: { name } });
  });

export const pauseRule = (ctx: Context, who: Who, id: string, isPaused: boolean): Promise<void> =>
  ctx.db.transaction().execute(async (tx) => {
    const stored = await takeRule(tx, who, id);
    if (stored.isPaused === isPaused) throw new ApiError('NOTHING_TO_DO');
    const now = new Date(ctx.clock.now());
    await setRulePaused(tx, id, isPaused, now);
    const detail = isPaused ? { name: stored.name, closedAlarms: await settlePausedRule(tx, now) } : { name: stored.name };
    const action = isPaused ? 'alarm_rule_paused' : 'alarm_rule_resumed';
    await auditAlarms(tx, ctx, who, action, { entity: 'alarm_rule', id, detail });
  });
