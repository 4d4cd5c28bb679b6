import type { TaskKind } from '@hes/contract/orders/every-order.ts';
import { randomBytes, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { ACTIONS, type Route } from '@hes/contract/core/route.ts';
import { everyRoute } from '@hes/contract/every-route.ts';
import { SETTINGS } from '@hes/contract/setting/settings.ts';
import { sql } from 'kysely';
import { z } from 'zod';
import { read } from '@hes/contract/action/read.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { generateKeyPair } from '../src/platform/own-key-pairs.ts';
import { packFrames } from '../src/storage/frames.ts';
import { createTask } from '../src/tasks/create-task.ts';
import { sealSessions } from '../src/db/right-seals.ts';
import { sealAll, testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';
import { sampleParams } from './sample-params.ts';

const ROLES = ['ADMIN', 'OPERATOR', 'DATA_ENGINEER', 'COMM_ENGINEER', 'ASSET_CLERK', 'LOSS_ANALYST', 'FW_ENGINEER', 'AUDITOR'] as const;
type Role = (typeof ROLES)[number];

/**
 * Expected rights, independent of the seed and in another form, to reveal errors in either: a column per role in the order above; `*` all, `-` nothing, otherwise the first two letters of the actions.
 */
const POLICY = `
/assets/network                              *        vi       vi       vi       *   vi       vi       vi
/assets/supplier-management                  *        vi       vi       vi       *   vi       vi       vi
/assets/dcu-type-management                  *        vi       vi       vi       *   vi       vi       vi
/assets/meter-type-management                *        vi       vi       vi       *   vi       vi       vi
/assets/transformer                          *        vi       vi       vi       *   vi       vi       vi
/assets/dcu                                  *        vi       vi       vi,ed    *   vi       vi       vi
/assets/certificates                         *        vi       vi       vi       *   vi       vi       vi
/assets/connect-device                       *        vi       vi       vi       *   vi       vi       vi
/assets/archives-dispatch                    *        vi       vi       vi,ex!   *   vi       vi       vi
/assets/meter-asset-discovery                *        vi       vi       vi,ex!   *   vi       vi       vi
/meter/auto-meter-reading                    *        vi,ed    *        vi       vi  vi,ex    -        vi
/meter/meter-event                           *        vi,ed    *        vi       vi  vi,ex    -        vi
/meter/obis-management                       *        -        *        vi       -   -        -        vi
/meter/collect-plan                          *        -        *        vi       -   -        -        vi
/meter-management/network/network-topology   *        vi       vi       *        vi  *        -        vi
/meter-management/mdms/electric-bill         *        vi       vi       -        vi  *        -        vi
/meter-management/mdms/line-loss             *        vi       vi       -        vi  *        -        vi
/meter-management/mdms/phase-analysis        *        vi       vi       -        vi  *        -        vi
/action/clock-synchronization                *        vi,ex!   vi,ex!   vi,ex!   -   -        -        -
/action/relay-control                        vi,ex!,ap,ex vi,ex!  -        -        -   -        -        vi
/action/dcu-configuration                    *        -        -        vi,ex!   -   -        -        vi
/action/on-demand-reading                    *        vi,ex!   vi,ex!   vi,ex!   -   vi,ex!   -        -
/action/real-time-reading                    *        vi,ex!   vi,ex!   vi,ex!   -   vi,ex!   -        -
/action/event-reading                        *        vi,ex!   vi,ex!   vi,ex!   -   vi,ex!   -        -
/action/device-command                       *        -        vi,ex!   -        -   -        -        vi
/system/upgrade/firmware-upgrade             vi,ap,ex -        -        vi       -   -        !ap      vi
/system/upgrade/upgrade-detail               vi,ap,ex -        -        vi       -   -        !ap      vi
/system/system-management/role-management    *        -        -        -        -   -        -        vi
/system/system-management/user-management    *        -        -        -        -   -        -        vi
/system/system-management/module-management  *        -        -        -        -   -        -        vi
/system/system-management/nodes              *        -        -        -        -   -        -        vi
/system/system-management/deliveries         *        -        -        -        -   -        -        vi
/system/system-management/alarms             *        -        -        -        -   -        -        vi
/system/system-management/identity-providers *        -        -        -        -   -        -        vi
/system/debug/dcu-log-management             *        -        vi       *        -   -        vi       -
/system/debug/sta-model                      *        -        vi       *        -   -        vi       -
/system/debug/network-topology-switch        *        -        vi       *        -   -        vi       -`;

/** `ex` is export, `ex!` execute. */
const WORDS: Record<string, string> = { vi: 'view', ed: 'edit', ex: 'export', 'ex!': 'execute', ap: 'approve' };

function actionsOf(cell: string): string[] {
  if (cell === '*') return [...ACTIONS];
  if (cell === '-') return [];
  if (cell.startsWith('!')) return ACTIONS.filter((action) => action !== WORDS[cell.slice(1)]);
  return cell.split(',').map((word) => WORDS[word] ?? word);
}

const policy = new Map(
  POLICY.trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .map(
      ([page = '', ...cells]) => [page, new Map(ROLES.map((role, index) => [role, actionsOf(cells[index] ?? '-').toSorted()]))] as const,
    ),
);

const guarded = Object.values(everyRoute)
  .flatMap((group): Route[] => Object.values(group))
  .filter((route) => route.allow !== 'public');
const keyOf = (route: Route) => `${route.method} ${route.path}`;
const mayCall = (role: Role, { allow }: Route) =>
  typeof allow !== 'object' || policy.get(allow.page)?.get(role)?.includes(allow.action) === true;

let app: TestApp;
const ids = new Map<string, string>();
const idOf = (name: string) => ids.get(name) ?? 'nothing of this name';

/** A user with the rights of a default role, limited to one district. */
async function addLimited(role: Role, level: string): Promise<TestUser> {
  const code = `${role}_${randomUUID()}`;
  const copied = sql`from role r where r.code = ${code}`;
  await app.ctx.db.insertInto('role').values({ code, name: code }).execute();
  for (const [table, columns] of [
    ['role_module', 'module_id'],
    ['role_action', 'module_id, action'],
  ] as const)
    await sql`insert into ${sql.table(table)} (role_id, ${sql.raw(columns)}) select (select id from role where code = ${code}), ${sql.raw(columns)}
      from ${sql.table(table)} x join role o on o.id = x.role_id where o.code = ${role}`.execute(app.ctx.db);
  await sql`insert into role_scope (role_id, level_id) select r.id, ${idOf(level)}::bigint ${copied}`.execute(app.ctx.db);
  const { rows } = await sql<{ id: string }>`select r.id ${copied}`.execute(app.ctx.db);
  ids.set(`role of ${code}`, rows[0]?.id ?? '');
  return app.addUser({ roles: [code] });
}

beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  const { db } = app.ctx;
  for (const table of ['dcu', 'meter'] as const)
    for (const row of await db.selectFrom(table).select(['id', 'sn']).execute()) ids.set(row.sn, row.id);
  for (const row of await db.selectFrom('networkLevel').select(['id', 'code']).execute()) ids.set(row.code, row.id);
  for (const row of await db.selectFrom('role').select(['id', 'code']).execute()) ids.set(row.code, row.id);
  for (const table of ['supplier', 'dcuType', 'meterType', 'transformer'] as const)
    for (const row of await db.selectFrom(table).select(['id', 'code']).execute()) ids.set(row.code, row.id);
  const learning = {
    kind: 'learn' as const,
    source: 'user' as const,
    title: 'x',
    params: { typeId: idOf('ONE'), meterSn: 'MN0002' },
    priority: 3,
    createdBy: null,
    items: [{ deviceKind: 'meter' as const, dcuId: idOf('DCUN0001'), meterId: idOf('MN0002') }],
  };
  ids.set('learning run', (await db.transaction().execute((tx) => createTask(tx, learning))).id);
  for (const side of ['N', 'S']) {
    ids.set(`trace ${side}`, randomUUID());
    await db
      .insertInto('trace')
      .values({ id: idOf(`trace ${side}`), dcuId: idOf(`DCU${side}0001`), frames: packFrames([]), bytes: 0, durationMs: 0 })
      .execute();
  }
});
afterAll(() => app.close());

