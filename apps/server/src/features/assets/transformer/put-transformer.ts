import { transformer, type namedTransformer, type TransformerRow } from '@hes/contract/asset/transformer.ts';
import type { z } from 'zod';
import { changeRecord, createRecord } from '#db/master-data.ts';
import { putObject } from '#db/put-object.ts';
import { holderOf } from '#db/scope.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Who } from '#db/context.ts';
import { findTransformerByCode } from './queries.ts';
import { TRANSFORMERS } from './service.ts';

type Given = z.output<typeof namedTransformer>;
type PutTransformer = TransformerRow & { isNew: boolean };

async function putOnce(ctx: Context, who: Who, fields: Given): Promise<PutTransformer> {
  const found = await findTransformerByCode(ctx.db, who.user, fields.code);
  if (found !== undefined) return { ...(await changeRecord(TRANSFORMERS, ctx, who, { ...fields, ...found })), isNew: false };
  const { page, action } = transformer.create.allow;
  const adder = holderOf(who.user, page, action);
  if (adder === undefined) throw new ApiError('BEYOND_OWN_RIGHTS');
  return { ...(await createRecord(TRANSFORMERS, ctx, { ...who, user: adder }, fields)), isNew: true };
}

/** Adds the transformer with a code, or changes it. Adding also requires the right to add transformers. */
export const putTransformer = (ctx: Context, who: Who, fields: Given): Promise<PutTransformer> =>
  putObject(() => putOnce(ctx, who, fields));
