import { Readable } from 'node:stream';
import { makeImage } from '../../apps/simulator/src/devices/firmware-image.ts';
import { newFirmware } from '../../packages/contract/src/upgrade/firmware.ts';
import { upgradeOrder, type UpgradeOrder, type UpgradeSelection } from '../../packages/contract/src/upgrade/job.ts';
import { approve, createFirmware } from '../../apps/server/src/features/upgrade/firmware/service.ts';
import { storeUpload } from '../../apps/server/src/features/upgrade/firmware/upload.ts';
import { startJob } from '../../apps/server/src/features/upgrade/job/service.ts';
import { sealAsFound } from '../../apps/server/src/db/right-seals.ts';
import type { Context, Who } from '../../apps/server/src/db/context.ts';

const MODEL = 'HES-MP';
const VERSION = 'HES-MP 9.0.0';

/** Two users: the uploader must not approve. */
async function somebody({ db, pool }: Context, username: string): Promise<Who> {
  const made = await pool.query<{ id: string }>(
    "insert into app_user (username, name, password_hash, must_change_password) values ($1, $1, 'none', false) returning id",
    [username],
  );
  const id = made.rows[0]?.id ?? '';
  await db.transaction().execute((tx) => sealAsFound(tx, [{ kind: 'user', id }]));
  return {
    ip: '127.0.0.1',
    user: { id, username, name: username, sessionId: '', mustChangePassword: false, actions: new Map(), scope: { kind: 'whole' } },
  };
}

interface Wanted {
  octets: number;
  blockSize: number;
  upgradeProtocol?: 'dlms_image' | 'dlms_image_via_dcu';
  selection(typeIds: string[]): Partial<UpgradeSelection>;
  concurrency?: number;
  perDcu?: number;
  rings?: UpgradeOrder['rings'];
}

export interface Ordered {
  jobId: string;
  version: string;
  sha256: string;
  /** Size of the image. */
  octets: number;
}

/**
 * Creates a firmware for the meters of a fleet, uploaded by one user and approved by another, and an upgrade with it, by
 * default in one ring.
 */
export async function orderUpgrade(
  ctx: Context,
  { octets, blockSize, upgradeProtocol, selection, concurrency, perDcu, rings = [] }: Wanted,
): Promise<Ordered> {
  const [engineer, approver] = [await somebody(ctx, 'fern.ware'), await somebody(ctx, 'second.pair')];
  const image = Buffer.from(makeImage({ model: MODEL, version: VERSION }, octets));
  const file = await storeUpload(ctx, engineer.user, 'proof.bin', Readable.from([image]));
  const types = await ctx.pool.query<{ id: string }>('select id from meter_type order by id');
  const typeIds = types.rows.map((row) => row.id);
  const suppliers = await ctx.pool.query<{ id: string }>('select id from supplier order by id limit 1');
  const made = await createFirmware(
    ctx,
    engineer,
    newFirmware.parse({
      fileId: file.fileId,
      name: 'Proof',
      version: VERSION,
      supplierId: suppliers.rows[0]?.id,
      targetKind: 'meter',
      typeIds,
      imageIdentifier: 'HES-MP-900',
      blockSize,
      upgradeReason: 'To be interrupted',
      fileProvider: 'tools/chaos',
      ...(upgradeProtocol === undefined ? {} : { upgradeProtocol }),
    }),
  );
  await approve(ctx, approver, made.id, made.revision);
  const { jobId } = await startJob(
    ctx,
    engineer,
    upgradeOrder.parse({
      name: 'Proof',
      firmwareId: made.id,
      selection: selection(typeIds),
      rings,
      continueBy: 'itself',
      watchMinutes: 0,
      reason: 'Proof',
      leaveOutRefused: true,
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(perDcu === undefined ? {} : { perDcu }),
    }),
  );
  return { jobId, version: VERSION, sha256: file.sha256, octets: image.length };
}
