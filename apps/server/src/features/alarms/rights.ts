import type { AlarmRuleKind } from '@hes/contract/states/alarm.ts';
import type { AuditAction } from '@hes/contract/audit/actions.ts';
import { writeAudit } from '#db/audit.ts';
import type { Context, Tx, User, Who } from '#db/context.ts';
import { requireContents } from '#features/deliveries/port.ts';

/** Refuses a rule whose messages have contents that the user may not see in the whole network. */
export const requireContentsOf = (user: User, kind: AlarmRuleKind): void =>
  requireContents(user, kind === 'digest' ? ['events', 'readings'] : ['events']);

/** Names of records are unique. */
export const NAME = { en: 'Name', zh: '名称' };

interface Entry {
  entity: 'alarm' | 'alarm_rule' | 'alarm_channel' | 'alarm_recipient';
  id: string;
  detail: Record<string, unknown>;
}

/** Writes the audit row of a change of alarms. */
export const auditAlarms = (tx: Tx, ctx: Pick<Context, 'clock'>, { user, ip }: Who, action: AuditAction, { entity, id, detail }: Entry) =>
  writeAudit(tx, { userId: user.id, action, entity, entityId: id, detail, ip }, ctx.clock.now());