type Kind = 'own' | 'foreign' | 'missing' | 'malformed';

interface Thing {
  own(caller: TestUser, route: Route): string | Promise<string>;
  /** Undefined: such things lie in no area. */
  foreign?(): string | Promise<string>;
}

const insertTask = async (side: string, createdBy: string | null, kind: TaskKind = 'lpa') => {
  const items = [{ deviceKind: 'meter' as const, dcuId: idOf(`DCU${side}0001`), meterId: idOf(`M${side}0001`) }];
  const task = await app.ctx.db
    .transaction()
    .execute((tx) => createTask(tx, { kind, source: 'user', title: 'x', params: sampleParams(kind), priority: 5, createdBy, items }));
  return task.id;
};

async function insertSession(userId: string): Promise<string> {
  const id = randomUUID();
  const expiresAt = new Date(Date.now() + 3_600_000);
  await app.ctx.db
    .insertInto('userSession')
    .values({ id, userId, refreshHash: Buffer.alloc(32), expiresAt })
    .execute();
  return id;
}

/** A list that the caller uploaded; its content is irrelevant here. */
const insertImport = async (caller: TestUser, route: Route) => {
  const entity = route.path.split('/')[2] ?? '';
  const content = app.ctx.secrets.seal(gzipSync('[]'), `import/${entity}/${caller.id}`);
  const job = { userId: caller.id, entity, fileName: 'x.csv', content };
  return (await app.ctx.db.insertInto('importJob').values(job).returning('id').executeTakeFirstOrThrow()).id;
};

const insertExport = async (caller: TestUser) => {
  const job = { userId: caller.id, list: 'user', fileName: 'x.csv', state: 'ready' as const };
  return (await app.ctx.db.insertInto('exportJob').values(job).returning('id').executeTakeFirstOrThrow()).id;
};

/** A call of the caller: own ones are listed, and decided by others only. */
const insertHeldCall = async (caller: TestUser) => {
  const call = {
    route: 'POST /asset/dcu/{id}/restart',
    content: Buffer.alloc(0),
    digest: Buffer.alloc(0),
    devices: 1,
    requestedBy: caller.id,
  };
  const row = await app.ctx.db
    .insertInto('heldCall')
    .values({ ...call, expiresAt: new Date(Date.now() + 60_000) })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
};

const insertModule = async () => {
  const module = { path: `/${randomUUID()}`, nameEn: 'x', nameZh: 'x', icon: 'x', type: 'page' as const, parentId: '100' };
  return (await app.ctx.db.insertInto('module').values(module).returning('id').executeTakeFirstOrThrow()).id;
};

/** A node, and another one that could take over. */
const insertNode = async () => {
  const [node] = await app.ctx.db
    .insertInto('node')
    .values([{ name: randomUUID() }, { name: randomUUID() }])
    .returning('id')
    .execute();
  return node?.id ?? '';
};

const insertProvider = async () => {
  const ref = randomUUID();
  const config = { isEnabled: false, issuer: 'https://id.example.com', clientId: 'hes', scopes: 'openid', groupsClaim: 'groups' };
  const more = { usernameClaim: 'sub', signInAcr: '', proofAcr: '', sessionHours: 12, ca: '' };
  const content = { version: 1, config: { ...config, ...more }, mapping: [], secret: '', changedBy: '1' };
  const secret = app.ctx.secrets.seal(Buffer.from(JSON.stringify(content)), `identity-provider/${ref}`);
  const provider = { name: randomUUID(), kind: 'oidc' as const, ref, secret };
  return (await app.ctx.db.insertInto('identityProvider').values(provider).returning('id').executeTakeFirstOrThrow()).id;
};

const insertKey = async (userId: string) => {
  const octets = Buffer.from(randomUUID());
  const key = { userId, name: 'x', rpId: 'localhost', credentialId: octets, publicKey: octets, signCount: '0', createdAt: new Date() };
  const { id } = await app.ctx.db.insertInto('securityKey').values(key).returning('id').executeTakeFirstOrThrow();
  await sealAll(app.ctx);
  return id;
};

