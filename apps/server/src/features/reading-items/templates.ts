import { randomUUID } from 'node:crypto';
import { profileBody } from '@hes/contract/asset/southbound.ts';
import type { TemplateRow } from '@hes/contract/reading/obis.ts';
import type { z } from 'zod';
import { changedFields, writeAudit } from '#db/audit.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Db, Tx, Who } from '#db/context.ts';

type Body = z.output<typeof profileBody>;
type Objects = NonNullable<Body['objects']>;

const NAME = { en: 'Template Name', zh: '模板名称' };

interface Stored {
  id: string;
  key: string;
  name: string;
  isBuiltin: boolean;
  order: string[];
  body: Body;
  meterTypes: string[];
}

/** What a template holds with what it inherits; null takes an inherited object away. */
function objectsOf(template: Stored, byKey: ReadonlyMap<string, Stored>, depth = 0): Objects {
  const parent = template.body.extends === undefined || depth > 8 ? undefined : byKey.get(template.body.extends);
  const all = { ...(parent === undefined ? {} : objectsOf(parent, byKey, depth + 1)), ...template.body.objects };
  return Object.fromEntries(Object.entries(all).filter(([, object]) => object !== null));
}

async function findStored(db: Db): Promise<Stored[]> {
  const [rows, types] = await Promise.all([
    db
      .selectFrom('southboundProfile')
      .where('deviceKind', '=', 'meter')
      .select(['id', 'key', 'name', 'isBuiltin', 'objectOrder', 'body'])
      .orderBy('id')
      .execute(),
    db.selectFrom('meterType').select(['profileId', 'name']).orderBy('name').execute(),
  ]);
  return rows.map(({ objectOrder, body, ...row }) => ({
    ...row,
    order: objectOrder,
    body: profileBody.parse(body),
    meterTypes: types.filter((type) => type.profileId === row.id).map((type) => type.name),
  }));
}

/** Keys of the dictionary, in its order. */
const findKeys = async (db: Db): Promise<string[]> =>
  (await db.selectFrom('obisCode').select('key').orderBy('sort').orderBy('id').execute()).map((row) => row.key);

/** As the template says, then as the dictionary does, then what neither orders. */
function ordered(keys: readonly string[], order: readonly string[], dictionary: readonly string[]): string[] {
  const rank = new Map([...order, ...dictionary.filter((key) => !order.includes(key))].map((key, index) => [key, index]));
  return keys.toSorted((a, b) => (rank.get(a) ?? Number.MAX_SAFE_INTEGER) - (rank.get(b) ?? Number.MAX_SAFE_INTEGER));
}

export async function listTemplates(db: Db): Promise<TemplateRow[]> {
  const [stored, dictionary] = await Promise.all([findStored(db), findKeys(db)]);
  const byKey = new Map(stored.map((template) => [template.key, template]));
  return stored.map((template) => ({
    id: template.id,
    key: template.key,
    name: template.name,
    isBuiltin: template.isBuiltin,
    keys: ordered(Object.keys(objectsOf(template, byKey)), template.order, dictionary),
    meterTypes: template.meterTypes,
    version: versionOf(template),
  }));
}

/** Templates have no counter of their own: what they say is their version. */
function versionOf({ name, order, body }: Stored): number {
  let hash = 7;
  for (const char of JSON.stringify([name, order, body])) hash = (Math.imul(hash, 31) + (char.codePointAt(0) ?? 0)) | 0;
  return Math.abs(hash);
}

const getRow = async (db: Db, id: string): Promise<TemplateRow> => {
  const row = (await listTemplates(db)).find((template) => template.id === id);
  if (row === undefined) throw new ApiError('NOT_FOUND');
  return row;
};

/** The stored templates; nobody else changes one until the transaction ends. */
async function takeAll(tx: Tx): Promise<Map<string, Stored>> {
  await tx.selectFrom('southboundProfile').where('deviceKind', '=', 'meter').select('id').forUpdate().execute();
  return new Map((await findStored(tx)).map((template) => [template.id, template]));
}

