import { sql, type RawBuilder } from 'kysely';

/**
 * SQL expression: the meter has not communicated for a day, because plans read it at least daily. One that never communicated counts from the
 * moment when it was added or installed: before a day is over, nobody can say that it was silent for one.
 */
export const isSilent = (meter: 'meter' | 'm'): RawBuilder<boolean> => {
  const of = (column: string) => sql.ref(`${meter}.${column}`);
  return sql`coalesce(${of('lastCommAt')}, greatest(${of('createdAt')}, ${of('installedAt')})) < now() - interval '1 day'`;
};