const insertAlarmChannel = async () => {
  const ref = randomUUID();
  const secret = app.ctx.secrets.seal(Buffer.from('{"url":"","secret":"","key":""}'), `alarm-channel/${ref}`);
  const config = JSON.stringify({
    host: '127.0.0.1',
    port: 25,
    security: 'starttls',
    from: 'hes@example.com',
    username: '',
    ca: '',
    locale: 'en-US',
  });
  const channel = { name: randomUUID(), kind: 'email' as const, config, ref, target: '127.0.0.1:25', secret };
  return (await app.ctx.db.insertInto('alarmChannel').values(channel).returning('id').executeTakeFirstOrThrow()).id;
};

const insertAlarmRecipient = async () => {
  const recipient = { name: randomUUID(), email: 'duty@example.com', locale: 'en-US' };
  return (await app.ctx.db.insertInto('alarmRecipient').values(recipient).returning('id').executeTakeFirstOrThrow()).id;
};

const insertAlarmRule = async () => {
  const rule = { name: randomUUID(), kind: 'alarm' as const, criteria: '{}', steps: '[]' };
  return (await app.ctx.db.insertInto('alarmRule').values(rule).returning('id').executeTakeFirstOrThrow()).id;
};

const insertAlarm = async () => {
  const alarm = { ruleId: await insertAlarmRule(), log: 'standard', code: 1, openedAt: new Date(), lastAt: new Date() };
  return (await app.ctx.db.insertInto('alarm').values(alarm).returning('id').executeTakeFirstOrThrow()).id;
};

const insertSender = async () => {
  const ref = randomUUID();
  const secret = app.ctx.secrets.seal(Buffer.from('x'), `sender/${ref}`);
  const sender = {
    name: randomUUID(),
    kind: 'webhook',
    settings: JSON.stringify({ url: 'https://127.0.0.1/' }),
    ref,
    secret,
    contents: ['events'],
  };
  return (await app.ctx.db.insertInto('sender').values(sender).returning('id').executeTakeFirstOrThrow()).id;
};

const code = () => randomUUID().slice(0, 8).toUpperCase();
const insertLevel = async () => {
  const level = { parentId: idOf('DN'), name: code(), code: code(), type: 'other' as const };
  const path = sql`${[idOf('CITY'), idOf('DN')]}::bigint[] || currval(pg_get_serial_sequence('network_level', 'id'))`;
  return (
    await app.ctx.db
      .insertInto('networkLevel')
      .values({ ...level, path: path as never }) // as: an expression where the type wants ids
      .returning('id')
      .executeTakeFirstOrThrow()
  ).id;
};
const insertTransformer = async () =>
  (
    await app.ctx.db
      .insertInto('transformer')
      .values({ name: code(), code: code(), levelId: idOf('DN') })
      .returning('id')
      .executeTakeFirstOrThrow()
  ).id;
/** A repair that has one step, and a search that is still on: of the DCU of a side. */
const insertPlan = async (side: string) => {
  const { rows } = await sql<{ id: string }>`
    with s as (insert into archive_snapshot (dcu_id, taken_at, entries, count, frames, duration_ms) values (${idOf(`DCU${side}0001`)}, now(), '{}', 0, 1, 1) returning id, dcu_id)
    insert into archive_plan (dcu_id, snapshot_id, steps, frames, seconds)
    select dcu_id, id, '[{"kind":"insert","sn":"X","measurementPoint":1,"fields":[]}]', 1, 1 from s returning id`.execute(app.ctx.db);
  // One order at a time: those of the callers before are over.
  await sql`update task_item set state = 'cancelled' where kind = 'archive_dispatch'`.execute(app.ctx.db);
  return rows[0]?.id ?? '';
};
const insertSearch = async (side: string) => {
  const dcuId = idOf(`DCU${side}0001`);
  await sql`update discovery_run set state = 'finished' where dcu_id = ${dcuId}`.execute(app.ctx.db);
  const { rows } = await sql<{ id: string }>`
    insert into discovery_run (dcu_id, task_id, mode, state, ends_at) values (${dcuId}, ${await insertTask(side, null)}, 'both', 'searching', now() + interval '1 hour')
    returning id`.execute(app.ctx.db);
  return rows[0]?.id ?? '';
};
const insertCollectPlan = async () => {
  const plan = {
    name: code(),
    type: 'daily' as const,
    schedule: '0 0 0 * * ? *',
    targetKind: 'dcu' as const,
    targetIds: [idOf('DCUN0001')],
    enabled: false,
  };
  return (await app.ctx.db.insertInto('collectPlan').values(plan).returning('id').executeTakeFirstOrThrow()).id;
};
const obisOf = () => ({
  obis: `1.0.${Math.floor(Math.random() * 255)}.${Math.floor(Math.random() * 255)}.${Math.floor(Math.random() * 255)}.7`,
});
const OBIS = { classId: 3, attribute: 2, nameEn: 'x', nameZh: 'x', category: 'energy' } as const;
const insertObis = async () =>
  (
    await app.ctx.db
      .insertInto('obisCode')
      .values({ ...OBIS, ...obisOf(), key: `K${code()}` })
      .returning('id')
      .executeTakeFirstOrThrow()
  ).id;
const insertTemplate = async () => {
  const template = { key: code(), name: code(), deviceKind: 'meter', body: JSON.stringify({ objects: {}, quirks: {} }) } as const;
  return (await app.ctx.db.insertInto('southboundProfile').values(template).returning('id').executeTakeFirstOrThrow()).id;
};
/** A relay order that awaits approval; it has no requester here. */
const insertApproval = async (side: string) => {
  const taskId = await insertTask(side, null);
  const { rows } = await sql<{ id: string }>`
    with t as (update task set state = 'waiting_approval' where id = ${taskId} returning id),
    o as (insert into relay_order (task_id, request_id, operation, requested_by, reason, work_order, needs_approval, meters, power_w)
      select id, gen_random_uuid(), 'disconnect', 0, 'x', 'x', true, 1, 1000 from t returning task_id),
    c as (insert into relay_command (task_id, meter_id, operation, requested_by, needs_approval, seal)
      select task_id, ${idOf(`M${side}0001`)}, 'disconnect', 0, true, '\\x00' from o returning task_id)
    insert into approval (task_id, requested_by, expires_at) select task_id, 0, now() + interval '1 hour' from c returning id`.execute(
    app.ctx.db,
  );
  return rows[0]?.id ?? '';
};
/** A calculated period with one line; periods are the whole utility's. */
const insertBill = async () => {
  const { rows } = await sql<{ id: string }>`
    with p as (insert into bill_period (kind, first_day, last_day, state) select 'day', d, d, 'calculated'
      from (select coalesce(max(last_day), '2020-01-01') + 1 as d from bill_period) n returning id)
    insert into bill_line (period_id, meter_id, transformer_id, ratio, status, calculated_at)
    select p.id, ${idOf('MN0001')}, ${idOf('TN')}, 1, 'missing', now() from p returning period_id as id`.execute(app.ctx.db);
  return rows[0]?.id ?? '';
};
const insertParamTemplate = async () =>
  (
    await app.ctx.db
      .insertInto('dcuParamTemplate')
      .values({ name: randomUUID(), parameters: '{}' })
      .returning('id')
      .executeTakeFirstOrThrow()
  ).id;
