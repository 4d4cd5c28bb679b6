import { randomUUID } from 'node:crypto';
import type { TemplateRow } from '@hes/contract/reading/obis.ts';
import { changedFields, writeAudit } from '#db/audit.ts';
import { ApiError, stale } from '#platform/api-error.ts';
import type { Context, Db, Tx, Who } from '#db/context.ts';
import {
  deleteTemplate,
  findKeys,
  findObjects,
  findTemplates,
  insertTemplate,
  lockTemplates,
  updateTemplate,
  type Objects,
  type StoredTemplate,
} from './template-queries.ts';

const NAME = { en: 'Template name', zh: '模板名称' };

/** The objects of a template including inherited ones; null removes an inherited object. */
function objectsOf(template: StoredTemplate, byKey: ReadonlyMap<string, StoredTemplate>, depth = 0): Objects {
  const parent = template.body.extends === undefined || depth > 8 ? undefined : byKey.get(template.body.extends);
  const all = { ...(parent === undefined ? {} : objectsOf(parent, byKey, depth + 1)), ...template.body.objects };
  return Object.fromEntries(Object.entries(all).filter(([, object]) => object !== null));
}

/** Order of the template, then of the dictionary, then the remaining keys. */
function ordered(keys: readonly string[], order: readonly string[], dictionary: readonly string[]): string[] {
  const rank = new Map([...order, ...dictionary.filter((key) => !order.includes(key))].map((key, index) => [key, index]));
  return keys.toSorted((a, b) => (rank.get(a) ?? Number.MAX_SAFE_INTEGER) - (rank.get(b) ?? Number.MAX_SAFE_INTEGER));
}

export async function listTemplates(db: Db): Promise<TemplateRow[]> {
  const [stored, dictionary] = await Promise.all([findTemplates(db), findKeys(db)]);
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

/** Templates have no version column: a hash of their content is their version. */
function versionOf({ name, order, body }: StoredTemplate): number {
  let hash = 7;
  for (const char of JSON.stringify([name, order, body])) hash = (Math.imul(hash, 31) + (char.codePointAt(0) ?? 0)) | 0;
  return Math.abs(hash);
}

const getRow = async (db: Db, id: string): Promise<TemplateRow> => {
  const row = (await listTemplates(db)).find((template) => template.id === id);
  if (row === undefined) throw new ApiError('NOT_FOUND');
  return row;
};

/** Locks all templates until the transaction ends and returns them by id. */
async function lockAndLoadTemplates(tx: Tx): Promise<Map<string, StoredTemplate>> {
  await lockTemplates(tx);
  return new Map((await findTemplates(tx)).map((template) => [template.id, template]));
}

function requireName(all: Iterable<StoredTemplate>, name: string, own?: string): void {
  for (const template of all)
    if (template.id !== own && template.name.toLowerCase() === name.toLowerCase())
      throw new ApiError('DUPLICATE', { field: NAME, value: name }, 'name');
}

/** The objects of these keys, from the template if it has them, else from the dictionary. */
async function objectsFor(tx: Tx, keys: readonly string[], own: Objects): Promise<Objects> {
  const known = await findObjects(tx);
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
    const all = await lockAndLoadTemplates(tx);
    const origin = copyOf === undefined ? undefined : all.get(copyOf);
    if (copyOf !== undefined && origin === undefined) throw new ApiError('NOT_FOUND');
    requireName(all.values(), fields.name);
    const byKey = new Map([...all.values()].map((template) => [template.key, template]));
    const objects = await objectsFor(tx, fields.keys, origin === undefined ? {} : objectsOf(origin, byKey));
    const body = { objects, quirks: origin?.body.quirks ?? {} };
    const id = await insertTemplate(tx, {
      key: `template-${randomUUID().slice(0, 8)}`,
      name: fields.name,
      deviceKind: 'meter',
      body: JSON.stringify(body),
      objectOrder: fields.keys,
      createdBy: user.id,
      createdAt: new Date(now),
    });
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
    const all = await lockAndLoadTemplates(tx);
    const template = all.get(id);
    if (template === undefined) throw new ApiError('NOT_FOUND');
    if (template.isBuiltin) throw new ApiError('BUILT_IN_ENTRY');
    const before = await getRow(tx, id);
    if (versionOf(template) !== version) throw stale(before);
    requireName(all.values(), fields.name, id);
    const byKey = new Map([...all.values()].map((other) => [other.key, other]));
    const objects = await objectsFor(tx, fields.keys, objectsOf(template, byKey));
    await updateTemplate(tx, id, {
      name: fields.name,
      body: JSON.stringify({ objects, quirks: template.body.quirks }),
      objectOrder: fields.keys,
    });
    const detail = changedFields({ name: before.name, keys: before.keys }, fields);
    await writeAudit(tx, { userId: user.id, ip, entity: 'meter_template', action: 'template_changed', entityId: id, detail }, now);
    return getRow(tx, id);
  });
}

export async function removeTemplate(ctx: Context, { user, ip }: Who, id: string): Promise<void> {
  const now = ctx.clock.now();
  await ctx.db.transaction().execute(async (tx) => {
    const all = await lockAndLoadTemplates(tx);
    const template = all.get(id);
    if (template === undefined) throw new ApiError('NOT_FOUND');
    if (template.isBuiltin) throw new ApiError('BUILT_IN_ENTRY');
    const heirs = [...all.values()].filter((other) => other.body.extends === template.key).map((other) => other.name);
    const users = [...template.meterTypes, ...heirs];
    if (users.length > 0) throw new ApiError('IN_USE', { by: users.join(', ') });
    await deleteTemplate(tx, id);
    await writeAudit(
      tx,
      { userId: user.id, ip, entity: 'meter_template', action: 'template_deleted', entityId: id, detail: { name: template.name } },
      now,
    );
  });
}