function requireName(all: Iterable<Stored>, name: string, own?: string): void {
  for (const template of all)
    if (template.id !== own && template.name.toLowerCase() === name.toLowerCase())
      throw new ApiError('DUPLICATE', { field: NAME, value: name }, 'name');
}

/** The objects of these keys: as the template has them already, else as the dictionary says. */
async function objectsFor(tx: Tx, keys: readonly string[], own: Objects): Promise<Objects> {
  const rows = await tx.selectFrom('obisCode').select(['key', 'obis', 'classId', 'attribute']).execute();
  const known = new Map(rows.map(({ key, ...object }) => [key, object]));
  return Object.fromEntries(
    keys.map((key) => {
      const object = own[key] ?? known.get(key);
      if (object === undefined) throw new ApiError('UNKNOWN_ITEM', { item: key }, 'keys');
      return [key, object];
    }),
  );
}

interface TemplateFields {
  name: string;
  keys: string[];
}

export async function createTemplate(
  ctx: Context,
  { user, ip }: Who,
  { copyOf, ...fields }: TemplateFields & { copyOf?: string | undefined },
) {
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    const all = await takeAll(tx);
    const origin = copyOf === undefined ? undefined : all.get(copyOf);
    if (copyOf !== undefined && origin === undefined) throw new ApiError('NOT_FOUND');
    requireName(all.values(), fields.name);
    const byKey = new Map([...all.values()].map((template) => [template.key, template]));
    const objects = await objectsFor(tx, fields.keys, origin === undefined ? {} : objectsOf(origin, byKey));
    const body = { objects, quirks: origin?.body.quirks ?? {} };
    const { id } = await tx
      .insertInto('southboundProfile')
      .values({
        key: `template-${randomUUID().slice(0, 8)}`,
        name: fields.name,
        deviceKind: 'meter',
        body: JSON.stringify(body),
        objectOrder: fields.keys,
        createdBy: user.id,
        createdAt: new Date(now),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await writeAudit(
      tx,
      { userId: user.id, ip, entity: 'meter_template', action: 'template_created', entityId: id, detail: { after: fields } },
      now,
    );
    return getRow(tx, id);
  });
}

export async function changeTemplate(
  ctx: Context,
  { user, ip }: Who,
  id: string,
  { version, ...fields }: TemplateFields & { version: number },
) {
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    const all = await takeAll(tx);
    const template = all.get(id);
    if (template === undefined) throw new ApiError('NOT_FOUND');
    if (template.isBuiltin) throw new ApiError('BUILT_IN_ENTRY');
    if (versionOf(template) !== version) throw new ApiError('STALE');
    requireName(all.values(), fields.name, id);
    const before = await getRow(tx, id);
    const byKey = new Map([...all.values()].map((other) => [other.key, other]));
    const objects = await objectsFor(tx, fields.keys, objectsOf(template, byKey));
    await tx
      .updateTable('southboundProfile')
      .set({ name: fields.name, body: JSON.stringify({ objects, quirks: template.body.quirks }), objectOrder: fields.keys })
      .where('id', '=', id)
      .execute();
    const detail = changedFields({ name: before.name, keys: before.keys }, fields);
    await writeAudit(tx, { userId: user.id, ip, entity: 'meter_template', action: 'template_changed', entityId: id, detail }, now);
    return getRow(tx, id);
  });
}

export async function removeTemplate(ctx: Context, { user, ip }: Who, id: string): Promise<void> {
  const now = ctx.clock.now();
  await ctx.db.transaction().execute(async (tx) => {
    const all = await takeAll(tx);
    const template = all.get(id);
    if (template === undefined) throw new ApiError('NOT_FOUND');
    if (template.isBuiltin) throw new ApiError('BUILT_IN_ENTRY');
    const heirs = [...all.values()].filter((other) => other.body.extends === template.key).map((other) => other.name);
    const users = [...template.meterTypes, ...heirs];
    if (users.length > 0) throw new ApiError('IN_USE', { by: users.join(', ') });
    await tx.deleteFrom('southboundProfile').where('id', '=', id).execute();
    await writeAudit(
      tx,
      { userId: user.id, ip, entity: 'meter_template', action: 'template_deleted', entityId: id, detail: { name: template.name } },
      now,
    );
  });
}
