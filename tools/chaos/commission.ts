import type { Pool } from 'pg';
import type { CommissioningFile } from '../../apps/server/src/db/seed/commissioning.ts';
import { importCommissioning } from '../../apps/server/src/db/seed/import-commissioning.ts';
import { openDb } from '../../apps/server/src/db/pool.ts';
import { saveSetting } from '../../apps/server/src/db/settings.ts';
import { BUILT_IN_LIMITS, insertLimits } from '../../apps/server/src/features/relay/limit-queries.ts';
import { systemClock } from '../../apps/server/src/platform/clock.ts';
import type { Secrets } from '../../apps/server/src/platform/secrets.ts';
import { APDU_SIZE } from './field.ts';
import { ALONE } from './operators.ts';

/** Octets of an APDU of every fourth DCU: no profile fits into one. */
const SMALL_APDU_SIZE = 256;
const SMALL_ONE_IN = 4;
/** Limits wide enough for the commands of a long run; other tests prove that limits hold. */
const WIDE_LIMITS = {
  ...BUILT_IN_LIMITS,
  maxMetersPerHour: 10_000,
  maxKwPerHour: 300_000,
  maxMetersPerDay: 100_000,
  soloLimitPerHour: ALONE,
  spreadS: 0,
};

/** Gives small APDUs to every fourth DCU and type of direct meters. Direct meters without mutual authentication are admitted by their address. */
function prepareTypes(file: CommissioningFile): void {
  const [type] = file.dcuTypes;
  if (type === undefined) throw new Error('The file has no DCU type');
  const small = { ...type, code: `${type.code}-S`, name: `${type.name}, small`, apduSize: SMALL_APDU_SIZE };
  file.dcuTypes.push(small);
  file.dcus.forEach((dcu, index) => {
    if (index % SMALL_ONE_IN === 0) dcu.typeCode = small.code;
  });
  const ofDirect = file.meterTypes.filter(({ heartbeatS }) => heartbeatS !== undefined);
  ofDirect.forEach((meterType, index) => {
    meterType.allowedAddresses = ['127.0.0.0/8'];
    // The first type is that of half of the direct meters.
    meterType.apduSize = index % SMALL_ONE_IN === 1 ? SMALL_APDU_SIZE : APDU_SIZE;
  });
}

/** Imports the fleet with its time zone and wide limits of switching. Head-ends read the zone at their start. */
export async function commissionFleet(pool: Pool, secrets: Secrets, file: CommissioningFile): Promise<void> {
  const db = openDb(pool);
  prepareTypes(file);
  await importCommissioning({ db, secrets, clock: systemClock }, file);
  await saveSetting(db, 'timeZone', file.timeZone);
  await insertLimits(db, secrets, WIDE_LIMITS, { changedBy: null });
}