const insertFrame = async (side: string) => {
  const { rows } = await sql<{ id: string }>`
    insert into dcu_frame_log (dcu_id, at, direction, channel, service, octets) values (${idOf(`DCU${side}0001`)}, now(), 'down', 'D', 'getRequest', '\\x00') returning id`.execute(
    app.ctx.db,
  );
  return rows[0]?.id ?? '';
};
/** A replacement with a photo. */
const insertExchange = async (side: string) => {
  const { rows } = await sql<{ id: string }>`
    with e as (insert into meter_exchange (at, old_meter_id, transformer_id) values (now(), ${idOf(`M${side}0001`)}, ${idOf(`T${side}`)}) returning id),
      p as (insert into meter_exchange_photo (exchange_id, media_type, octets, taken_by, created_at) select id, 'image/png', '\\x89', 0, now() from e)
    select id from e`.execute(app.ctx.db);
  return rows[0]?.id ?? '';
};
/** A certificate of the first meter of a side. */
const insertCertificate = async (side: string) => {
  const { rows } = await sql<{ id: string }>`
    with m as (update meter set system_title = ${Buffer.from(`METER..${side}`)} where id = ${idOf(`M${side}0001`)} returning system_title)
    insert into certificate (kind, usages, suite, subject, system_title, public_key, octets, issuer, valid_from, valid_to, fingerprint, created_at)
    select 'device', '{digital_signature}', 1, upper(encode(m.system_title, 'hex')), m.system_title, ${randomBytes(64)}, '\\x30', 'x', now(), now(),
      ${randomBytes(32)}, now() from m returning id`.execute(app.ctx.db);
  return rows[0]?.id ?? '';
};
const insertKeyPair = async () => {
  const { publicKey, sealed } = generateKeyPair(app.ctx.secrets, 1);
  const { rows } = await sql<{ id: string }>`
    insert into certificate (kind, usages, suite, subject, system_title, public_key, private_key_secret, fingerprint, created_at)
    values ('head_end', '{digital_signature}', 1, '00', ${Buffer.alloc(8)}, ${publicKey}, ${sealed}, ${randomBytes(32)}, now()) returning id`.execute(
    app.ctx.db,
  );
  return rows[0]?.id ?? '';
};
const insertSupplier = async () =>
  (await app.ctx.db.insertInto('supplier').values({ name: code(), code: code() }).returning('id').executeTakeFirstOrThrow()).id;

/** A draft without an owner. */
const insertFirmware = async () => {
  const { rows } = await sql<{ id: string }>`
    with x as (insert into firmware_file (name, size, sha256, format) values ('x.bin', 1, 'x', 'bin') returning id)
    insert into firmware (name, version, upgrade_protocol, supplier_id, target_kind, type_ids, image_identifier, block_size, upgrade_reason, file_provider, file_id,
      created_by, touched_by)
    select ${randomUUID()}, 'x', 'dlms_image', ${idOf('ACME')}, 'meter', array[${idOf('ONE')}::bigint], 'x', 256, 'x', 'x', x.id, 0, '{0}' from x returning id`.execute(
    app.ctx.db,
  );
  return rows[0]?.id ?? '';
};
/** An upgrade that is over for the meter of a side, so that the next one may begin. */
const insertUpgrade = async (side: string, what: 'job' | 'record') => {
  const { rows } = await sql<{ job: string; record: string }>`
    with j as (insert into upgrade_job (name, reason, firmware_id, target_kind, rings, continue_by, watch_minutes, concurrency, halt_rule, created_by)
      values ('x', 'x', ${await insertFirmware()}, 'meter', 1, 'itself', 0, 1, '{"failPercent":5,"silentPercent":3,"readDropPercent":10}', 0) returning id)
    insert into upgrade_record (job_id, target_kind, device_kind, device_id, dcu_id, ring, status, new_version)
    select j.id, 'meter', 'meter', ${idOf(`M${side}0001`)}, ${idOf(`DCU${side}0001`)}, 1, 'complete', 'x' from j returning job_id as job, id as record`.execute(
    app.ctx.db,
  );
  return rows[0]?.[what] ?? '';
};

/** Value of the second parameter of a path; it belongs to the value of the first. */
const INNER: Record<string, () => string> = {
  dcuId: () => idOf('DCUN0001'),
  taskId: () => idOf('learning run'),
  meterId: () => idOf('MN0001'),
  mac: () => '0A0E',
  tokenId: () => idOf('token'),
};

/** A service account of a district, with a token. */
async function insertProgram(level: string): Promise<string> {
  const { id } = await addLimited('AUDITOR', level);
  await app.ctx.db.updateTable('appUser').set({ kind: 'program' }).where('id', '=', id).execute();
  const [createdAt, expiresAt] = [new Date(), new Date(Date.now() + 3_600_000)];
  const token = { userId: id, name: 'x', hash: Buffer.alloc(32), createdAt, expiresAt };
  ids.set('token', (await app.ctx.db.insertInto('programToken').values(token).returning('id').executeTakeFirstOrThrow()).id);
  await sealAll(app.ctx);
  return id;
}

