import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { checkChain, writeAudit, type AuditEntry } from './audit.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

const signedOut: AuditEntry = { userId: null, action: 'sign_out', entity: 'user', entityId: null, detail: {}, ip: '192.0.2.1' };

test('the audit log shows which entry was changed, and that none was', async () => {
  const { db } = database;
  for (let entry = 0; entry < 3; entry++) await db.transaction().execute((tx) => writeAudit(tx, signedOut, Date.now()));
  const [first, second] = await db.selectFrom('auditLog').select('id').orderBy('id').execute();
  expect(await checkChain(db, undefined, 100)).toMatchObject({ checked: 3, brokenId: null, isEnd: true });
  const checkAfter = (change: Record<string, unknown>) =>
    db.transaction().execute(async (tx) => {
      // A person who may switch triggers off can rewrite an entry.
      await sql`set local session_replication_role = replica`.execute(tx);
      await tx
        .updateTable('auditLog')
        .set(change)
        .where('id', '=', second?.id ?? '')
        .execute();
      const check = await checkChain(tx, undefined, 100);
      await sql`rollback and chain`.execute(tx);
      return check;
    });
  for (const change of [{ action: 'sign_in' }, { ip: null }, { detail: '{"a":1}' }, { at: new Date(0) }, { prevHash: Buffer.alloc(32) }])
    expect(await checkAfter(change), JSON.stringify(change)).toMatchObject({ checked: 1, brokenId: second?.id, last: { id: first?.id } });
  expect(await checkChain(db, undefined, 100)).toMatchObject({ brokenId: null });
});
