import type { PriceList } from '@hes/contract/analysis/price.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#db/context.ts';

export type Prices = Pick<PriceList, 'currency' | 'name' | 'validFrom'> & { plus: number[]; minus: number[] };

interface StoredList {
  validFrom: string;
  name: string;
  currency: string;
  plus: number[];
  minus: number[];
}

const lists = (db: Db | Tx, until: string | null) =>
  sql<StoredList>`
  select valid_from::text as valid_from, min(name) as name, min(currency) as currency,
    array_agg(price::float8 order by tariff) filter (where direction = 'plus') as plus, array_agg(price::float8 order by tariff) filter (where direction = 'minus') as minus
  from tariff_price where ${until}::date is null or valid_from <= ${until}::date group by valid_from order by valid_from desc`.execute(db);

export const findPriceLists = async (db: Db): Promise<PriceList[]> => (await lists(db, null)).rows as PriceList[]; // as: lists are written with four prices a direction

/** Price list that applies on a day. */
export const pricesAt = async (db: Db | Tx, day: string): Promise<Prices | undefined> => (await lists(db, day)).rows[0];

export async function writePriceList(tx: Tx, { validFrom, name, currency, plus, minus }: PriceList): Promise<void> {
  await sql`
    insert into tariff_price (valid_from, direction, tariff, name, currency, price)
    select ${validFrom}, n.direction, n.tariff, ${name}, ${currency}, n.price
    from (select 'plus' as direction, k as tariff, p as price from unnest(${plus}::numeric[]) with ordinality as u (p, k)
      union all select 'minus', k, p from unnest(${minus}::numeric[]) with ordinality as u (p, k)) n
    on conflict (valid_from, direction, tariff) do update set name = excluded.name, currency = excluded.currency, price = excluded.price`.execute(
    tx,
  );
}
