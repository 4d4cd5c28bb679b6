import { sql, type RawBuilder } from 'kysely';

/**
 * SQL expression: the meter has not communicated for a day. Plans read it at least daily, so this is a fault. A meter that never communicated
 * counts as silent only when it was added and installed more than a day ago.
 */
export const isSilent = (meter: 'meter' | 'm'): RawBuilder<boolean> => {
  const of = (column: string) => sql.ref(`${meter}.${column}`);
  return sql`coalesce(${of('lastCommAt')}, greatest(${of('createdAt')}, ${of('installedAt')})) < now() - interval '1 day'`;
};
