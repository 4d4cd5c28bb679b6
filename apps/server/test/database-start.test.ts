import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { afterEach, expect, inject, test } from 'vitest';
import { openDatabase } from '../src/composition/database.ts';
import { handleKeys } from '../src/db/handle-keys.ts';
import { createLog } from '../src/platform/log.ts';
import { StartError } from '../src/platform/start-error.ts';
import { cloneDatabase, type TestDatabase } from './database.ts';

/** Response of PostgreSQL while it starts. */
const REFUSALS = {
  starting: ['57P03', 'the database system is starting up'],
  unknown: ['3D000', 'database "hes" does not exist'],
} as const;

function errorResponse([code, message]: readonly [string, string]): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

let database: TestDatabase;
const closers: (() => void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) close();
  await database.drop();
});

/** A database that refuses the first connections and serves those after them. No refusal: they are closed without a response. */
async function refusing(times: number, refusal: readonly [string, string] | undefined) {
  database = await cloneDatabase();
  const seen = { connections: 0 };
  const socketPath = `${new URL(inject('databaseUrl')).searchParams.get('host') ?? ''}/.s.PGSQL.5432`;
  const server = createServer((client) => {
    client.on('error', () => undefined);
    seen.connections++;
    if (seen.connections <= times) client.once('data', () => client.end(refusal === undefined ? '' : errorResponse(refusal)));
    else {
      const behind = connect(socketPath).on('error', () => client.destroy());
      client.pipe(behind).pipe(client);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close());
  const { port } = server.address() as AddressInfo; // as: it listens on TCP
  const { username, password, pathname } = new URL(database.ownerUrl);
  return { seen, url: `postgresql://${username}:${password}@127.0.0.1:${port}${pathname}` };
}

const open = (databaseUrl: string) =>
  openDatabase(
    { databaseUrl, databaseOwnerUrl: undefined, dataDir: '' },
    { log: createLog('error'), clock: Date, keys: handleKeys(Buffer.alloc(32)) },
  );

test('a start waits for a database that is still starting, as after a power failure of the machine', async () => {
  const { seen, url } = await refusing(2, REFUSALS.starting);
  const opened = await open(url);
  expect((await opened.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  expect(seen.connections).toBeGreaterThan(2);
  await opened.stop();
});

test('a start waits while a proxy in front of the database knows no primary', async () => {
  const { seen, url } = await refusing(2, undefined);
  const opened = await open(url);
  expect(seen.connections).toBeGreaterThan(2);
  await opened.stop();
});

test('what no waiting mends is said at once', async () => {
  const { seen, url } = await refusing(1, REFUSALS.unknown);
  await expect(open(url)).rejects.toThrow(StartError);
  expect(seen.connections).toBe(1);
});

test('a failure to create the tables of a month differs from a failure to change the schema', async () => {
  database = await cloneDatabase();
  await database.owner.query("create table trace_odd partition of trace for values from ('2031-05-01') to ('2031-05-02')");
  const now = { now: () => Date.UTC(2031, 4, 15) };
  const opening = openDatabase(
    { databaseUrl: database.url, databaseOwnerUrl: database.ownerUrl, dataDir: '' },
    { log: createLog('error'), clock: now, keys: handleKeys(Buffer.alloc(32)) },
  );
  await expect(opening).rejects.toThrow(/tables of the coming months.*trace_odd.*schema is up to date/);
});
