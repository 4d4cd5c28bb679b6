import { createHash } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { headSinks, type SentHead } from '../src/composition/head-sinks.ts';
import { anchorChains } from '../src/db/anchor-chains.ts';
import { writeAudit } from '../src/db/audit.ts';
import { ChainAnchors } from '../src/db/chain-anchors.ts';
import { writeCommands } from '../src/db/command-log.ts';
import { silentLog } from '../src/platform/log.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';

let app: TestApp;
let admin: TestUser;
let folder: string;
beforeAll(async () => {
  app = await testApp();
  admin = await app.addUser({ roles: ['ADMIN'] });
  folder = mkdtempSync(join(tmpdir(), 'hes-anchors-'));
  await anchor();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await app.close();
});

const write = async (times = 1): Promise<void> => {
  for (let n = 0; n < times; n++)
    await app.ctx.db
      .transaction()
      .execute((tx) => writeAudit(tx, { userId: admin.id, action: 'sign_out', entity: 'user', entityId: admin.id }, app.ctx.clock.now()));
};
const anchor = (anchors = app.anchors) => anchorChains({ db: app.ctx.db, clock: app.ctx.clock, anchors });
const verify = async (chain = 'audit') =>
  (await app.call(admin, { method: 'GET', url: `/api/manager/audit/verification?chain=${chain}` })).json();
/** Actions of an intruder who controls the database but has no key. */
const asOwner = (statements: string) =>
  app.owner.query(`alter table audit_log disable trigger all; ${statements}; alter table audit_log enable trigger all`);
const newestId = async () => (await app.owner.query<{ id: string }>('select max(id)::text as id from audit_log')).rows[0]?.id ?? '';

describe('the audit log', () => {
  test('that is whole and anchored says so', async () => {
    await write(3);
    await anchor();
    expect(await verify()).toMatchObject({ brokenId: null, brokenBy: null, anchor: { id: await newestId(), breaks: [] } });
  });

  test('shows a row that was changed and chained again without the key', async () => {
    await write(2);
    await anchor();
    const { rows } = await app.owner.query('select * from audit_log order by id desc limit 2');
    const [last, changed] = rows;
    const before = await app.owner.query('select * from audit_log where id = any($1)', [[last.id, changed.id]]);
    // Exactly what the row says after the change: only the key is missing.
    const content = JSON.stringify([changed.at.toISOString(), null, changed.action, changed.entity, changed.entity_id, '{}', changed.ip]);
    const hash = createHash('sha256').update(changed.prev_hash).update(content).digest('hex');
    await asOwner(`update audit_log set user_id = null, detail = '{}', hash = '\\x${hash}' where id = ${changed.id}`);
    expect(await verify()).toMatchObject({ brokenId: changed.id, brokenBy: 'changed' });
    const row = before.rows.find(({ id }) => id === changed.id);
    await app.owner.query('alter table audit_log disable trigger all');
    await app.owner.query('update audit_log set user_id = $2, detail = $3, hash = $4 where id = $1', [
      row.id,
      row.user_id,
      row.detail,
      row.hash,
    ]);
    await app.owner.query('alter table audit_log enable trigger all');
    expect(await verify()).toMatchObject({ brokenId: null });
  });

  test('shows that rows before another one are missing', async () => {
    await write(3);
    const id = await newestId();
    await app.owner.query('create table cut_out as select * from audit_log where id = $1::bigint - 1', [id]);
    await asOwner(`delete from audit_log where id = ${id}::bigint - 1`);
    expect(await verify()).toMatchObject({ brokenId: id, brokenBy: 'missing' });
    await asOwner('insert into audit_log overriding system value select * from cut_out');
  });

  test('that is cut at its end is found within a look, for good, also when rows follow', async () => {
    await write(5);
    await anchor();
    const id = await newestId();
    await asOwner(`delete from audit_log where id > ${id}::bigint - 5`);
    expect(await anchor()).toMatchObject([{ chain: 'audit', broken: { kind: 'cut', anchoredId: id } }]);
    await write();
    await anchor();
    expect(await verify()).toMatchObject({ brokenId: null, anchor: { breaks: [{ kind: 'cut', anchoredId: id }] } });
  });

  test('whose newest row was replaced is found', async () => {
    await write();
    await anchor();
    const id = await newestId();
    await asOwner(`update audit_log set hash = decode(repeat('00', 32), 'hex') where id = ${id}`);
    expect(await anchor()).toMatchObject([{ chain: 'audit', broken: { kind: 'changed', anchoredId: id } }]);
  });
});

