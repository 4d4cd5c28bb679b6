import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { findBrokenCommand, writeCommands, type CommandEntry } from './command-log.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

const command = (deviceId: string): CommandEntry => ({
  userId: null,
  kind: 'relay_disconnect',
  deviceKind: 'meter',
  deviceId,
  reason: 'Unpaid',
  workOrder: 'WO-1',
  request: { operation: 'disconnect', spreadS: 0 },
  result: null,
  taskId: '7',
});

test('the log of commands shows which row was changed, and that none was', async () => {
  const { db } = database;
  expect(await findBrokenCommand(db)).toBeUndefined();
  await db.transaction().execute((tx) => writeCommands(tx, [command('1'), command('2')], Date.now()));
  await db.transaction().execute((tx) => writeCommands(tx, [command('3')], Date.now()));
  expect(await findBrokenCommand(db)).toBeUndefined();
  const [, second] = await db.selectFrom('commandLog').select('id').orderBy('id').execute();
  const brokenAfter = (change: Record<string, unknown>) =>
    db.transaction().execute(async (tx) => {
      // A person who may switch triggers off can rewrite a row.
      await sql`set local session_replication_role = replica`.execute(tx);
      await tx
        .updateTable('commandLog')
        .set(change)
        .where('id', '=', second?.id ?? '')
        .execute();
      const broken = await findBrokenCommand(tx);
      await sql`rollback and chain`.execute(tx);
      return broken;
    });
  for (const change of [{ deviceId: '9' }, { result: 'ok' }, { reason: 'Asked for' }, { request: '{}' }, { userId: '1' }])
    expect([change, await brokenAfter(change)]).toEqual([change, second?.id]);
  expect(await findBrokenCommand(db)).toBeUndefined();
});
