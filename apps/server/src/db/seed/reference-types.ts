import { REFERENCE_MODELS } from '@hes/contract/text/reference-models.ts';
import type { Tx } from '#db/context.ts';

interface Delivered {
  builtinKey: keyof typeof REFERENCE_MODELS;
  code: string;
}

const SUPPLIER: Delivered = { builtinKey: 'supplier', code: 'HES-REF' };
/** Each type has the profile of its wiring. */
const METER_TYPES = [
  { builtinKey: 'meter_1p2w', code: 'REF-1P2W', phase: '1p2w', voltage: '230', profile: 'hes-meter-1p2w' },
  { builtinKey: 'meter_3p4w', code: 'REF-3P4W', phase: '3p4w', voltage: '230/400', profile: 'hes-meter-3p4w' },
] as const;

/** The given code or name, with the first free number as suffix if it is in use. */
export function findFreeName(wanted: string, taken: readonly string[], joint: string): string {
  const used = new Set(taken.map((word) => word.toLowerCase()));
  let word = wanted;
  for (let number = 2; used.has(word.toLowerCase()); number++) word = `${wanted}${joint}${number}`;
  return word;
}

/** Initial values of a row; undefined when it was seeded before, even if it was changed or deleted since. */
async function identityOf(tx: Tx, table: 'supplier' | 'dcuType' | 'meterType', { builtinKey, code }: Delivered) {
  const rows = await tx.selectFrom(table).select(['builtinKey', 'code', 'name']).execute();
  if (rows.some((row) => row.builtinKey === builtinKey)) return undefined;
  const codes = rows.map((row) => row.code);
  const names = rows.map((row) => row.name);
  return { builtinKey, code: findFreeName(code, codes, '-'), name: findFreeName(REFERENCE_MODELS[builtinKey].en, names, ' ') };
}

/** Seeds one supplier, two DCU types and two meter types, so that an empty installation can register devices. */
export async function seedReferenceTypes(tx: Tx): Promise<void> {
  const maker = await identityOf(tx, 'supplier', SUPPLIER);
  if (maker) await tx.insertInto('supplier').values(maker).execute();
  const supplier = await tx.selectFrom('supplier').where('builtinKey', '=', SUPPLIER.builtinKey).select('id').executeTakeFirstOrThrow();
  const profileOf = (key: string) => tx.selectFrom('southboundProfile').where('key', '=', key).select('id').executeTakeFirstOrThrow();

  const dcuType = await identityOf(tx, 'dcuType', { builtinKey: 'dcu', code: 'REF-DCU' });
  if (dcuType) {
    const { id: profileId } = await profileOf('hes-dcu-1');
    await tx
      .insertInto('dcuType')
      .values({ ...dcuType, supplierId: supplier.id, profileId, downlinkModes: ['plc', 'rf'], apduSize: 1024 })
      .execute();
  }
  const gateway = await identityOf(tx, 'dcuType', { builtinKey: 'gateway', code: 'REF-GATEWAY' });
  if (gateway) {
    const { id: profileId } = await profileOf('hes-gateway');
    await tx
      .insertInto('dcuType')
      .values({ ...gateway, supplierId: supplier.id, profileId, downlinkModes: ['plc', 'rf', 'rs485'], apduSize: 1024 })
      .execute();
  }
  for (const { phase, voltage, profile, ...delivered } of METER_TYPES) {
    const meterType = await identityOf(tx, 'meterType', delivered);
    if (meterType === undefined) continue;
    const { id: profileId } = await profileOf(profile);
    await tx
      .insertInto('meterType')
      .values({
        ...meterType,
        supplierId: supplier.id,
        profileId,
        phase,
        voltage,
        accuracy: 'B',
        current: '5(60)',
        communicationModes: ['plc', 'rf'],
      })
      .execute();
  }
}
