import type { RecipientFields, RecipientRow } from '@hes/contract/alarm/recipient.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#db/context.ts';
import { containing } from '#db/paging.ts';

const COUNTED = sql`select p.id, p.name, p.email, p.phone, p.locale, p.version, (select count(*)::int from alarm_rule r
  where exists (select from jsonb_array_elements(r.steps) s where s->'recipientIds' ? p.id::text)) as rules from alarm_recipient p`;

export async function findRecipientRows(db: Db, search = ''): Promise<RecipientRow[]> {
  const { rows } = await sql<RecipientRow>`${COUNTED} where p.name ilike ${containing(search)} or p.email ilike ${containing(search)}
    order by lower(p.name)`.execute(db);
  return rows;
}

/** Reads one recipient; within a transaction it is locked. */
export async function findRecipientRow(db: Db | Tx, id: string, isLocked = false): Promise<RecipientRow | undefined> {
  const { rows } = await sql<RecipientRow>`${COUNTED} where p.id = ${id} ${isLocked ? sql`for update of p` : sql``}`.execute(db);
  return rows[0];
}

export async function insertRecipient(tx: Tx, { name, email, phone, locale }: RecipientFields): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into alarm_recipient (name, email, phone, locale) values (${name}, ${email}, ${phone}, ${locale}) returning id`.execute(tx);
  return rows[0]?.id ?? '';
}

export const updateRecipient = (tx: Tx, id: string, { name, email, phone, locale }: RecipientFields) =>
  sql`update alarm_recipient set name = ${name}, email = ${email}, phone = ${phone}, locale = ${locale}, version = version + 1 where id = ${id}`.execute(
    tx,
  );

export const deleteRecipient = (tx: Tx, id: string) => sql`delete from alarm_recipient where id = ${id}`.execute(tx);

/** Names of the rules that have a step with this recipient. */
export async function findRulesOfRecipient(tx: Tx, id: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from alarm_rule r where exists (select from jsonb_array_elements(r.steps) s where s->'recipientIds' ? ${id}::text) order by name`.execute(
    tx,
  );
  return rows.map(({ name }) => name);
}
