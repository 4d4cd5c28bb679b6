import { sql, type RawBuilder } from 'kysely';

/** Rated power of a meter in W, from its nameplate: `5(60) A` and `3x230/400 V`. */
export const ratedPowerW = ({ current, voltage, phase }: Record<'current' | 'voltage' | 'phase', RawBuilder<unknown>>) => sql`(
  coalesce(substring(${current} from '\\(([0-9.]+)\\)'), substring(${current} from '[0-9.]+'))::numeric
  * substring(${voltage} from '([0-9]+(?:\\.[0-9]+)?) *(?:/|V|v|$)')::numeric
  * case ${phase} when '1p2w' then 1 when '3p4w' then 3 else 1.7320508 end)`;
