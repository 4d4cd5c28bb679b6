/** Attacks with access to the database, the data folder or another user account of the machine. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { APPLICATION_ROLE } from '../../../apps/server/src/db/application-role.ts';
import { databaseKey } from '../../../apps/server/src/db/embedded/database-key.ts';
import { within, type Attacked } from '../attacked.ts';
import type { Attack, Trial } from '../check.ts';
import { inParallel } from '../client.ts';
import { postmasterOf } from '../database-login.ts';
import { relayOrder } from './rights.ts';

const RECONNECTED_WITHIN_MS = 180_000;

interface Login {
  user: string;
  password?: string;
}

/** Runs statements as a database role; returns the error, undefined if all succeeded. */
async function attemptSql(target: Attacked, login: Login, statements: readonly string[]): Promise<string | undefined> {
  const client = new Client({ host: postmasterOf(target.dataDir).socketDir, database: 'postgres', ...login });
  client.on('error', () => undefined);
  try {
    await client.connect();
    for (const statement of statements) await client.query(statement);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

const verify = async (target: Attacked) => (await (await target.as('admin'))('GET', '/manager/audit/verification')).body;

/** The owner of the database grants rights to a user and a role by SQL. */
async function forgeRights(target: Attacked, trial: Trial): Promise<void> {
  const nothing = await target.provedAs('nothing');
  const users = () => nothing('GET', '/manager/user?size=1');
  trial.control('the user has no right before', (await users()).status === 403);
  const id = target.userIds['nothing'];
  await target.rows(
    "insert into user_role (user_id, role_id, granted_at) select $1, id, '2000-01-01' from role where code = 'ADMIN' on conflict do nothing",
    [id],
  );
  const asAdmin = await users();
  trial.refuses(`a role inserted by SQL gives rights: ${asAdmin.status}`, asAdmin.status === 403 || asAdmin.status === 401);
  await target.rows("delete from user_role where user_id = $1 and role_id = (select id from role where code = 'ADMIN')", [id]);
  await target.rows(
    `insert into role_action (role_id, module_id, action, granted_at) select r.id, m.id, 'view', '2000-01-01' from role r, module m
     where r.code = 'NO_RIGHT' and m.path = '/system/system-management/user-management' on conflict do nothing`,
  );
  const byAction = await users();
  trial.refuses(`an action inserted by SQL gives rights: ${byAction.status}`, byAction.status === 403 || byAction.status === 401);
  await target.rows("delete from role_action where role_id = (select id from role where code = 'NO_RIGHT')");
}

/** A meter whose DCU is connected: earlier checks disconnect DCUs or change the address that they are dialled at. */
async function findReachable(target: Attacked): Promise<Attacked['north']['relays'][number] | undefined> {
  let found: Attacked['north']['relays'][number] | undefined;
  await within(RECONNECTED_WITHIN_MS, async () => {
    const online = new Set((await target.rows<{ sn: string }>("select sn from dcu where online_status = 'online'")).map(({ sn }) => sn));
    found = target.north.relays.slice(5).find(({ dcuSn }) => online.has(dcuSn));
    return found !== undefined;
  });
  return found;
}

/** Resets an executed command in the queue and removes its mark. */
async function replayOrder(target: Attacked, trial: Trial): Promise<void> {
  const meter = await findReachable(target);
  const dcus = await target.rows<{ said: string }>("select sn || ' ' || online_status as said from dcu order by sn");
  trial.control(`a meter with a relay is within reach (${dcus.map(({ said }) => said).join(', ')})`, meter !== undefined);
  const operator = await target.provedAs('operator');
  const state = async () => (await target.control('GET', `/relay/${meter?.sn}`)).state as string;
  const { body, status, code } = await operator('POST', '/action/relay', relayOrder(meter?.meterId));
  const taskId = String(body.taskId);
  const isDone = await within(60_000, async () => (await state()) === 'disconnected');
  const [item] = await target.rows<{ said: string }>(
    "select concat_ws(' ', state, reason_code, reason_text) as said from task_item where task_id = $1",
    [Number(body.taskId ?? 0)],
  );
  trial.control(`a disconnection is executed (${status} ${code ?? ''} ${item?.said ?? ''})`, isDone);
  await within(30_000, async () => (await operator('GET', `/task/${taskId}`)).body.state === 'finished');
  await operator('POST', '/action/relay', relayOrder(meter?.meterId, 'connect'));
  trial.control('and the supply is reconnected', await within(60_000, async () => (await state()) === 'connected'));
  await target.owner.query(`set session_replication_role = replica; delete from relay_sent where meter_id = ${Number(meter?.meterId)};
    set session_replication_role = default;
    update relay_command set state = 'waiting', reason_code = null, ended_at = null where task_id = ${Number(taskId)};
    update task_item set state = 'waiting', attempts = 0, finished_at = null, not_before = now() where task_id = ${Number(taskId)};
    update task set state = 'waiting', finished_at = null, started_at = null, done = 0, ok = 0 where id = ${Number(taskId)};
    notify hes_task, ''`);
  const again = await within(15_000, async () => (await state()) === 'disconnected');
  trial.refuses('an order put back into the queue switches nothing', !again);
}

const rewriting: Attack = {
  ids: ['F8'],
  title: 'the owner of the database repeats a command, grants rights by SQL, and changes and truncates the audit log',
  async attempt(target, trial) {
    await replayOrder(target, trial);
    await forgeRights(target, trial);
    const whole = await verify(target);
    trial.control('the audit log is complete before', whole.brokenId === null);
    const [row] = await target.rows<{ id: string; userId: string }>(
      'select id::text, user_id::text as "userId" from audit_log where user_id is not null order by id desc offset 5 limit 1',
    );
    const change = (userId: string | undefined) =>
      target.owner.query(
        `alter table audit_log disable trigger all; update audit_log set user_id = ${Number(userId)} where id = ${Number(row?.id)}; alter table audit_log enable trigger all`,
      );
    await change(target.userIds['operator'] === row?.userId ? target.userIds['approver'] : target.userIds['operator']);
    const changed = await verify(target);
    trial.refuses(`a changed row is found (row ${changed.brokenId})`, changed.brokenId === row?.id);
    await change(row?.userId);
    // Rows are anchored once a second; removing a younger one is undetectable.
    const isAnchored = async () => {
      const { anchor, lastId } = await verify(target);
      return anchor?.id === lastId;
    };
    trial.control('the newest row is anchored', await within(10_000, isAnchored));
    await target.owner.query(
      'alter table audit_log disable trigger all; delete from audit_log where id > (select max(id) - 3 from audit_log); alter table audit_log enable trigger all',
    );
    const isFound = await within(10_000, async () => ((await verify(target)).anchor?.breaks ?? []).length > 0);
    trial.refuses('rows cut from the end are found', isFound);
  },
};

const databaseRoles: Attack = {
  ids: ['F24'],
  title: "the database without a password, as another user of the machine, and with the password of the server's own role",
  isShort: true,
  async attempt(target, trial) {
    const password = databaseKey(target.dataDir).passwordOf(APPLICATION_ROLE);
    const as = (statements: string[]) => attemptSql(target, { user: APPLICATION_ROLE, password }, statements);
    trial.control('the role of the server reads rows with its password', (await as(['select 1 from app_user'])) === undefined);
    for (const user of ['hes', APPLICATION_ROLE, 'postgres', 'root'])
      for (const wrong of ['', 'postgres']) {
        const refusal = await attemptSql(target, { user, password: wrong }, ['select 1']);
        trial.refuses(`${user} with ${wrong === '' ? 'no' : 'a wrong'} password`, refusal !== undefined);
      }
    for (const statement of [
      'delete from audit_log',
      'update relay_sent set power_w = 0',
      'alter table audit_log disable trigger all',
      'set session_replication_role = replica',
      'create table mine (x int)',
      'drop table audit_log',
      "copy audit_log to program 'id'",
      'alter role hes_app superuser',
    ])
      trial.refuses(statement, (await as([statement])) !== undefined);
    const { socketDir } = postmasterOf(target.dataDir);
    trial.refuses('folder of the socket is closed to others', (statSync(socketDir).mode & 0o077) === 0);
    for (const name of ['master.key', 'database.key'])
      trial.refuses(`${name} is closed to others`, (statSync(join(target.dataDir, name)).mode & 0o077) === 0);
    if (process.getuid?.() !== 0) return;
    const probe = `require('node:net').connect('${socketDir}/.s.PGSQL.5432').on('connect',()=>process.exit(0)).on('error',()=>process.exit(7))`;
    const asNobody = spawnSync(process.execPath, ['-e', probe], { uid: 65_534, gid: 65_534, cwd: '/', env: {} });
    trial.refuses('the user nobody cannot reach the socket', asNobody.status !== 0);
  },
};

const KEY_DIGITS = 32;

/** Number of occurrences of these keys in hexadecimal in a text, alone or within more digits. */
function keysIn(text: string, keys: ReadonlySet<string>): number {
  let found = 0;
  for (const [digits] of text.matchAll(/[0-9a-fA-F]{32,}/g))
    for (let at = 0; at + KEY_DIGITS <= digits.length; at++) if (keys.has(digits.slice(at, at + KEY_DIGITS).toLowerCase())) found++;
  return found;
}

const keysAtRest: Attack = {
  ids: ['D19'],
  title: 'keys of meters and DCUs searched for in a dump of all tables and in the log',
  async attempt(target, trial) {
    const world = await target.control('GET', '/world');
    const keys = new Set<string>();
    for (const { ek, ak, masterKey } of [...world.meters, ...world.dcus])
      for (const key of [ek, ak, masterKey]) if (typeof key === 'string' && key !== '') keys.add(key.toLowerCase());
    const tables = await target.rows<{ name: string }>("select tablename as name from pg_tables where schemaname = 'public'");
    let dump = '';
    for (const { name } of tables) dump += JSON.stringify(await target.rows(`select t::text from "${name}" t limit 5000`));
    const log = target.headEnd.output();
    trial.control(
      `the dump of ${tables.length} tables holds the meters (${dump.length} characters, ${keys.size} keys)`,
      dump.includes(world.meters[0].sn) && keys.size > 100,
    );
    trial.control('a key in a text is found', keysIn(`x${[...keys][0]}x`, keys) === 1);
    const found = keysIn(dump, keys) + keysIn(log, keys);
    trial.refuses(`${found} keys stand in tables or log`, found === 0);
  },
};

const auditTrail: Attack = {
  ids: ['D5'],
  title: 'changes and refused changes without an audit row, and rows changed by the role of the server',
  isShort: true,
  async attempt(target, trial) {
    const admin = await target.provedAs('admin');
    const made = await admin('POST', '/asset/supplier', { code: 'ATTACKAUDIT', name: 'Audit' });
    const id = made.body?.id as string;
    const { version } = made.body;
    await admin('PUT', `/asset/supplier/${id}`, { code: 'ATTACKAUDIT', name: 'Audit two', version });
    await admin('DELETE', `/asset/supplier/${id}`);
    const rows = (await admin('GET', `/manager/audit?size=50&entity=supplier&entityId=${id}`)).body.items as {
      username: string;
      ip: string;
      action: string;
    }[]; // as: the route's answer
    trial.control(`three changes leave ${rows.length} rows: ${rows.map(({ action }) => action).join(', ')}`, rows.length === 3);
    trial.refuses(
      'each names a host',
      rows.every(({ ip }) => ip === '127.0.0.1'),
    );
    const before = (await admin('GET', `/manager/audit?size=50&action=call_refused&userId=${target.userIds['nothing']}`)).body.items.length;
    await inParallel(3, 1, async () => (await target.as('nothing'))('GET', '/manager/audit?size=1'));
    const after = (await admin('GET', `/manager/audit?size=50&action=call_refused&userId=${target.userIds['nothing']}`)).body.items.length;
    trial.refuses(`refused reads are recorded (${before}, then ${after})`, after > 0);
    trial.refuses('the chain is complete', (await verify(target)).brokenId === null);
    const password = databaseKey(target.dataDir).passwordOf(APPLICATION_ROLE);
    for (const statement of ['delete from audit_log', "update audit_log set detail = '{}'"])
      trial.refuses(statement, (await attemptSql(target, { user: APPLICATION_ROLE, password }, [statement])) !== undefined);
  },
};

/** The environment of a process; undefined when it has ended, as a connection of the database may at any time. */
function readEnvironment(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return undefined;
  }
}

const secretsOutside: Attack = {
  ids: ['D22'],
  title: 'passwords, tokens and keys searched for in the log, in the environment of child processes and in the files of the repository',
  isShort: true,
  async attempt(target, trial) {
    const { token, cookies } = await target.session('operator');
    const log = target.headEnd.output();
    trial.control(`the log is written (${log.length} characters)`, log.includes('Ready'));
    const secrets = [
      target.password,
      token,
      cookies.split('=').at(-1) ?? token,
      readFileSync(join(target.dataDir, 'master.key'), 'utf8').trim(),
    ];
    trial.refuses('no password, token or master key in the log', !secrets.some((secret) => secret.length > 8 && log.includes(secret)));
    const [launcher, server, ...children] = target.headEnd.family();
    trial.control(`the server has ${children.length} children`, launcher !== undefined && server !== undefined && children.length > 0);
    const environments = children.map(({ pid }) => readEnvironment(pid));
    trial.control('most children are still there', environments.filter((text) => text !== undefined).length > children.length / 2);
    trial.refuses('children do not inherit the first password', !environments.some((text) => text?.includes(target.password)));
    const files = execFileSync('git', ['ls-files'], { encoding: 'utf8', cwd: join(import.meta.dirname, '../../..') }).split('\n');
    const keyFiles = files.filter((name) => /(^|\/)(\.env|id_rsa|master\.key|database\.key)$/.test(name));
    trial.refuses(`no key file among ${files.length} files of the repository`, keyFiles.length === 0);
    trial.refuses(
      'no key is next to the product',
      readdirSync(target.dataDir).every((name) => !name.endsWith('.pem')),
    );
  },
};

export const databaseAttacks = [databaseRoles, keysAtRest, auditTrail, secretsOutside];
/** Breaks the audit log of the product under attack, so it must run last. */
export const rewritingAttacks = [rewriting];
