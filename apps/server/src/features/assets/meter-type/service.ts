import { randomUUID } from 'node:crypto';
import type { LearntLine, MeterTypeRow, UnsupportedRow } from '@hes/contract/asset/meter-type.ts';
import { taskItemRow } from '@hes/contract/task/task.ts';
import { auditRecord, getRecord, lockRecord } from '#db/master-data.ts';
import { refuseDuplicates } from '#db/unique.ts';
import { adoptSupplier, findSupplierKey, insertProfile } from '#features/assets/dcu-type/profile-queries.ts';
import { adoptProfile, findProfileObjects, profileAsFile } from '#features/assets/dcu-type/profiles.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, User, Who } from '#db/context.ts';
import { placeOrder } from '#tasks/place-order.ts';
import { compareWithTemplate, templateOf } from './learn.ts';
import { forgetUnsupported } from './unsupported-queries.ts';
import { findDictionary, findLearnt, findMeterOfType, METER_TYPES, type MeterTypeFields } from './queries.ts';

export async function meterTypeAsFile(ctx: Context, user: User, id: string) {
  const row = await getRecord(METER_TYPES, ctx.db, user, id);
  const {
    supplierId,
    supplierName: _s,
    profileId,
    profileName: _p,
    id: _i,
    isBuiltin: _b,
    meters: _m,
    updatedAt: _u,
    version: _v,
    ...rest
  } = row;
  const { lacksDailyFreeze: _l, allowedAddresses: _a, accuracy, voltage, current, ...type } = rest;
  const supplier = await findSupplierKey(ctx.db, supplierId);
  return {
    format: 'hes-meter-type' as const,
    // Types from older imports may lack these ratings; the file gets the defaults of a new type.
    type: { ...type, accuracy: accuracy ?? 'B', voltage: voltage ?? '230', current: current ?? '5(60)' },
    supplier,
    profile: await profileAsFile(ctx.db, 'meter', profileId),
  };
}

interface MeterTypeFile {
  type: Omit<MeterTypeFields, 'supplierId' | 'profileId' | 'allowedAddresses'>;
  supplier: { code: string; name: string };
  profile: Omit<Parameters<typeof adoptProfile>[2], 'by'>;
}

/** Imports a type from a file. Template and supplier are imported only if the site has none of the same key. */
export async function importMeterType(ctx: Context, who: Who, file: MeterTypeFile): Promise<MeterTypeRow> {
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    const supplierId = await adoptSupplier(tx, file.supplier);
    const profileId = await adoptProfile(tx, 'meter', { ...file.profile, by: who.user.id });
    const fields = { ...file.type, supplierId, profileId, allowedAddresses: [] };
    const id = await refuseDuplicates(METER_TYPES.unique(fields), METER_TYPES.insert(tx, who, fields, new Date(now)));
    await auditRecord(tx, who, { action: 'meter_type_created', entity: 'meter_type', id, detail: { after: fields, from: 'file' } }, now);
    return getRecord(METER_TYPES, tx, who.user, id);
  });
}

/** Queues the reading of a meter's object list. */
export async function orderLearning(ctx: Context, who: Who, { id, meterId }: { id: string; meterId: string }): Promise<{ taskId: string }> {
  const { user } = who;
  const type = await getRecord(METER_TYPES, ctx.db, user, id);
  const meter = await findMeterOfType(ctx.db, user, id, meterId);
  if (meter === undefined) throw new ApiError('METER_NOT_FOUND', { id: meterId });
  const { dcuId } = meter;
  if (dcuId === null) throw new ApiError('NOT_BOUND');
  return ctx.db.transaction().execute((tx) =>
    placeOrder(tx, ctx, who, 'learn', {
      title: type.name,
      params: { typeId: id, meterSn: meter.sn },
      items: [{ deviceKind: 'meter', dcuId, meterId }],
    }),
  );
}

export async function learntLines(
  ctx: Pick<Context, 'db'>,
  user: User,
  { id, taskId }: { id: string; taskId: string },
): Promise<LearntLine[]> {
  const type = await getRecord(METER_TYPES, ctx.db, user, id);
  const learnt = await findLearnt(ctx.db, user, id, taskId);
  if (learnt === undefined) throw new ApiError('NOT_FOUND');
  const found = taskItemRow.shape.result.safeParse(learnt.result).data?.objects;
  if (found === undefined) throw new ApiError('NOT_LEARNT');
  const { objects } = await findProfileObjects(ctx.db, 'meter', type.profileId);
  return compareWithTemplate(objects, await findDictionary(ctx.db), found);
}

/** Deletes the record that meters of a type lack these objects, so that they are read again. */
export async function forgetLearnt(
  ctx: Context,
  who: Who,
  { id, objects }: { id: string; objects: UnsupportedRow['object'][] },
): Promise<{ forgotten: number }> {
  return ctx.db.transaction().execute(async (tx) => {
    const { code } = await getRecord(METER_TYPES, tx, who.user, id);
    const forgotten = await forgetUnsupported(tx, id, objects);
    const entry = { action: 'meter_type_unsupported_forgotten', entity: 'meter_type', id, detail: { code, objects, forgotten } } as const;
    await auditRecord(tx, who, entry, ctx.clock.now());
    return { forgotten };
  });
}

/** Creates a template from the objects of the meter and assigns it to the type. */
export async function takeOverTemplate(
  ctx: Context,
  who: Who,
  { id, taskId, name, version }: { id: string; taskId: string; name: string; version: number },
): Promise<MeterTypeRow> {
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    const before = await lockRecord(METER_TYPES, tx, who.user, { id, version });
    const objects = templateOf(await learntLines({ db: tx }, who.user, { id, taskId }));
    const { profile } = await findProfileObjects(tx, 'meter', before.profileId);
    const key = `learnt-${randomUUID().slice(0, 8)}`;
    const profileId = await insertProfile(tx, 'meter', {
      key,
      name,
      body: { objects, quirks: profile.body.quirks },
      parts: [],
      by: who.user.id,
    });
    await auditRecord(
      tx,
      who,
      { action: 'meter_template_created', entity: 'meter_template', id: profileId, detail: { key, name, typeCode: before.code, taskId } },
      now,
    );
    await METER_TYPES.update(tx, who, id, { ...fieldsOf(before), profileId }, new Date(now));
    await auditRecord(
      tx,
      who,
      { action: 'meter_type_changed', entity: 'meter_type', id, detail: { before: { profileId: before.profileId }, after: { profileId } } },
      now,
    );
    return getRecord(METER_TYPES, tx, who.user, id);
  });
}

function fieldsOf(row: MeterTypeRow): MeterTypeFields {
  const {
    id: _i,
    isBuiltin: _b,
    supplierName: _s,
    profileName: _p,
    lacksDailyFreeze: _l,
    meters: _m,
    updatedAt: _u,
    version: _v,
    ...fields
  } = row;
  return fields;
}