/** A station of one side's network, with its module. */
async function insertStation(side: 'N' | 'S'): Promise<string> {
  const mac = `0A${side === 'N' ? '0E' : '05'}`;
  const dcuId = idOf(`DCU${side}0001`);
  await sql`insert into topology_node (dcu_id, mac, node_id, sn, level, role, phase, link, last_seen_at, is_online)
    values (${dcuId}, ${mac}, 2, ${`M${side}0001`}, 1, 'sta', 'a', 'plc', now(), true) on conflict do nothing`.execute(app.ctx.db);
  await sql`insert into plc_module (mac, dcu_id, role, chip_id, vendor, hw_version, sw_version, boots, uptime_s, read_at, raw)
    values (${mac}, ${dcuId}, 'sta', 'x', 'x', 'x', 'x', 1, 1, now(), '{}') on conflict do nothing`.execute(app.ctx.db);
  return mac;
}

/** An event of a side's meter. */
const insertEvent = async (side: 'N' | 'S') => {
  const { rows } = await sql<{ id: string }>`
    insert into event (device_kind, meter_id, dcu_id, log, code, occur_at, direction, raw, source, dedup_hash)
    values ('meter', ${idOf(`M${side}0001`)}, ${idOf(`DCU${side}0001`)}, 'standard', 1, now(), 'occur', '', 'pull', ${Buffer.from(randomUUID())})
    returning id`.execute(app.ctx.db);
  return rows[0]?.id ?? '';
};

const insertMute = async (side: 'N' | 'S') => {
  const { rows } = await sql<{ id: string }>`
    insert into event_mute (device_kind, device_id, log, code, until, reason, muted_by)
    values ('meter', ${idOf(`M${side}0001`)}, 'standard', ${Math.floor(Math.random() * 1e9)}, now() + interval '1 hour', 'x', 0)
    returning id`.execute(app.ctx.db);
  return rows[0]?.id ?? '';
};

/** Value of the parameter of a path, by the first matching prefix. */
const THINGS: [beginning: string, thing: Thing][] = [
  ['/asset/archive/plan/', { own: () => insertPlan('N'), foreign: () => insertPlan('S') }],
  ['/asset/discovery/', { own: () => insertSearch('N'), foreign: () => insertSearch('S') }],
  ['/asset/connecting/', { own: () => idOf('DCUN0001'), foreign: () => idOf('DCUS0001') }],
  ['/asset/dcu/', { own: () => idOf('DCUN0001'), foreign: () => idOf('DCUS0001') }],
  ['/asset/level/', { own: () => insertLevel(), foreign: () => idOf('DS') }],
  ['/asset/supplier/', { own: () => insertSupplier() }],
  ['/asset/certificate/{id}/request', { own: () => insertKeyPair() }],
  ['/asset/certificate/{id}/use', { own: () => insertKeyPair() }],
  ['/asset/certificate/', { own: () => insertCertificate('N'), foreign: () => insertCertificate('S') }],
  ['/asset/dcu-type/', { own: () => idOf('DCU1') }],
  ['/asset/meter-type/{id}/unsupported/', { own: () => idOf('ONE') }],
  ['/asset/meter-type/{id}/learnt/', { own: () => idOf('ONE') }],
  ['/asset/meter-type/', { own: () => idOf('ONE') }],
  ['/asset/transformer/', { own: () => insertTransformer(), foreign: () => idOf('TS') }],
  ['/asset/meter/', { own: () => idOf('MN0001'), foreign: () => idOf('MS0001') }],
  ['/reading/plan/', { own: () => insertCollectPlan() }],
  ['/reading/obis/code/', { own: () => insertObis() }],
  ['/reading/obis/template/', { own: () => insertTemplate() }],
  ['/reading/profile/', { own: () => 'lpa' }],
  ['/reading/', { own: () => idOf('MN0001'), foreign: () => idOf('MS0001') }],
  ['/task/', { own: (caller) => insertTask('N', caller.id), foreign: () => insertTask('S', null) }],
  [
    '/action/read/real-time/',
    { own: (caller) => insertTask('N', caller.id, 'real_time'), foreign: () => insertTask('S', null, 'real_time') },
  ],
  ['/event/mute/', { own: () => insertMute('N'), foreign: () => insertMute('S') }],
  ['/event/', { own: () => insertEvent('N'), foreign: () => insertEvent('S') }],
  ['/action/dcu-config/', { own: () => idOf('DCUN0001'), foreign: () => idOf('DCUS0001') }],
  ['/action/dcu-template/', { own: () => insertParamTemplate() }],
  ['/action/held-call/', { own: (caller) => insertHeldCall(caller) }],
  ['/action/approval/', { own: () => insertApproval('N'), foreign: () => insertApproval('S') }],
  ['/analysis/phase/', { own: () => idOf('TN'), foreign: () => idOf('TS') }],
  ['/analysis/anomaly/limit/', { own: () => idOf('MN0001'), foreign: () => idOf('MS0001') }],
  ['/analysis/bill/', { own: () => insertBill() }],
  ['/upgrade/firmware/', { own: () => insertFirmware() }],
  ['/upgrade/firmware-key/', { own: () => insertSupplier() }],
  ['/upgrade/job/', { own: () => insertUpgrade('N', 'job'), foreign: () => insertUpgrade('S', 'job') }],
  ['/upgrade/record/', { own: () => insertUpgrade('N', 'record'), foreign: () => insertUpgrade('S', 'record') }],
  ['/network/topology/', { own: () => idOf('DCUN0001'), foreign: () => idOf('DCUS0001') }],
  ['/debug/topology-setting/', { own: () => idOf('DCUN0001'), foreign: () => idOf('DCUS0001') }],
  ['/debug/topology-switch/', { own: () => idOf('DCUN0001'), foreign: () => idOf('DCUS0001') }],
  ['/debug/sta/', { own: () => insertStation('N'), foreign: () => insertStation('S') }],
  ['/debug/dcu-log/frame/', { own: () => insertFrame('N'), foreign: () => insertFrame('S') }],
  ['/asset/exchange/', { own: () => insertExchange('N'), foreign: () => insertExchange('S') }],
  ['/status/meter/', { own: () => idOf('MN0001'), foreign: () => idOf('MS0001') }],
  ['/status/dcu/', { own: () => idOf('DCUN0001'), foreign: () => idOf('DCUS0001') }],
  ['/status/transformer/', { own: () => idOf('TN'), foreign: () => idOf('TS') }],
  ['/trace/', { own: () => idOf('trace N'), foreign: () => idOf('trace S') }],
  [
    '/manager/user/',
    { own: async () => (await addLimited('AUDITOR', 'DN')).id, foreign: async () => (await addLimited('AUDITOR', 'DS')).id },
  ],
  ['/manager/program/', { own: () => insertProgram('DN'), foreign: () => insertProgram('DS') }],
  [
    '/auth/session/',
    { own: (caller) => insertSession(caller.id), foreign: async () => insertSession((await addLimited('AUDITOR', 'DS')).id) },
  ],
  [
    '/auth/security-key/',
    { own: (caller) => insertKey(caller.id), foreign: async () => insertKey((await addLimited('AUDITOR', 'DS')).id) },
  ],
  ['/manager/role/', { own: () => idOf('AUDITOR') }],
  ['/manager/module/', { own: () => insertModule() }],
  ['/manager/setting/', { own: () => 'signal' }],
  ['/manager/node/', { own: () => insertNode() }],
  ['/manager/sender/', { own: () => insertSender() }],
  ['/manager/alarm/rule/', { own: () => insertAlarmRule() }],
  ['/manager/alarm/channel/', { own: () => insertAlarmChannel() }],
  ['/manager/alarm/recipient/', { own: () => insertAlarmRecipient() }],
  ['/manager/identity-provider/', { own: () => insertProvider() }],
  ['/auth/external/', { own: () => insertProvider() }],
  ['/manager/alarm/', { own: () => insertAlarm() }],
  ['/import/', { own: insertImport }],
  ['/export/', { own: insertExport }],
  ['/manager/dictionary/', { own: () => 'signal' }],
];
const thingOf = (route: Route) => THINGS.find(([beginning]) => route.path.startsWith(beginning))?.[1];