describe('the file outside the database', () => {
  const file = () => join(folder, 'chain-anchors.json');
  const open = () => new ChainAnchors(folder, app.ctx.secrets);

  test('is kept over a restart, and readable by its owner alone', async () => {
    await anchor(open());
    expect(open().of('audit')).toMatchObject({ id: await newestId() });
    expect(statSync(file()).mode & 0o077).toBe(0);
    expect(await anchor(open())).toEqual([]);
  });

  test('proves nothing when it was edited: the next look says that it was lost', async () => {
    writeFileSync(file(), readFileSync(file(), 'utf8').replace(/"id":"\d+"/, '"id":"1"'));
    expect(open().of('audit')).toBeUndefined();
    expect(await anchor(open())).toMatchObject([{ chain: 'audit', broken: { kind: 'anchor_lost' } }]);
  });
});

describe('newest rows on other machines', () => {
  test('reach a syslog server and a webhook', async () => {
    const syslog = createSocket('udp4');
    syslog.bind(0, '127.0.0.1');
    await once(syslog, 'listening');
    const posted: SentHead[] = [];
    const hook = createServer((request, answer) => {
      let body = '';
      request.on('data', (part: Buffer) => (body += part.toString()));
      request.on('end', () => {
        posted.push(JSON.parse(body) as SentHead); // as: ours
        answer.end();
        hook.emit('posted');
      });
    }).listen(0, '127.0.0.1');
    await once(hook, 'listening');
    const { port } = hook.address() as AddressInfo; // as: it listens on TCP
    const config = {
      auditSyslog: { host: '127.0.0.1', port: syslog.address().port, tls: undefined },
      auditWebhook: `http://127.0.0.1:${port}/`,
    };
    const sinks = headSinks(config, silentLog);
    const head: SentHead = { chain: 'audit', id: '42', hash: 'ab'.repeat(32), at: '2026-11-25T12:00:00.000Z' };
    const arrived = Promise.all([once(syslog, 'message'), once(hook, 'posted')]);
    for (const sink of sinks) sink.send(head);
    const [[message]] = await arrived;
    expect(String(message)).toMatch(/^<109>1 2026-11-25T12:00:00\.000Z \S+ hes \d+ audit - newest row 42 hash abab/);
    expect(posted).toEqual([head]);
    for (const sink of sinks) sink.close();
    syslog.close();
    hook.close();
  });
});

describe('the log of commands', () => {
  const asCommandOwner = (statements: string) =>
    app.owner.query(`alter table command_log disable trigger all; ${statements}; alter table command_log enable trigger all`);
  const command = (reason: string) => ({
    userId: admin.id,
    kind: 'relay_disconnect',
    deviceKind: 'meter' as const,
    deviceId: '1',
    reason,
    request: { operation: 'disconnect', workOrder: 'WO-1' },
    result: null,
    taskId: null,
  });
  const newest = async () =>
    (await app.owner.query<{ id: string; hash: Buffer }>('select * from command_log order by id desc limit 1')).rows[0];

  test('that is whole and anchored says so, and which row of it was changed or is missing', async () => {
    await app.ctx.db.transaction().execute((tx) => writeCommands(tx, ['first', 'second', 'third'].map(command), app.ctx.clock.now()));
    await anchor();
    const last = await newest();
    expect(await verify('commands')).toMatchObject({
      brokenId: null,
      lastId: last?.id,
      lastHash: last?.hash.toString('hex'),
      total: 3,
      anchor: { id: last?.id, breaks: [] },
    });
    await asCommandOwner("update command_log set reason = 'another' where reason = 'second'");
    expect(await verify('commands')).toMatchObject({ checked: 1, brokenBy: 'changed', next: null });
    await asCommandOwner("update command_log set reason = 'second' where reason = 'another'");
    expect(await verify('commands')).toMatchObject({ brokenId: null });
    await asCommandOwner("delete from command_log where reason = 'second'");
    expect(await verify('commands')).toMatchObject({ brokenId: last?.id, brokenBy: 'missing' });
  });

  test('says like the audit log that its anchor was lost', async () => {
    expect((await anchor(new ChainAnchors(undefined, app.ctx.secrets))).map(({ chain, broken }) => [chain, broken?.kind])).toEqual([
      ['audit', 'anchor_lost'],
      ['commands', 'anchor_lost'],
    ]);
  });
});
