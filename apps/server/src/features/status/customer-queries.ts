import type { CustomerFacts } from '@hes/contract/status/customer-status.ts';
import { CUSTOMER_METERS_SHOWN } from '@hes/contract/status/customer-status.ts';
import { sql } from 'kysely';
import type { Db, User } from '#db/context.ts';
import { containing, iso } from '#db/paging.ts';
import { visible } from '#db/scope.ts';

const FOUND = 6;
const BILLS_SHOWN = 12;
const PERIODS_SEARCHED = 24;
const EXCHANGES_SHOWN = 20;

interface Supply {
  name: string | null;
  address: string | null;
  meterCount: number;
  ids: string[];
}

/** Meters of a customer in the user's area, in the order of their numbers; undefined: there is none. */
export async function findSupply(db: Db, user: User, no: string): Promise<Supply | undefined> {
  const { rows } = await sql<Supply>`
    select max(customer_name) as name, max(address) as address, count(*)::int as meter_count,
      (array_agg(id::text order by sn))[1:${sql.lit(CUSTOMER_METERS_SHOWN)}] as ids
    from meter where customer_no = ${no} and ${visible('meter.transformerId', user)} having count(*) > 0`.execute(db);
  return rows[0];
}

/** Customers of the user's area whose number or name contains the text. */
export async function searchCustomers(db: Db, user: User, text: string) {
  const like = containing(text);
  const { rows } = await sql<{ no: string; name: string | null; meters: number }>`
    select customer_no as no, max(customer_name) as name, count(*)::int as meters from (
      (select customer_no, customer_name from meter where customer_no ilike ${like} and ${visible('meter.transformerId', user)} limit 200)
      union all
      (select customer_no, customer_name from meter where customer_name ilike ${like} and customer_no is not null
        and customer_no not ilike ${like} and ${visible('meter.transformerId', user)} limit 200)
    ) as found group by customer_no order by customer_no limit ${FOUND}`.execute(db);
  return rows;
}

/** Lines of these meters in the last calculated periods, newest first, as far as the area of the user's right on bills contains them. */
export async function listBillsOf(db: Db, holder: User, meterIds: readonly string[]): Promise<NonNullable<CustomerFacts['bills']>> {
  const { rows } = await sql<NonNullable<CustomerFacts['bills']>[number]>`
    select period.id as period_id, period.first_day::text as first_day, period.last_day::text as last_day, meter.id as meter_id, meter.sn,
      line.used[1]::float8 as plus, line.used[2]::float8 as minus, line.amount::float8 as amount, line.currency, line.status
    from (select id, first_day, last_day from bill_period where state <> 'open' order by last_day desc, first_day limit ${PERIODS_SEARCHED}) as period
    join bill_line line on line.period_id = period.id and line.meter_id = any(${[...meterIds]}::bigint[])
    join meter on meter.id = line.meter_id join transformer on transformer.id = line.transformer_id
    where ${visible('transformer.id', holder)} order by period.last_day desc, period.first_day, meter.sn limit ${BILLS_SHOWN}`.execute(db);
  return rows;
}

/** Replacements of meters at a customer, newest first. */
export async function listExchangesOf(db: Db, user: User, no: string): Promise<CustomerFacts['exchanges']> {
  const { rows } = await sql<Omit<CustomerFacts['exchanges'][number], 'at'> & { at: Date }>`
    select e.id, e.at, e.old_meter_id, gone.sn as old_sn, e.new_meter_id, come.sn as new_sn, e.final_registers[1]::float8 as final_kwh,
      e.initial_registers[1]::float8 as initial_kwh, e.note, app_user.name as by_name,
      exists (select from meter_exchange_photo p where p.exchange_id = e.id) as has_photo
    from meter_exchange e join meter gone on gone.id = e.old_meter_id left join meter come on come.id = e.new_meter_id
    left join transformer on transformer.id = e.transformer_id left join app_user on app_user.id = e.user_id
    where e.customer_no = ${no} and ${visible('transformer.id', user)} order by e.at desc limit ${EXCHANGES_SHOWN}`.execute(db);
  return rows.map((row) => ({ ...row, at: iso(row.at) }));
}