const MISSING = { id: '999999999', trace: '00000000-0000-4000-8000-000000000000' };
/** Words of a closed list are malformed when they are missing. */
const isWordList = (route: Route) => /\{(set|key|profile)\}/.test(route.path);

/** Input that is right as far as it can be judged without the thing itself. */
function inputOf(route: Route): { query: string; body: object } {
  const version = 1;
  const bodies: Record<string, object> = {
    'PUT /manager/user/{id}': { name: 'x', roleIds: [idOf('AUDITOR')], version },
    'PUT /manager/program/{id}': { name: 'x', roleIds: [idOf('AUDITOR')], version },
    'POST /manager/program/{id}/token': { name: 'y' },
    'PUT /manager/alarm/rule/{id}': {
      name: 'x',
      kind: 'alarm',
      sources: ['device'],
      levels: ['serious'],
      steps: [{ afterMinutes: 0, channelId: '1', recipientIds: [] }],
      version,
    },
    'PUT /manager/alarm/channel/{id}': { name: 'x', kind: 'email', host: 'mail.example.com', from: 'hes@example.com', version },
    'PUT /manager/alarm/recipient/{id}': { name: 'x', email: 'x@example.com', phone: null, locale: 'en-US', version },
    'POST /manager/alarm/channel/{id}/test': { recipientId: null },
    'PUT /manager/identity-provider/{id}': { name: 'x', kind: 'oidc', issuer: 'https://id.example.com', clientId: 'hes', version },
    'POST /manager/identity-provider/{id}/preview': { claims: {} },
    'PUT /manager/sender/{id}': { name: 'x', settings: { url: 'https://127.0.0.1/' }, contents: ['events'], version },
    'POST /manager/sender/{id}/replay': { since: new Date().toISOString() },
    'PUT /manager/user/{id}/lock': { lock: true, lockReason: 'x' },
    'PUT /manager/user/{id}/reset-password': { newPassword: 'Quiet-Lantern-8' },
    'PUT /manager/user/{id}/reset-second-factor': { reason: 'x' },
    'PUT /manager/user/{id}/password': { oldPassword: 'x', newPassword: 'Quiet-Lantern-8' },
    'POST /manager/user/{id}/seal': { reason: 'x' },
    'POST /manager/role/{id}/seal': { reason: 'x' },
    'PUT /manager/role/{id}': { name: 'x', version },
    'PUT /manager/role/{id}/permission': { moduleIds: [], actions: [], area: { kind: 'none' }, version },
    'PUT /manager/module/{id}': { nameEn: 'x', nameZh: 'x', path: '/assets/network', icon: 'x', version },
    'PUT /manager/module/{id}/move': { parentId: '100', version },
    'PUT /asset/dcu/{id}': {
      dcuTypeId: idOf('DCU1'),
      transformerId: idOf('TN'),
      protocol: 'dlms_wrapper',
      communicateType: 'g4',
      connectionType: 'dial_in',
      authenticationType: 'hls_gmac',
      dataChannel: 'plc',
      version,
    },
    'POST /asset/dcu/{id}/restart': { reason: 'x' },
    'PUT /asset/meter/{id}': { meterTypeId: idOf('ONE'), communicationMode: 'plc', version },
    'POST /asset/meter/{id}/replace': { newMeterId: idOf('MN0002'), finalKwh: 1, initialKwh: 0, at: '2026-01-01T00:00:00Z' },
    'POST /asset/meter/{id}/install': { dcuId: idOf('DCUN0001'), initialKwh: 0, at: '2026-01-01T00:00:00Z' },
    'PUT /asset/level/{id}': { name: 'x', code: 'X', type: 'other', version },
    'PUT /asset/level/{id}/move': { parentId: idOf('DN'), version },
    'POST /asset/certificate/{id}/delete': { reason: 'x' },
    'PUT /asset/supplier/{id}': { code: 'XX', name: 'x', version },
    'PUT /asset/dcu-type/{id}': { code: 'X', name: 'x', supplierId: idOf('ACME'), profileId: '1', version },
    'POST /asset/dcu-type/{id}/conformance': { dcuId: idOf('DCUN0001') },
    'PUT /asset/meter-type/{id}': { code: 'X', name: 'x', supplierId: idOf('ACME'), profileId: '1', version },
    'POST /asset/meter-type/{id}/learn': { meterId: idOf('MN0002') },
    'POST /asset/meter-type/{id}/learnt/{taskId}': { name: 'x', version },
    'POST /asset/meter-type/{id}/unsupported/forget': { objects: [{ classId: 3, obis: '1.0.14.7.0.255', attribute: 2 }] },
    'PUT /asset/transformer/{id}': { name: 'x', levelId: idOf('DN'), version },
    'PUT /asset/transformer/{id}/dcu': { dcuIds: [idOf('DCUN0001')] },
    'PUT /asset/transformer/{id}/master': { meterId: null },
    'PUT /reading/plan/{id}': {
      name: code(),
      type: 'daily',
      schedule: '0 0 0 * * ? *',
      targetKind: 'dcu',
      targetIds: [idOf('DCUN0001')],
      version,
    },
    'PUT /event/{id}/note': { note: 'x', version },
    'PUT /reading/plan/{id}/enabled': { enabled: true },
    'PUT /reading/obis/code/{id}': { ...OBIS, ...obisOf(), key: `K${code()}`, version },
    'POST /reading/obis/code/{id}/test': { meterId: idOf('MN0001') },
    'PUT /reading/obis/template/{id}': { name: code(), keys: ['U1'], version },
    'POST /action/dcu-config/{id}/restart': { reason: 'x' },
    'POST /action/dcu-config/{id}/factory': { sn: 'x', reason: 'x' },
    'PUT /action/approval/{id}': { decision: 'reject' },
    'PUT /action/held-call/{id}': { decision: 'reject' },
    'PUT /analysis/anomaly/limit/{id}': { upperKwh: 50, lowerKwh: null, version },
    'POST /analysis/bill/{id}/publish': { version },
    'PUT /upgrade/firmware/{id}': {
      name: 'x',
      version: 'y',
      supplierId: idOf('ACME'),
      targetKind: 'meter',
      typeIds: [idOf('ONE')],
      imageIdentifier: 'x',
      upgradeReason: 'x',
      fileProvider: 'x',
      revision: 1,
    },
    'PUT /upgrade/firmware/{id}/approve': { revision: 1 },
    'PUT /upgrade/firmware/{id}/retire': { revision: 1 },
    'PUT /upgrade/firmware-key/{id}': { publicKey: '' },
    'PUT /debug/topology-setting/{dcuId}': { capture: true, pollMin: 60, depthDays: 7, updatedAt: null },
    'PUT /debug/dcu-log/frame/{id}/note': { note: 'x', before: null },
    'POST /auth/security-key/{id}/remove': { password: 'x' },
    'POST /debug/sta/{mac}/ping': { dcuId: idOf('DCUN0001') },
    'POST /debug/sta/{mac}/restart': { dcuId: idOf('DCUN0001'), reason: 'x' },
    'PUT /debug/sta/{mac}/replaced': { dcuId: idOf('DCUN0001'), reason: 'x' },
    'PUT /manager/setting/{key}': { value: {}, version: 99 },
  };
  const isRange = /^\/(?:reading|analysis)\//.test(route.path);
  const queries: Record<string, string> = {
    'GET /network/topology/{dcuId}/diff': '?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z',
    'GET /reading/{meterId}/corrections': '?from=2026-01-01&to=2026-01-02&profile=lpa',
    'GET /debug/sta/{mac}': `?dcuId=${idOf('DCUN0001')}`,
    'GET /debug/sta/{mac}/ping': `?taskId=1&dcuId=${idOf('DCUN0001')}`,
  };
  return { query: queries[keyOf(route)] ?? (isRange ? '?from=2026-01-01&to=2026-01-02' : ''), body: bodies[keyOf(route)] ?? {} };
}

