import type { RecipientFields, RecipientRow } from '@hes/contract/alarm/recipient.ts';
import { changedFields } from '#db/audit.ts';
import type { Context, Tx, User, Who } from '#db/context.ts';
import { pageOf } from '#db/paging.ts';
import { refuseDuplicate } from '#db/unique.ts';
import { requireWholeNetwork } from '#features/deliveries/port.ts';
import { ApiError, stale } from '#platform/api-error.ts';
import {
  deleteRecipient,
  findRecipientRow,
  findRecipientRows,
  findRulesOfRecipient,
  insertRecipient,
  updateRecipient,
} from './recipient-queries.ts';
import { auditAlarms, NAME } from './rights.ts';

export async function listRecipients(ctx: Context, user: User, query: { search?: string | undefined; page: number; size: number }) {
  requireWholeNetwork(user);
  return pageOf(await findRecipientRows(ctx.db, query.search), query);
}

async function getRecipient(ctx: Pick<Context, 'db'>, id: string): Promise<RecipientRow> {
  const found = await findRecipientRow(ctx.db, id);
  if (found === undefined) throw new ApiError('NOT_FOUND');
  return found;
}

const auditOf = ({ name, email, phone, locale }: RecipientFields) => ({ name, email, phone, locale });

export async function createRecipient(ctx: Context, who: Who, fields: RecipientFields): Promise<RecipientRow> {
  requireWholeNetwork(who.user);
  const id = await ctx.db.transaction().execute(async (tx) => {
    const created = await refuseDuplicate({ field: 'name', label: NAME, value: fields.name }, insertRecipient(tx, fields));
    const detail = { after: auditOf(fields) };
    await auditAlarms(tx, ctx, who, 'alarm_recipient_created', { entity: 'alarm_recipient', id: created, detail });
    return created;
  });
  return getRecipient(ctx, id);
}

async function takeRecipient(tx: Tx, { user }: Who, id: string): Promise<RecipientRow> {
  const found = await findRecipientRow(tx, id, true);
  if (found === undefined) throw new ApiError('NOT_FOUND');
  requireWholeNetwork(user);
  return found;
}

export async function changeRecipient(
  ctx: Context,
  who: Who,
  { id, version, ...fields }: RecipientFields & { id: string; version: number },
): Promise<RecipientRow> {
  await ctx.db.transaction().execute(async (tx) => {
    const stored = await takeRecipient(tx, who, id);
    if (stored.version !== version) throw stale(stored);
    await refuseDuplicate({ field: 'name', label: NAME, value: fields.name }, updateRecipient(tx, id, fields));
    const detail = { name: stored.name, ...changedFields(auditOf(stored), auditOf(fields)) };
    await auditAlarms(tx, ctx, who, 'alarm_recipient_changed', { entity: 'alarm_recipient', id, detail });
  });
  return getRecipient(ctx, id);
}

export const removeRecipient = (ctx: Context, who: Who, id: string): Promise<void> =>
  ctx.db.transaction().execute(async (tx) => {
    const { name } = await takeRecipient(tx, who, id);
    const rules = await findRulesOfRecipient(tx, id);
    if (rules.length > 0) throw new ApiError('IN_USE', { by: rules.join(', ') });
    await deleteRecipient(tx, id);
    await auditAlarms(tx, ctx, who, 'alarm_recipient_deleted', { entity: 'alarm_recipient', id, detail: { name } });
  });
