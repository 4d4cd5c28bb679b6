import { createHash } from 'node:crypto';
import type { Tx } from '#db/context.ts';
import { closeFile, deleteUnusedFirmware, findPublished, insertChunk, insertFile, insertFirmware } from './queries.ts';
import { fileTypeOf } from './file-type.ts';

/** A firmware of a manufacturer, by the codes of its supplier and of the meter types that it is for. */
export interface PublishedFirmware {
  name: string;
  version: string;
  supplierCode: string;
  typeCodes: readonly string[];
  fileName: string;
  image: Buffer;
  reason: string;
  provider: string;
}

/**
 * Adds a draft that no user has uploaded, so that each user with the right may approve it; the caller writes the audit row. Returns undefined
 * if the supplier or a type is missing, or the version exists.
 */
export async function addDraft(tx: Tx, given: PublishedFirmware, now: Date): Promise<string | undefined> {
  const { name, version, fileName, image } = given;
  const found = await findPublished(tx, given);
  const type = fileTypeOf(fileName, image);
  if (found === undefined || 'wrong' in type) return undefined;
  const fileId = await insertFile(tx, { name: fileName, format: type.format, userId: null, at: now });
  await insertChunk(tx, fileId, 0, image);
  await closeFile(tx, fileId, { size: image.length, sha256: createHash('sha256').update(image).digest('hex'), format: type.format });
  const fields = {
    name,
    version,
    upgradeProtocol: 'dlms_image' as const,
    supplierId: found.supplierId,
    targetKind: 'meter' as const,
    typeIds: found.typeIds,
    imageIdentifier: version,
    blockSize: 256,
    upgradeReason: given.reason,
    fileProvider: given.provider,
    fromVersions: [],
  };
  return insertFirmware(tx, null, fields, fileId, { signature: null, state: 'none' }, now);
}

/** Deletes drafts that were added, unless an upgrade uses them. */
export const removeDrafts = async (tx: Tx, ids: readonly string[]): Promise<void> => {
  for (const id of ids) await deleteUnusedFirmware(tx, id);
};