async function call(user: TestUser, route: Route, word: string): Promise<{ status: number; code: string | undefined }> {
  const { url, body } = requestOf(route, word);
  // What uploads are judged by before their place is looked for: the beginning of a PNG.
  const file = { payload: Buffer.from('89504e470d0a1a0a', 'hex'), headers: { 'content-type': 'application/octet-stream' } };
  const content = route.bodyType === 'file' ? file : { payload: body };
  const answer = await app.call(user, { method: route.method, url, ...(route.body === undefined ? {} : content) });
  const isProblem = answer.statusCode >= 400;
  return { status: answer.statusCode, code: isProblem ? answer.json().code : undefined };
}

/** The address of a route for one thing, and a body that is right as far as it can be judged without the thing. */
function requestOf(route: Route, word: string): { url: string; body: object } {
  const { query, body } = inputOf(route);
  let isFirst = true;
  const filled = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const inner = isFirst ? undefined : INNER[name]?.();
    isFirst = false;
    return encodeURIComponent(inner ?? word);
  });
  return { url: `/api${filled}${query}`, body };
}

async function wordOf(kind: Kind, route: Route, caller: TestUser): Promise<string | undefined> {
  const thing = thingOf(route);
  if (!route.path.includes('{')) return kind === 'own' ? '' : undefined;
  if (thing === undefined) throw new Error(`${route.path} stands for nothing in this test: say what`);
  if (kind === 'malformed') return 'x;drop';
  if (kind === 'missing')
    return isWordList(route) ? undefined : /^\/(?:trace|auth\/session)\//.test(route.path) ? MISSING.trace : MISSING.id;
  return kind === 'own' ? thing.own(caller, route) : thing.foreign?.();
}

/** Sends out what the caller once ordered, so it takes the right to order it; holding it back does not. */
const SENDS_AGAIN = new Set(['/task/{id}/rerun', '/task/{id}/resume', '/task/{id}/retry']);

/** Expected status of a call; undefined means any status except a refusal for missing rights. */
function expected(role: Role, kind: Kind, route: Route): string[] {
  const isAllowed = mayCall(role, route);
  if (!isAllowed) return ['403 FORBIDDEN'];
  if (kind === 'malformed') return ['400 VALIDATION'];
  // This route changes the own password only.
  if (route.path === '/manager/user/{id}/password') return ['403 FORBIDDEN'];
  // No identity provider vouches for the users of this test.
  if (route.path === '/auth/external/proof') return ['404 NOT_FOUND'];
  // The key by which the route of keys was tried may be there.
  if (route.path === '/auth/proof/key') return ['404 NOT_FOUND', '200 undefined'];
  if (kind === 'own' && SENDS_AGAIN.has(route.path) && !mayCall(role, read.onDemand)) return ['403 FORBIDDEN'];
  return kind === 'own' ? [] : ['404 NOT_FOUND', '404 DCU_NOT_FOUND', '404 METER_NOT_FOUND'];
}

