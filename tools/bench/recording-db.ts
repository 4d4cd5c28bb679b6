import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely';
import type { Pool } from 'pg';
import { registerKeys, handleKeys } from '../../apps/server/src/db/handle-keys.ts';
import type { Db } from '../../apps/server/src/db/context.ts';
import { benchKey } from './bench-users.ts';

export interface Statement {
  text: string;
  values: unknown[];
}

/** The product's query builder over a pool, which records the statements that it sends. */
export function recordingDb(pool: Pool) {
  let heard: Statement[] = [];
  const plugin = new CamelCasePlugin({ maintainNestedObjectKeys: true });
  registerKeys(plugin, handleKeys(benchKey()));
  const db: Db = new Kysely({
    dialect: new PostgresDialect({ pool }),
    plugins: [plugin],
    log: ({ query }) => void heard.push({ text: query.sql, values: [...query.parameters] }),
  });
  return {
    db,
    /** Runs the work and returns its statements. */
    async of(work: (db: Db) => Promise<unknown>): Promise<Statement[]> {
      heard = [];
      await work(db);
      return heard;
    },
  };
}
