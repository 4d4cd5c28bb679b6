import { fill } from '@hes/contract/core/text.ts';
import { RULES } from '@hes/contract/core/rules.ts';
import type { AuditAction } from '@hes/contract/audit/actions.ts';
import type { FirmwareKeyRow, FirmwareRow, NewFirmware } from '@hes/contract/upgrade/firmware.ts';
import { changedFields, writeAudit } from '#db/audit.ts';
import { refuseDuplicate } from '#db/unique.ts';
import { ApiError, stale } from '#platform/api-error.ts';
import type { Context, Db, Tx, User, Who } from '#db/context.ts';
import {
  approveFirmware,
  countTypes,
  deleteFirmware,
  findFile,
  findFirmware,
  findKey,
  findUpload,
  hasSupplier,
  insertFirmware,
  listKeys,
  lockFirmware,
  openJobsOf,
  readFile,
  retireFirmware,
  saveKey,
  updateFirmware,
  type Signed,
} from './queries.ts';
import { describeKey, isSignedBy, signingKey } from './signature.ts';

type Fields = Omit<NewFirmware, 'fileId' | 'signature' | 'sha256'>;
const VERSION = { en: 'Version', zh: '版本' };

export async function getFirmware(db: Db | Tx, user: User, id: string): Promise<FirmwareRow> {
  const row = await findFirmware(db, user, id);
  if (row === undefined) throw new ApiError('NOT_FOUND');
  return row;
}

/** Locks and returns the firmware. Throws `STALE` when its revision is not the one that the caller read. */
async function lockFirmwareForChange(tx: Tx, user: User, id: string, revision?: number): Promise<FirmwareRow> {
  await lockFirmware(tx, id);
  const row = await getFirmware(tx, user, id);
  if (revision !== undefined && row.revision !== revision) throw stale(row);
  return row;
}

const audit = (tx: Tx, { user, ip }: Who, action: AuditAction, id: string, detail: Record<string, unknown>, now: number) =>
  writeAudit(tx, { userId: user.id, action, entity: 'firmware', entityId: id, detail, ip }, now);

async function checkReferences(tx: Tx, fields: Fields): Promise<void> {
  if (!(await hasSupplier(tx, fields.supplierId))) throw new ApiError('UNKNOWN_REFERENCE', {}, 'supplierId');
  const typeIds = new Set(fields.typeIds);
  if ((await countTypes(tx, fields.targetKind, [...typeIds])) !== typeIds.size) throw new ApiError('UNKNOWN_REFERENCE', {}, 'typeIds');
}

/** Once a manufacturer has a key, each of its firmware files needs a signature. */
async function judgeSignature(tx: Tx, fields: Fields, fileId: string, signature: string | null): Promise<Signed> {
  const key = await findKey(tx, fields.supplierId);
  if (key === undefined) return { signature, state: signature === null ? 'none' : 'no_key' };
  if (signature === null) throw new ApiError('SIGNATURE_MISSING', {}, 'signature');
  if (!isSignedBy(key, await readFile(tx, fileId), signature)) throw new ApiError('SIGNATURE_WRONG', {}, 'signature');
  return { signature, state: 'valid' };
}

const unique = (fields: Fields) => ({ field: 'version', label: VERSION, value: `${fields.name} ${fields.version}` });

export function createFirmware(ctx: Context, who: Who, { fileId, signature, sha256, ...fields }: NewFirmware): Promise<FirmwareRow> {
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    const upload = await findUpload(tx, who.user, fileId);
    if (upload === undefined) throw new ApiError('UNKNOWN_REFERENCE', {}, 'fileId');
    if (sha256 !== null && sha256 !== upload.sha256) throw new ApiError('HASH_DIFFERS', {}, 'sha256');
    await checkReferences(tx, fields);
    const signed = await judgeSignature(tx, fields, fileId, signature);
    const id = await refuseDuplicate(unique(fields), insertFirmware(tx, who.user.id, fields, fileId, signed, new Date(now)));
    const row = await getFirmware(tx, who.user, id);
    await audit(
      tx,
      who,
      'firmware_uploaded',
      id,
      { after: { ...fields, sha256: upload.sha256, size: row.size, signature: signed.state } },
      now,
    );
    return row;
  });
}

