import type { AlarmStep } from '@hes/contract/alarm/rule.ts';
import { namesRecipient } from '@hes/contract/alarm/template.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#db/context.ts';
import { containing } from '#db/paging.ts';
import type { StoredRule } from './alarm-queries.ts';

export type CountedRule = StoredRule & { open: number; lastAlarmAt: Date | null };

const COUNTED = sql`select r.*, (select count(*)::int from alarm a where a.rule_id = r.id and a.closed_at is null and a.log is not null) as open,
  (select max(a.opened_at) from alarm a where a.rule_id = r.id) as last_alarm_at from alarm_rule r`;

export async function findRules(db: Db, search = ''): Promise<CountedRule[]> {
  const { rows } = await sql<CountedRule>`${COUNTED} where r.name ilike ${containing(search)} order by lower(r.name)`.execute(db);
  return rows;
}

export async function findCountedRule(db: Db, id: string): Promise<CountedRule | undefined> {
  const { rows } = await sql<CountedRule>`${COUNTED} where r.id = ${id}`.execute(db);
  return rows[0];
}

/** Reads and locks one rule. */
export async function lockRule(tx: Tx, id: string): Promise<StoredRule | undefined> {
  const { rows } = await sql<StoredRule>`select * from alarm_rule where id = ${id} for update`.execute(tx);
  return rows[0];
}

type RuleValues = Pick<StoredRule, 'name' | 'kind' | 'criteria' | 'steps'>;

export async function insertRule(tx: Tx, { name, kind, criteria, steps }: RuleValues, now: Date): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into alarm_rule (name, kind, criteria, steps, effective_at)
    values (${name}, ${kind}, ${JSON.stringify(criteria)}::jsonb, ${JSON.stringify(steps)}::jsonb, ${now}) returning id`.execute(tx);
  return rows[0]?.id ?? '';
}

export const updateRule = (tx: Tx, id: string, { name, kind, criteria, steps }: RuleValues, now: Date) =>
  sql`update alarm_rule set name = ${name}, kind = ${kind}, criteria = ${JSON.stringify(criteria)}::jsonb, steps = ${JSON.stringify(steps)}::jsonb,
    effective_at = ${now}, version = version + 1 where id = ${id}`.execute(tx);

export const setRulePaused = (tx: Tx, id: string, isPaused: boolean, now: Date) =>
  sql`update alarm_rule set is_paused = ${isPaused}, effective_at = ${now} where id = ${id}`.execute(tx);

export const deleteRule = (tx: Tx, id: string) => sql`delete from alarm_rule where id = ${id}`.execute(tx);

/** Whether all channels, recipients and levels of a rule exist; they are locked against removal. */
export async function referencesExist(tx: Tx, steps: readonly AlarmStep[], levelIds: readonly string[]): Promise<boolean> {
  const channels = [...new Set(steps.map(({ channelId }) => channelId))];
  const recipients = [...new Set(steps.flatMap(({ recipientIds }) => recipientIds))];
  const { rows: foundChannels } = await sql`select id from alarm_channel where id = any(${channels}::bigint[]) for share`.execute(tx);
  const { rows: foundRecipients } = await sql`select id from alarm_recipient where id = any(${recipients}::bigint[]) for share`.execute(tx);
  const { rows: foundLevels } = await sql`select id from network_level where id = any(${[...levelIds]}::bigint[])`.execute(tx);
  return (
    foundChannels.length === channels.length &&
    foundRecipients.length === recipients.length &&
    foundLevels.length === new Set(levelIds).size
  );
}

/** Whether a step without recipients has a webhook whose template names them: such a step would reach no recipient. */
export async function lacksRecipients(tx: Tx, steps: readonly AlarmStep[]): Promise<boolean> {
  const channels = steps.filter(({ recipientIds }) => recipientIds.length === 0).map(({ channelId }) => channelId);
  const { rows } = await sql<{ template: string }>`
    select config->>'template' as template from alarm_channel where id = any(${channels}::bigint[]) and kind = 'webhook'`.execute(tx);
  return rows.some(({ template }) => namesRecipient(template));
}

/** Whether a rule has a step of this channel without recipients. */
export async function hasStepWithoutRecipients(tx: Tx, channelId: string): Promise<boolean> {
  const { rows } = await sql`select from alarm_rule where exists (
    select from jsonb_array_elements(steps) s where s->>'channelId' = ${channelId} and s->'recipientIds' = '[]'::jsonb) limit 1`.execute(
    tx,
  );
  return rows.length > 0;
}

/** A step with names instead of ids, for the audit log. */
export async function nameSteps(tx: Tx, steps: readonly AlarmStep[]) {
  const { rows: channels } = await sql<{ id: string; name: string }>`select id, name from alarm_channel`.execute(tx);
  const { rows: recipients } = await sql<{ id: string; name: string }>`select id, name from alarm_recipient`.execute(tx);
  const nameIn = (rows: readonly { id: string; name: string }[], id: string) => rows.find((row) => row.id === id)?.name ?? '';
  return steps.map(({ afterMinutes, channelId, recipientIds }) => ({
    afterMinutes,
    channelName: nameIn(channels, channelId),
    recipients: recipientIds.map((id) => nameIn(recipients, id)),
  }));
}
