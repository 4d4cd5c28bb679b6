import type { Pool } from 'pg';
import setup from '../../../apps/server/test/global-setup.ts';
import { openPool } from '../../../apps/server/src/db/pool.ts';
import { createLog } from '../../../apps/server/src/platform/log.ts';

const TEMPLATE = 'contract_template';
/** More than the connections of all servers of a seed. */
const MOST_CLIENTS = 100;

/**
 * `now()` of the simulated world. The search path of the replaying connections finds it before PostgreSQL's own; column
 * defaults were bound to PostgreSQL's at the creation of their table, so they are bound again.
 */
const SIMULATED_CLOCK = `
  create schema simulated;
  grant usage on schema simulated to public;
  create function simulated.now() returns timestamptz language sql stable as
    $$ select timestamptz 'epoch' + current_setting('simulated.now')::bigint * interval '1 millisecond' $$;
  do $$
    declare c record;
    begin
      for c in select table_name, column_name, column_default from information_schema.columns
               where table_schema = 'public' and column_default like '%now()%' loop
        execute format('alter table %I alter column %I set default %s',
                       c.table_name, c.column_name, replace(c.column_default, 'now()', 'simulated.now()'));
      end loop;
    end
  $$;`;
export const SEARCH_PATH = 'set search_path = simulated, public, pg_catalog';
/** The moment outside of every seed, which defaults write during the set-up. */
const SET_UP_AT = "set simulated.now = '0'";

export interface ScratchDatabase {
  /** Of the server's own role, as in the product. */
  pool: Pool;
  owner: Pool;
  drop(): Promise<void>;
}

export interface ScratchDatabases {
  clone(): Promise<ScratchDatabase>;
  stop(): Promise<void>;
}

/** A separate PostgreSQL with the product's tables and the simulated clock. */
export async function startScratchDatabases(): Promise<ScratchDatabases> {
  const urls: Record<string, string> = {};
  const stop = await setup({ provide: (name, url) => void (urls[name] = url) });
  const log = createLog('error');
  const { databaseUrl = '', databaseOwnerUrl = '' } = urls;
  const template = new URL(databaseOwnerUrl).pathname;
  const open = (url: string, name: string, max: number): Pool =>
    openPool({ connection: { url: url.replace(template, `/${name}`) }, max }, log);
  const admin = open(databaseOwnerUrl, 'postgres', 1);
  await admin.query(`drop database if exists ${TEMPLATE}`);
  await admin.query(`create database ${TEMPLATE} template ${template.slice(1)}`);
  const owner = open(databaseOwnerUrl, TEMPLATE, 1);
  await owner.query(SIMULATED_CLOCK);
  await owner.end();
  let clones = 0;
  return {
    async clone() {
      const name = `contract_${++clones}`;
      await admin.query(`drop database if exists ${name} with (force)`);
      await admin.query(`create database ${name} template ${TEMPLATE}`);
      const pools = { pool: open(databaseUrl, name, MOST_CLIENTS), owner: open(databaseOwnerUrl, name, 1) };
      await pools.owner.query(SET_UP_AT);
      return {
        ...pools,
        async drop() {
          await Promise.all([pools.pool.end(), pools.owner.end()]);
          await admin.query(`drop database ${name} with (force)`);
        },
      };
    },
    async stop() {
      await admin.query(`drop database ${TEMPLATE}`);
      await admin.end();
      await stop();
    },
  };
}