function mustBe(row: FirmwareRow, state: FirmwareRow['state']): void {
  if (row.state !== state) throw new ApiError('FIRMWARE_STATE', { name: row.name, version: row.version });
}

export function changeFirmware(
  ctx: Context,
  who: Who,
  id: string,
  { revision, ...fields }: Fields & { revision: number },
): Promise<FirmwareRow> {
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    const before = await lockFirmwareForChange(tx, who.user, id, revision);
    mustBe(before, 'draft');
    await checkReferences(tx, fields);
    await refuseDuplicate(unique(fields), updateFirmware(tx, who.user.id, id, fields, new Date(now)));
    const after = await getFirmware(tx, who.user, id);
    await audit(tx, who, 'firmware_changed', id, changedFields({ ...before }, { ...after }), now);
    return after;
  });
}

/** Dual approval: the user who uploaded or changed a firmware cannot approve it. */
export function approve(ctx: Context, who: Who, id: string, revision: number): Promise<FirmwareRow> {
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    const before = await lockFirmwareForChange(tx, who.user, id, revision);
    mustBe(before, 'draft');
    if (!before.mayApprove) throw new ApiError('FIRMWARE_OWN');
    await approveFirmware(tx, who.user.id, id, new Date(now));
    await audit(tx, who, 'firmware_approved', id, { sha256: before.sha256, version: before.version }, now);
    return getFirmware(tx, who.user, id);
  });
}

export function retire(ctx: Context, who: Who, id: string, revision: number): Promise<FirmwareRow> {
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    const before = await lockFirmwareForChange(tx, who.user, id, revision);
    if (before.state === 'retired') mustBe(before, 'approved');
    const jobs = await openJobsOf(tx, id);
    if (jobs.length > 0) throw new ApiError('IN_USE', { by: jobs.join(', ') });
    await retireFirmware(tx, id, new Date(now));
    await audit(tx, who, 'firmware_retired', id, { version: before.version }, now);
    return getFirmware(tx, who.user, id);
  });
}

export async function removeFirmware(ctx: Context, who: Who, id: string): Promise<void> {
  const now = ctx.clock.now();
  await ctx.db.transaction().execute(async (tx) => {
    const before = await lockFirmwareForChange(tx, who.user, id);
    if (before.jobs > 0)
      throw new ApiError('IN_USE', {
        by: fill({ en: '{count} {count|upgrade|upgrades}', zh: '{count} 个升级任务' }, { count: before.jobs }),
      });
    await deleteFirmware(tx, id);
    await audit(tx, who, 'firmware_deleted', id, { before: { name: before.name, version: before.version, sha256: before.sha256 } }, now);
  });
}

export async function downloadFirmware(ctx: Context, who: Who, id: string) {
  const file = await findFile(ctx.db, id);
  if (file === undefined) throw new ApiError('NOT_FOUND');
  const content = await readFile(ctx.db, file.fileId);
  await ctx.db.transaction().execute((tx) => audit(tx, who, 'firmware_downloaded', id, { name: file.name }, ctx.clock.now()));
  return { name: file.name, type: 'application/octet-stream', content };
}

export async function everyKey(ctx: Context): Promise<{ items: FirmwareKeyRow[] }> {
  return { items: (await listKeys(ctx.db)).map((row) => ({ ...row, ...describeKey(row.publicKey) })) };
}

export const hasKey = async (ctx: Context, supplierId: string): Promise<boolean> => (await findKey(ctx.db, supplierId)) !== undefined;

export async function saveManufacturerKey(ctx: Context, { user, ip }: Who, supplierId: string, publicKey: string): Promise<void> {
  if (publicKey !== '' && signingKey(publicKey) === undefined)
    throw new ApiError('VALIDATION', {}, [{ field: 'publicKey', message: RULES.publicKey }]);
  const now = ctx.clock.now();
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await hasSupplier(tx, supplierId))) throw new ApiError('NOT_FOUND');
    const before = await findKey(tx, supplierId);
    // Deleting a key that does not exist succeeds.
    if (before === undefined && publicKey === '') return;
    await saveKey(tx, user.id, supplierId, publicKey, new Date(now));
    const detail = { before: before === undefined ? null : describeKey(before), after: publicKey === '' ? null : describeKey(publicKey) };
    await writeAudit(tx, { userId: user.id, action: 'firmware_key_saved', entity: 'supplier', entityId: supplierId, detail, ip }, now);
  });
}
