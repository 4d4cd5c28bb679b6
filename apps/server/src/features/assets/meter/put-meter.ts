import { meter, type AssetDetail, type newMeter } from '@hes/contract/asset/meter.ts';
import type { z } from 'zod';
import { putObject } from '#db/put-object.ts';
import { holderOf } from '#db/scope.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Who } from '#db/context.ts';
import { changeMeter, createMeter } from './administer.ts';
import { findIdBySn } from './asset-queries.ts';

type Given = z.output<typeof newMeter>;
type PutMeter = AssetDetail & { isNew: boolean };

async function putOnce(ctx: Context, who: Who, given: Given): Promise<PutMeter> {
  const { sn, keys: _, ...fields } = given;
  const found = await findIdBySn(ctx.db, who.user, sn);
  if (found !== undefined) return { ...(await changeMeter(ctx, who, found.id, { ...fields, version: found.version })), isNew: false };
  const { page, action } = meter.create.allow;
  const adder = holderOf(who.user, page, action);
  if (adder === undefined) throw new ApiError('BEYOND_OWN_RIGHTS');
  return { ...(await createMeter(ctx, { ...who, user: adder }, given)), isNew: true };
}

/**
 * Adds the meter with a serial number, or changes it. Adding also requires the right to add meters. Keys are stored for a new meter only:
 * replacing the keys of a meter in use is a dangerous call of its own.
 */
export const putMeter = (ctx: Context, who: Who, given: Given): Promise<PutMeter> => putObject(() => putOnce(ctx, who, given));
