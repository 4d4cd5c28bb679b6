import { MOST_ESTIMATED } from '@hes/contract/states/bill.ts';
import { sql, type RawBuilder } from 'kysely';

interface Balance {
  supply: RawBuilder<unknown>;
  sold: RawBuilder<unknown>;
  missing: RawBuilder<unknown>;
  /** Whether the estimate for meters without data took all that was left of the supply. */
  isFilled: RawBuilder<boolean>;
}

/** Rounding of stored energy, times ten. */
const ROUNDING_KWH = 0.001;
const isFilled = sql<boolean>`(missing_kwh > 0 and abs(supply_kwh - sold_kwh - missing_kwh) < ${ROUNDING_KWH})`;

/** One row of `energy_balance`. */
export const DAY: Balance = { supply: sql.ref('supply_kwh'), sold: sql.ref('sold_kwh'), missing: sql.ref('missing_kwh'), isFilled };

/** The rows of several transformers with a known supply: of one of them the loss may be unknown. */
export const ALL: Balance = {
  supply: sql`sum(supply_kwh)`,
  sold: sql`sum(sold_kwh) filter (where supply_kwh is not null)`,
  missing: sql`sum(missing_kwh) filter (where supply_kwh is not null)`,
  isFilled: sql`false`,
};

/** The rows of one transformer with a known supply. */
export const DAYS: Balance = { ...ALL, isFilled: sql`bool_or(${isFilled})` };

/**
 * Loss in kWh. Null: the supply is unknown, or an estimate for meters without data would decide the loss. That is so if much of the supply is
 * estimated, and if an estimate without history was cut to what was left of the supply, so that nothing seems lost.
 */
export const lossKwhOf = ({ supply, sold, missing, isFilled }: Balance) =>
  sql<
    number | null
  >`(case when ${missing} <= ${MOST_ESTIMATED} * ${supply} and not ${isFilled} then ${supply} - ${sold} - ${missing} end)::float8`;

/** The same in percent of the supply. */
export const lossPercentOf = (balance: Balance) => sql<number | null>`(100 * ${lossKwhOf(balance)} / nullif(${balance.supply}, 0))::float8`;