const REFUSALS = [
  'TOKEN_INVALID',
  'FORBIDDEN',
  'NOT_FOUND',
  'DCU_NOT_FOUND',
  'METER_NOT_FOUND',
  'PASSWORD_CHANGE_REQUIRED',
  'SECOND_FACTOR_REQUIRED',
  'INTERNAL',
];

/** A refusal must not depend on whether the object exists, so it is tried with an own object and with a missing one. */
const REFUSED_KINDS = ['own', 'missing'] as const;
const ALLOWED_KINDS = ['own', 'foreign', 'missing', 'malformed'] as const;

async function judge(role: Role, caller: TestUser): Promise<{ wrong: string[]; cells: number }> {
  const wrong: string[] = [];
  let cells = 0;
  for (const route of guarded) {
    for (const kind of mayCall(role, route) ? ALLOWED_KINDS : REFUSED_KINDS) {
      const word = await wordOf(kind, route, caller);
      if (word === undefined) continue;
      cells += 1;
      const { status, code } = await call(caller, route, word);
      const wanted = expected(role, kind, route);
      const isRight = wanted.length > 0 ? wanted.includes(`${status} ${code}`) : status < 500 && !REFUSALS.includes(code ?? '');
      if (!isRight) wrong.push(`${keyOf(route)} of ${role} with ${kind}: ${status} ${code}, not ${wanted.join(' or ') || 'an answer'}`);
    }
  }
  return { wrong, cells };
}

test.each(ROLES)('%s comes with exactly the rights that are written down', async (role) => {
  const { rows } = await sql<{ path: string; actions: string[] | null }>`
    select m.path, (select array_agg(ra.action order by ra.action) from role_action ra join role r on r.id = ra.role_id
      where r.code = ${role} and ra.module_id = m.id) as actions from module m where m.type = 'page' order by m.id`.execute(app.ctx.db);
  expect(Object.fromEntries(rows.map((row) => [row.path, row.actions ?? []]))).toEqual(
    Object.fromEntries([...policy].map(([page, roles]) => [page, roles.get(role)])),
  );
});

describe('every route, for every kind of thing it may be asked about', () => {
  test.each(ROLES)(
    'answers %s by its rights, and objects outside the area like missing ones',
    async (role) => {
      const { wrong, cells } = await judge(role, await addLimited(role, 'DN'));
      expect(wrong).toEqual([]);
      expect(cells).toBeGreaterThan(guarded.length);
    },
    120_000,
  );

  test('refuses a session that ran out, that was revoked, and one of a user who is locked or deleted', async () => {
    const { db, clock } = app.ctx;
    const past = new Date(clock.now() - 1000);
    const [late, revoked, locked, deleted] = [
      await app.addUser({ roles: ['ADMIN'] }),
      await app.addUser({ roles: ['ADMIN'] }),
      await app.addUser({ roles: ['ADMIN'] }),
      await app.addUser({ roles: ['ADMIN'] }),
    ];
    await db.updateTable('userSession').set({ expiresAt: past }).where('id', '=', late.sessionId).execute();
    await db.updateTable('userSession').set({ revokedAt: past }).where('id', '=', revoked.sessionId).execute();
    await db.updateTable('appUser').set({ lock: true }).where('id', '=', locked.id).execute();
    await db.updateTable('appUser').set({ deletedAt: past }).where('id', '=', deleted.id).execute();
    // Sealed like the product seals them: otherwise the broken seal alone would refuse them.
    await sealAll(app.ctx);
    await sealSessions(db);
    // Every route meets one of them, and every one of them meets routes of all kinds: the guard of all routes is one.
    const refused = [late, revoked, locked, deleted];
    for (const [index, route] of guarded.entries()) {
      const user = refused[index % refused.length] ?? late;
      expect([keyOf(route), await call(user, route, '1')]).toEqual([keyOf(route), { status: 401, code: 'TOKEN_INVALID' }]);
    }
  }, 120_000);
});

/** Outdated versions by the name of their field; the version of a firmware is a field of its own. */
const OUTDATED = { revision: 77, updatedAt: '2020-01-01T00:00:00.000Z', before: 'Another note', version: 77 };
const outdatedIn = ({ body }: Route): keyof typeof OUTDATED | undefined => {
  const fields = body instanceof z.ZodObject && !('fileId' in body.shape) ? body.shape : {};
  return (Object.keys(OUTDATED) as (keyof typeof OUTDATED)[]).find((name) => name in fields); // as: its own keys
};
/** Bodies of routes whose other tests need none. */
const EVENT_CODE = { log: 'standard', code: 1, nameEn: 'x', nameZh: 'x', abnormalLevel: null, direction: 'occur', pairCode: null };
const BODIES: Record<string, () => object> = {
  'PUT /manager/setting/{key}': () => ({ value: SETTINGS.signal.value }),
  'PUT /event/code': () => ({ ...EVENT_CODE, enabled: true }),
  'PUT /analysis/anomaly': () => ({ meterId: idOf('MN0001'), day: '2026-01-01', state: 'confirmed' }),
};

describe('every route that saves over a version', () => {
  let admin: TestUser;
  beforeAll(async () => {
    admin = await app.addUser({ roles: ['ADMIN', 'FW_ENGINEER'] });
    const values = sql`values (${idOf('MN0001')}, '2026-01-01', 'upper_limit', 2, 1)`;
    await sql`insert into anomaly (meter_id, day, type, value_kwh, reference_kwh) ${values}`.execute(app.ctx.db);
  });
  const routes = guarded.filter(outdatedIn);

  test('declares that it refuses an outdated one', () => {
    expect(routes).toEqual(guarded.filter(({ errors }) => errors?.includes('STALE')));
  });

  test.each(routes)('$method $path refuses an outdated one and returns the stored record', async (route) => {
    const name = outdatedIn(route) ?? 'version';
    const { url, body } = requestOf(route, (await wordOf('own', route, admin)) ?? '');
    const payload = { ...body, ...BODIES[keyOf(route)]?.(), [name]: OUTDATED[name] };
    const answer = await app.call(admin, { method: route.method, url, payload });
    expect(answer.json()).toMatchObject({ status: 409, code: 'STALE' });
    const stored = answer.json().current[name === 'before' ? 'note' : name];
    expect([stored === undefined, stored === OUTDATED[name]]).toEqual([false, false]);
  });
});
