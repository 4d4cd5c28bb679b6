import { inEveryLanguage } from '@hes/contract/core/text.ts';
import type { AuditNames, AuditRef, KeptName } from '@hes/contract/audit/names.ts';
import { idsIn, type AuditTold } from '@hes/contract/audit/render.ts';
import { roleName } from '@hes/contract/text/roles.ts';
import { numberedTaskName } from '@hes/contract/task/words.ts';
import { sql, type RawBuilder } from 'kysely';
import type { Tx } from './context.ts';

/** Maximum number of ids that one entry resolves to names per kind; the others remain ids. */
const MOST_NAMED = 200;
const NUMBER = /^\d{1,19}$/;

interface Named {
  id: string;
  name: string;
  zh?: string;
}

const inNumbers = (ids: readonly string[]): RawBuilder<unknown> => sql`any(${ids.filter((id) => NUMBER.test(id))}::bigint[])`;
const inWords = (ids: readonly string[]): RawBuilder<unknown> => sql`any(${[...ids]}::text[])`;

type Find = (tx: Tx, ids: readonly string[]) => Promise<[id: string, name: KeptName][]>;

/** Finds names by one statement that returns `id`, `name` and, for bilingual names, `zh`. */
const by =
  (statement: (ids: readonly string[]) => RawBuilder<Named>): Find =>
  async (tx, ids) =>
    (await statement(ids).execute(tx)).rows.map(({ id, name, zh }) => [
      id,
      zh === undefined || zh === name ? name : inEveryLanguage({ en: name, zh }),
    ]);

const FIND: Record<AuditRef, Find> = {
  user: by((ids) => sql`select id::text as id, name || ' (' || username || ')' as name from app_user where id = ${inNumbers(ids)}`),
  role: async (tx, ids) => {
    const found = await sql<{
      id: string;
      code: string;
      name: string;
    }>`select id::text as id, code, name from role where id = ${inNumbers(ids)}`.execute(tx);
    return found.rows.map(({ id, ...role }) => [id, inEveryLanguage(roleName(role))]);
  },
  module: by((ids) => sql`select id::text as id, name_en as name, name_zh as zh from module where id = ${inNumbers(ids)}`),
  page: by((ids) => sql`select path as id, name_en as name, name_zh as zh from module where path = ${inWords(ids)}`),
  network_level: by((ids) => sql`select id::text as id, name from network_level where id = ${inNumbers(ids)}`),
  supplier: by((ids) => sql`select id::text as id, name from supplier where id = ${inNumbers(ids)}`),
  southbound_profile: by((ids) => sql`select id::text as id, name from southbound_profile where id = ${inNumbers(ids)}`),
  dcu_type: by((ids) => sql`select id::text as id, name from dcu_type where id = ${inNumbers(ids)}`),
  meter_type: by((ids) => sql`select id::text as id, name from meter_type where id = ${inNumbers(ids)}`),
  transformer: by((ids) => sql`select id::text as id, name from transformer where id = ${inNumbers(ids)}`),
  dcu: by((ids) => sql`select id::text as id, sn as name from dcu where id = ${inNumbers(ids)}`),
  meter: by((ids) => sql`select id::text as id, sn as name from meter where id = ${inNumbers(ids)}`),
  task: async (tx, ids) => {
    const found = await sql<{ id: string; kind: string; title: string; params: Record<string, unknown> }>`
      select id::text as id, kind, title, params from task where id = ${inNumbers(ids)}`.execute(tx);
    return found.rows.map(({ id, ...task }) => [id, inEveryLanguage(numberedTaskName({ id, ...task }))]);
  },
  event: by(
    (ids) => sql`select e.id::text as id, coalesce(c.name_en, e.code::text) || ', ' || coalesce(m.sn, d.sn, '') as name,
      coalesce(c.name_zh, e.code::text) || ', ' || coalesce(m.sn, d.sn, '') as zh
      from event e left join event_code c on c.log = e.log and c.code = e.code left join dcu d on d.id = e.dcu_id left join meter m on m.id = e.meter_id
      where e.id = ${inNumbers(ids)}`,
  ),
  event_code: by(
    (ids) =>
      sql`select log || ':' || code as id, name_en as name, name_zh as zh from event_code where log || ':' || code = ${inWords(ids)}`,
  ),
  collect_plan: by((ids) => sql`select id::text as id, name from collect_plan where id = ${inNumbers(ids)}`),
  obis_code: by((ids) => sql`select id::text as id, key as name from obis_code where id = ${inNumbers(ids)}`),
  dcu_param_template: by((ids) => sql`select id::text as id, name from dcu_param_template where id = ${inNumbers(ids)}`),
  certificate: by((ids) => sql`select id::text as id, subject as name from certificate where id = ${inNumbers(ids)}`),
  firmware: by((ids) => sql`select id::text as id, name || ' ' || version as name from firmware where id = ${inNumbers(ids)}`),
  upgrade_job: by((ids) => sql`select id::text as id, name from upgrade_job where id = ${inNumbers(ids)}`),
  bill_period: by(
    (ids) => sql`select id::text as id, first_day || ' – ' || last_day as name from bill_period where id = ${inNumbers(ids)}`,
  ),
};

/** Names of all entities that an entry refers to by id, as of this transaction. */
export async function findAuditNames(tx: Tx, userId: string | null, told: AuditTold): Promise<AuditNames> {
  const ids = [...(userId === null ? [] : [{ ref: 'user' as const, id: userId }]), ...idsIn(told)];
  const names: AuditNames = {};
  for (const [ref, some] of Map.groupBy(ids, (one) => one.ref)) {
    const found = await FIND[ref](tx, [...new Set(some.map(({ id }) => id))].slice(0, MOST_NAMED));
    if (found.length > 0) names[ref] = Object.fromEntries(found);
  }
  return names;
}
