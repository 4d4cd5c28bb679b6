import type { DcuTypeRow } from '@hes/contract/asset/dcu-type.ts';
import { auditRecord, getRecord } from '#db/master-data.ts';
import { refuseDuplicates } from '#db/unique.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, User, Who } from '#db/context.ts';
import { placeOrder } from '#tasks/place-order.ts';
import { adoptSupplier, findSupplierKey } from './profile-queries.ts';
import { adoptProfile, findProfileObjects, profileAsFile } from './profiles.ts';
import { DCU_TYPES, findDcuOfType, type DcuTypeFields } from './queries.ts';

export async function dcuTypeAsFile(ctx: Context, user: User, id: string) {
  const row = await getRecord(DCU_TYPES, ctx.db, user, id);
  const {
    supplierId,
    supplierName: _s,
    profileId,
    profileName: _p,
    parts: _w,
    id: _i,
    isBuiltin: _b,
    dcus: _d,
    updatedAt: _u,
    version: _v,
    allowedAddresses: _a,
    ...type
  } = row;
  const supplier = await findSupplierKey(ctx.db, supplierId);
  return { format: 'hes-dcu-type' as const, type, supplier, profile: await profileAsFile(ctx.db, 'dcu', profileId) };
}

interface DcuTypeFile {
  type: Omit<DcuTypeFields, 'supplierId' | 'profileId' | 'allowedAddresses'>;
  supplier: { code: string; name: string };
  profile: Parameters<typeof adoptProfile>[2] extends infer P ? Omit<P, 'by'> : never;
}

/** Imports a type from a file. Profile and supplier are imported only if the site has none of the same key. */
export async function importDcuType(ctx: Context, who: Who, file: DcuTypeFile): Promise<DcuTypeRow> {
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    const supplierId = await adoptSupplier(tx, file.supplier);
    const profileId = await adoptProfile(tx, 'dcu', { ...file.profile, by: who.user.id });
    const fields = { ...file.type, supplierId, profileId, allowedAddresses: [] };
    const id = await refuseDuplicates(DCU_TYPES.unique(fields), DCU_TYPES.insert(tx, who, fields, new Date(now)));
    await auditRecord(tx, who, { action: 'dcu_type_created', entity: 'dcu_type', id, detail: { after: fields, from: 'file' } }, now);
    return getRecord(DCU_TYPES, tx, who.user, id);
  });
}

/** Queues a task that probes every object of the type's profile on one DCU of the type. */
export async function orderConformance(ctx: Context, who: Who, { id, dcuId }: { id: string; dcuId: string }): Promise<{ taskId: string }> {
  const { user } = who;
  const type = await getRecord(DCU_TYPES, ctx.db, user, id);
  const dcu = await findDcuOfType(ctx.db, user, id, dcuId);
  if (dcu === undefined) throw new ApiError('DCU_NOT_FOUND', { id: dcuId });
  const { objects } = await findProfileObjects(ctx.db, 'dcu', type.profileId);
  return ctx.db.transaction().execute((tx) =>
    placeOrder(tx, ctx, who, 'conformance', {
      title: type.name,
      params: {
        typeId: id,
        dcuSn: dcu.sn,
        objects: [...objects].map(([key, { classId, obis, attribute }]) => ({ key, classId, obis, attribute })),
      },
      items: [{ deviceKind: 'dcu', dcuId, meterId: null }],
    }),
  );
}
